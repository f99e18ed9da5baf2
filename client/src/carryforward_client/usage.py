"""A usage event from what a host has at hand."""

import uuid
from collections.abc import Mapping

_FIELDS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


def usage_event(
    event_id: str | None,
    *,
    gauge_tokens: int | None,
    usage: Mapping[str, object] | None,
    window_tokens: int | None,
    seq: int | None,
) -> dict[str, object]:
    """The event without its session. Raises TypeError and ValueError for what is no usage."""
    if gauge_tokens is None and usage is None:
        raise ValueError("a usage event needs gauge_tokens or usage")
    event: dict[str, object] = {"event_id": str(event_id) if event_id else str(uuid.uuid4())}
    for name, value in (("gauge_tokens", gauge_tokens), ("window_tokens", window_tokens), ("seq", seq)):
        if value is not None:
            event[name] = _whole(name, value)
    if usage is not None:
        if not isinstance(usage, Mapping):
            raise TypeError("usage is a mapping in the API's field names; of an SDK object, pass usage.model_dump()")
        # Other fields are the service's business only once it asks for them; an absent count is none.
        event["usage"] = {name: _whole(name, usage.get(name) or 0) for name in _FIELDS}
    return event


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    if value < 0:
        raise ValueError(f"{name} is negative")
    return value
