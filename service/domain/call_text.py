"""A call in one line: its name and the argument values that matter, each word for word.

    cancel_pending_order #W2378156 reason="no longer needed"

Values that explain themselves stand alone; others with their field. A long value gives way to its beginning.
"""

import json
import re
from collections.abc import Iterator

from service.domain.fields import is_id_field
from service.domain.occurrence import escaped
from service.domain.transcript import ToolUse

LONG = 160
"""Characters from which on a value is shortened to its first words, at least 60 characters of them."""
_TOTAL = 1_400
"""Characters a line may reach; arguments are left out from there on, never cut inside."""
_SELF_EXPLAINING = re.compile(r"^(?=.*[\d@/])(?![\d.,-]{1,7}$)\S{4,}$")


def call_text(use: ToolUse) -> str:
    parts = [use.name]
    size = len(use.name)
    for field, value in leaves_of(use):
        part = _part(field, value)
        if size + len(part) + 1 > _TOTAL:
            parts.append("…")
            break
        parts.append(part)
        size += len(part) + 1
    return " ".join(parts)


def leaves_of(use: ToolUse) -> Iterator[tuple[str, str]]:
    """(field, value) of every scalar argument in document order; numbers exactly as written."""
    try:
        arguments = json.loads(use.input_json, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return iter(())
    return scalars(arguments)


def scalars(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    """(nearest field, text) of every scalar of a JSON value but null and empty strings."""
    stack: list[tuple[str, object]] = [(field, value)]
    while stack:
        field, item = stack.pop()
        if isinstance(item, dict):
            stack.extend((str(key), inner) for key, inner in reversed(item.items()))
        elif isinstance(item, list):
            stack.extend((field, inner) for inner in reversed(item))
        elif isinstance(item, bool):
            yield field, "true" if item else "false"
        elif item is not None and item != "":
            yield field, str(item)


def shortened(value: str) -> str:
    """The value in one line, or its first words."""
    if len(value) > LONG:
        start = value[: LONG // 2]
        words = re.sub(r"\w+\Z", "", start).rstrip()
        value = (words if len(words) >= 60 else start) + " …"
    return escaped(value)


def _part(field: str, value: str) -> str:
    text = shortened(value)
    if _SELF_EXPLAINING.match(text) or (is_id_field(field) and re.fullmatch(r"\S{4,}", text)):
        return text
    return f"{field}={text}" if " " not in text else f'{field}="{text}"'
