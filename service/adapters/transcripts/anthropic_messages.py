"""Messages API: one message a line, `{"role", "content"}`, with or without the fields of an API response."""

from collections import Counter
from collections.abc import Iterable

from models.kinds import Author, TranscriptFormat
from service.adapters.transcripts.authorship import text_blocks
from service.adapters.transcripts.blocks import TextReader, parse_content, written_by
from service.adapters.transcripts.fields import Object, text_of
from service.adapters.transcripts.lines import parse_object
from service.adapters.transcripts.usage import parse_usage
from service.domain.skips import SkipReason
from service.domain.transcript import Record, Transcript

_READ_TEXT: dict[str, TextReader] = {
    "user": text_blocks,
    "assistant": written_by(Author.ASSISTANT),
    "system": written_by(Author.SYSTEM),
}


class AnthropicMessagesReader:
    """Reads what a Messages-API loop keeps. Never raises on content."""

    @property
    def format(self) -> TranscriptFormat:
        return TranscriptFormat.ANTHROPIC_MESSAGES

    def read(self, lines: Iterable[tuple[int, bytes]], *, system: str | None = None) -> Transcript:
        records: list[Record] = []
        skipped: Counter[str] = Counter()
        seen: set[str] = set()
        for seq, line in lines:
            message = parse_object(line)
            found = message if isinstance(message, SkipReason) else _read_message(seq, message)
            if isinstance(found, SkipReason):
                skipped[found] += 1
            elif found.uuid is not None and found.uuid in seen:
                skipped[SkipReason.DUPLICATE_UUID] += 1
            else:
                records.append(found)
                if found.uuid is not None:
                    seen.add(found.uuid)
        return Transcript(tuple(records), dict(skipped), system)

    def record_uuid(self, line: bytes) -> str | None:
        """Messages have no id of their own; a host may add a top-level `uuid`."""
        message = parse_object(line)
        return None if isinstance(message, SkipReason) else text_of(message, "uuid")


def _read_message(seq: int, message: Object) -> Record | SkipReason:
    role = message.get("role")
    if not isinstance(role, str):
        return SkipReason.UNKNOWN_TYPE if role is None else SkipReason.MALFORMED
    read_text = _READ_TEXT.get(role)
    if read_text is None:
        return SkipReason.UNKNOWN_TYPE
    blocks = parse_content(message.get("content"), read_text)
    if blocks is None:
        return SkipReason.MALFORMED
    answered = role == "assistant"
    return Record(
        seq=seq,
        role=role,
        blocks=blocks,
        uuid=text_of(message, "uuid"),
        message_id=text_of(message, "id") if answered else None,
        usage=parse_usage(message.get("usage")) if answered else None,
    )
