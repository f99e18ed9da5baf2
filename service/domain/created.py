"""Ids that a result gives and the arguments do not hold: candidates for what the call made."""

import re

from service.domain.call_text import scalars
from service.domain.calls import Call
from service.domain.fields import is_id_field
from service.domain.outcomes import unwrapped

_MOST = 3
_LONGEST = 200
_IN_PROSE = re.compile(
    r"""\b(?:id|number|reference|ref|key|url|link)\b(?:\s*(?:is|was)\b|\s*[:=#])\s*["'`]?([\w][\w\-./:#@?=&%+]{2,120})""",
    re.IGNORECASE,
)


def created_values(call: Call) -> tuple[tuple[str, str], ...]:
    """(field, value) of at most three, in the order of the result."""
    if call.result is None:
        return ()
    content = unwrapped(call.result.text)
    arguments = call.use.input_json
    if isinstance(content, str):
        named = (match[1].rstrip(".,;:") for match in _IN_PROSE.finditer(content[:600]))
        return tuple(("id", value) for value in named if value not in arguments)[:_MOST]
    found: dict[str, str] = {}
    for field, value in _outermost(content):
        fits = 3 <= len(value) <= _LONGEST and " " not in value and "\n" not in value
        if fits and is_id_field(field) and field not in found and value not in arguments:
            found[field] = value
    return tuple(found.items())[:_MOST]


def _outermost(content: object) -> list[tuple[str, str]]:
    """Scalars of the object itself, or of the one object it wraps: what lies deeper is what it lists."""
    if isinstance(content, list):
        content = content[0] if len(content) == 1 else None
    if not isinstance(content, dict):
        return []
    own = {key: value for key, value in content.items() if not isinstance(value, dict | list)}
    inner = [value for value in content.values() if isinstance(value, dict)]
    return [*scalars(own), *(scalars(inner[0]) if len(inner) == 1 else ())]
