"""The bodies of POST /v1/usage: one definition each, for decoding, for checking and for OpenAPI."""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from service.domain.gauge import MAX_ID_CHARS, MAX_SEQ, MAX_TOKENS, UsageEvent, VerdictAnswer
from service.domain.transcript import Usage
from service.errors import FinalError, InvalidInputError

MAX_EVENTS = 10_000
"""Events in one array."""

MAX_BODY_BYTES = 8 * 1024 * 1024

Id = Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARS)]
Tokens = Annotated[int, Meta(ge=0, le=MAX_TOKENS)]


class UsageBody(Struct, gc=False):
    """The API's own `usage` object, as it is: fields it has beyond these are ignored, null counts as 0."""

    input_tokens: Tokens
    cache_read_input_tokens: Tokens | None = 0
    cache_creation_input_tokens: Tokens | None = 0
    output_tokens: Tokens | None = 0


class UsageEventBody(Struct, forbid_unknown_fields=True, gc=False):
    """One model response's report. One of `gauge_tokens` and `usage` at least."""

    event_id: Annotated[Id, Meta(description="Identifies the event: one model response, one id.")]
    session_id: Id
    agent_id: Id
    seq: Annotated[int, Meta(ge=0, le=MAX_SEQ, description="Orders events within the session.")]
    gauge_tokens: Annotated[Tokens | None, Meta(description="The host's own estimate of tokens in the window.")] = None
    usage: UsageBody | None = None
    window_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TOKENS)] | None,
        Meta(description="May be left out where the session declared it."),
    ] = None


class VerdictsBody(Struct):
    """The answer to an array, in the order sent."""

    verdicts: list[VerdictAnswer]


class TooLargeError(FinalError):
    code = "too_large"
    status = 413
    hint = f"Send at most {MAX_EVENTS:,} events in one request."


_decoder = msgspec.json.Decoder(UsageEventBody | list[UsageEventBody])
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
    if isinstance(found, UsageEventBody):
        return [_event(found, None, b"\\u0000" in body)], False
    if len(found) > MAX_EVENTS:
        raise TooLargeError(f"{len(found):,} events in one array")
    nul = b"\\u0000" in body
    return [_event(event, index, nul) for index, event in enumerate(found)], True


def check_size(size_bytes: int) -> None:
    if size_bytes > MAX_BODY_BYTES:
        raise TooLargeError(f"The body is larger than {MAX_BODY_BYTES:,} bytes.")


def _event(body: UsageEventBody, index: int | None, look_for_nul: bool) -> UsageEvent:
    bill = body.usage
    if bill is None and body.gauge_tokens is None:
        raise _refused("one of `gauge_tokens` and `usage` is needed", "gauge_tokens", index)
    if look_for_nul:  # no SQL text column takes one; it can only be written as an escape
        for field in ("event_id", "session_id", "agent_id"):
            if "\0" in getattr(body, field):
                raise _refused(f"`{field}` holds a NUL character", field, index)
    return UsageEvent(
        body.event_id,
        body.session_id,
        body.agent_id,
        body.seq,
        body.gauge_tokens,
        None
        if bill is None
        else Usage(
            bill.input_tokens,
            bill.cache_read_input_tokens or 0,
            bill.cache_creation_input_tokens or 0,
            bill.output_tokens or 0,
        ),
        body.window_tokens,
    )


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
