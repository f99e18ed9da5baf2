"""Ids in paths: a session's id may hold any character, a slash too, so paths are routed before they are unquoted."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Annotated, Any
from urllib.parse import unquote

from pydantic import BeforeValidator

Scope = MutableMapping[str, Any]
Asgi = Callable[[Scope, Any, Any], Awaitable[None]]

QuotedId = Annotated[str, BeforeValidator(unquote)]
"""A path parameter that is one percent-encoded segment."""


class RouteQuotedPaths:
    """ASGI: routes on the path as it was sent. Servers hand over the unquoted one, in which %2F is a slash."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        raw = scope.get("raw_path")
        if scope["type"] == "http" and raw is not None:
            scope = {**scope, "path": raw.decode("ascii", "replace").split("?", 1)[0]}
        await self._app(scope, receive, send)
