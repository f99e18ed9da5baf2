"""POST /v1/usage in the application's OpenAPI: the door in front of it answers, the reference must still be true."""

from typing import Any

import msgspec
from fastapi import FastAPI

from service.api.usage import PATH
from service.api.usage_body import MAX_EVENTS, VerdictsBody
from service.domain.gauge import UsageEvent, VerdictAnswer
from service.errors import CarryforwardError

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint", "field")}
            | {"index": {"type": "integer"}},
        }
    },
}


def usage_route(app: FastAPI) -> None:
    """Document POST /v1/usage on an app that stands behind a `UsageDoor`."""
    event, answer, answers = (_inlined(model) for model in (UsageEvent, VerdictAnswer, VerdictsBody))
    request = {"oneOf": [event, {"type": "array", "items": event, "maxItems": MAX_EVENTS}]}

    @app.post(
        PATH,
        tags=["usage"],
        summary="Report usage: one event or an array of them",
        openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": request}}}},
        responses={
            200: _json("The verdict, or for an array the verdicts in the order sent", {"oneOf": [answer, answers]}),
            413: _json("`too_large`", _ERROR),
            422: _json("`invalid_input`; `field` and `index` say where", _ERROR),
            503: _json("`queue_unavailable`: keep the events and send them again", _ERROR),
        },
        response_model=None,
    )
    def report_usage() -> None:
        """Answered at once with the session's verdict. The same event may be sent again; order is `seq`."""
        raise CarryforwardError(f"{PATH} is answered by the usage door, and there is none in front of this app.")


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _inlined(model: type) -> dict[str, Any]:
    """A model's JSON schema without references: FastAPI's own component table takes only its own models."""
    (schema,), components = msgspec.json.schema_components([model], ref_template="{name}")

    def inline(node: Any) -> Any:
        if isinstance(node, dict):
            return inline(components[node["$ref"]]) if "$ref" in node else {k: inline(v) for k, v in node.items()}
        return [inline(item) for item in node] if isinstance(node, list) else node

    resolved: dict[str, Any] = inline(schema)
    return resolved
