"""Which format a file is, by what its first lines hold and never by its name."""

from collections.abc import Iterable
from itertools import islice

from models.kinds import TranscriptFormat
from service.adapters.transcripts import record_types
from service.adapters.transcripts.fields import Object, is_object
from service.adapters.transcripts.lines import parse_object
from service.domain.skips import SkipReason

_LINES_LOOKED_AT = 100
_ROLES = ("user", "assistant", "system")


def detect(lines: Iterable[bytes]) -> TranscriptFormat | None:
    """The format of the first line that is clearly of one, or None. Reads at most the first hundred lines."""
    for line in islice(lines, _LINES_LOOKED_AT):
        record = parse_object(line)
        if isinstance(record, SkipReason):
            continue
        if _is_claude_code(record):
            return TranscriptFormat.CLAUDE_CODE
        if _is_message(record):
            return TranscriptFormat.ANTHROPIC_MESSAGES
    return None


def _is_claude_code(record: Object) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in record_types.ALL:
        return False
    # A session id stands on nearly every line; the few kinds without one carry a name nobody else uses.
    return "sessionId" in record or is_object(record.get("message")) or "-" in kind or "leafUuid" in record


def _is_message(record: Object) -> bool:
    return record.get("role") in _ROLES and isinstance(record.get("content"), str | list)
