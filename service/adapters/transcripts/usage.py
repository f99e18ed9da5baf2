"""An API response's `usage` object to what it billed."""

from service.adapters.transcripts.fields import Object, is_object
from service.domain.transcript import Usage

_LARGEST = 2**53
_FIELDS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


def parse_usage(value: object) -> Usage | None:
    """Tokens of the last pass over the window, or None where nothing was billed.

    A response made in several passes (server tools, native compaction) lists them in `iterations`, and its totals are
    their sum: not a size of any window. So the last message pass counts.
    """
    if not is_object(value):
        return None
    iterations = value.get("iterations")
    if isinstance(iterations, list):
        for entry in reversed(iterations):
            if is_object(entry) and entry.get("type") == "message":
                value = entry
                break
    usage = Usage(*(_tokens(value, name) for name in _FIELDS))
    return usage if usage.total_tokens else None


def _tokens(source: Object, name: str) -> int:
    value = source.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value <= _LARGEST else 0
