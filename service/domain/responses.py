"""API responses of a transcript, each counted once however many records it was written in."""

from dataclasses import dataclass

from service.domain.transcript import Transcript, Usage


@dataclass(frozen=True, slots=True)
class Response:
    """One response of the model API. `first_seq` and `last_seq` are its first and last records;
    `message_id` is None when the format names none, and then the record is a response of its own."""

    message_id: str | None
    first_seq: int
    last_seq: int
    usage: Usage


def responses(transcript: Transcript) -> tuple[Response, ...]:
    """Responses with a bill, in the order in which they began.

    Records of one response repeat its bill, and older writers store it while the output still grows, so the
    largest bill counts, the later one where they are equal. It is one record's bill, never a mixture of two.
    """
    found: dict[str | int, Response] = {}
    for record in transcript.records:
        if record.usage is None:
            continue
        key = record.seq if record.message_id is None else record.message_id
        known = found.get(key)
        if known is None:
            found[key] = Response(record.message_id, record.seq, record.seq, record.usage)
            continue
        grown = record.usage.total_tokens >= known.usage.total_tokens
        found[key] = Response(known.message_id, known.first_seq, record.seq, record.usage if grown else known.usage)
    return tuple(found.values())
