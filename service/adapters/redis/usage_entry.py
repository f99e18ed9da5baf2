"""An entry of the usage queue: `e` the event (MessagePack array), `v` its verdict, `w` the window it was judged by.

Written on the hot path, so it is encoded once per event from plain values; read back with every bound checked, so that
nothing a SQL column cannot hold leaves the queue.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from models.kinds import Verdict
from service.domain.gauge import MAX_ID_CHARS, MAX_SEQ, MAX_TOKENS, Tokens, UsageEvent
from service.ports import QueuedReading

VERDICTS = (Verdict.CONTINUE, Verdict.PREPARE, Verdict.END_TURN)
"""By the number the function answers with."""

_VERDICTS = {b"%d" % number: verdict for number, verdict in enumerate(VERDICTS)}
_encode = msgspec.msgpack.Encoder().encode

Id = Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARS, pattern="^[^\\x00]*$")]


class _Event(msgspec.Struct, array_like=True):
    event_id: Id
    session_id: Id
    agent_id: Id
    seq: Annotated[int, Meta(ge=0, le=MAX_SEQ)]
    gauge_tokens: Tokens | None
    input_tokens: Tokens
    cache_read_input_tokens: Tokens
    cache_creation_input_tokens: Tokens
    output_tokens: Tokens


_decoder = msgspec.msgpack.Decoder(_Event)


def encode_event(event: UsageEvent) -> bytes:
    head = (event.event_id, event.session_id, event.agent_id, event.seq, event.gauge_tokens)
    usage = event.usage
    if usage is None:
        return _encode((*head, 0, 0, 0, 0))
    return _encode(
        (
            *head,
            usage.input_tokens,
            usage.cache_read_input_tokens or 0,
            usage.cache_creation_input_tokens or 0,
            usage.output_tokens or 0,
        )
    )


def decode_entry(entry_id: bytes, fields: Mapping[bytes, bytes]) -> QueuedReading:
    """ValueError (or a subclass) when it is not an entry of ours. Its time is the server's, from the entry's id."""
    try:
        event = _decoder.decode(fields[b"e"])
        verdict, window = _VERDICTS[fields[b"v"]], int(fields[b"w"])
        at = datetime.fromtimestamp(int(entry_id.split(b"-")[0]) / 1000, UTC)
    except (KeyError, OverflowError, OSError, msgspec.DecodeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if not 1 <= window <= MAX_TOKENS:
        raise ValueError(f"window of {window} tokens")
    billed = (
        event.input_tokens + event.cache_read_input_tokens + event.cache_creation_input_tokens + event.output_tokens
    )
    used = max(event.gauge_tokens or 0, billed)
    return QueuedReading(
        event_id=event.event_id,
        session_id=event.session_id,
        agent_id=event.agent_id,
        seq=event.seq,
        gauge_tokens=event.gauge_tokens,
        input_tokens=event.input_tokens,
        cache_read_input_tokens=event.cache_read_input_tokens,
        cache_creation_input_tokens=event.cache_creation_input_tokens,
        output_tokens=event.output_tokens,
        used_tokens=used,
        window_tokens=window,
        share=used / window,
        verdict=verdict.value,
        at=at,
    )
