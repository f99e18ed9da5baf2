"""The bodies of POST /v1/usage. The domain's own event is what is decoded, checked and documented."""

import re

import msgspec
from msgspec import Struct

from service.domain.gauge import UsageEvent, VerdictAnswer
from service.errors import InvalidInputError, TooLargeError

MAX_EVENTS = 10_000
"""Events in one array."""

MAX_BODY_BYTES = 8 * 1024 * 1024


class VerdictsBody(Struct):
    """The answer to an array, in the order sent."""

    verdicts: list[VerdictAnswer]


_decoder = msgspec.json.Decoder(UsageEvent | list[UsageEvent])
_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$(?:\[(?P<index>\d+)\])?\.?(?P<path>[^`]*)`)?$", re.DOTALL)
_NAMED = re.compile(r"(?:missing required|unknown) field `([^`]*)`")


def decode_usage(body: bytes) -> tuple[list[UsageEvent], bool]:
    """The events of a body, and whether it was an array.

    InvalidInputError names what is wrong, with `field` and (for an array) `index` in its details; TooLargeError for
    more than 10,000 events, or more than 8 MiB.
    """
    check_size(len(body))
    try:
        found = _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _invalid(str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInputError(f"The body is not JSON: {error}") from None
    nul = b"\\u0000" in body
    if isinstance(found, UsageEvent):
        if nul or (found.usage is None and found.gauge_tokens is None):
            _check(found, None)
        return [found], False
    if len(found) > MAX_EVENTS:
        raise TooLargeError(
            f"{len(found):,} events in one array", hint=f"Send at most {MAX_EVENTS:,} events in one request."
        )
    for index, event in enumerate(found):
        if nul or (event.usage is None and event.gauge_tokens is None):
            _check(event, index)
    return found, True


def check_size(size_bytes: int) -> None:
    if size_bytes > MAX_BODY_BYTES:
        raise TooLargeError(f"The body is larger than {MAX_BODY_BYTES:,} bytes.")


def _check(event: UsageEvent, index: int | None) -> None:
    """What the decoder cannot: no usage at all, and NULs, which no SQL text takes and which come as escapes only."""
    if event.usage is None and event.gauge_tokens is None:
        raise _refused("one of `gauge_tokens` and `usage` is needed", "gauge_tokens", index)
    for field in ("event_id", "session_id", "agent_id"):
        if "\0" in getattr(event, field):
            raise _refused(f"`{field}` holds a NUL character", field, index)


def _invalid(problem: str) -> InvalidInputError:
    at = _AT.match(problem)
    assert at is not None  # noqa: S101  (the pattern matches any text)
    what, path = at["what"], at["path"] or ""
    named = _NAMED.search(what)
    field = ".".join(part for part in (path, named[1] if named else "") if part)
    return _refused(
        what if named or not path else f"`{path}`: {what}", field, int(at["index"]) if at["index"] else None
    )


def _refused(what: str, field: str, index: int | None) -> InvalidInputError:
    details: dict[str, object] = {"field": field} if field else {}
    if index is not None:
        details["index"] = index
    return InvalidInputError(what if index is None else f"Event {index} of the array: {what}", details=details)
