"""Whether a value stands in a text, exactly."""

import json


def stands_in(text: str, value: str) -> bool:
    """As a word of its own, not as a piece of a longer one."""
    at = text.find(value)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(value) : at + len(value) + 1]
        inside_left = before.isalnum() and value[0].isalnum()
        inside_right = after.isalnum() and value[-1].isalnum()
        if not inside_left and not inside_right:
            return True
        at = text.find(value, at + 1)
    return False


def escaped(value: str) -> str:
    """The value as it looks inside a JSON string."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def holds(text: str, value: str) -> bool:
    """Byte for byte, or as the value looks inside a JSON string, with or without ASCII escapes."""
    if value in text:
        return True
    inside = escaped(value)
    return (inside != value and inside in text) or (not value.isascii() and json.dumps(value)[1:-1] in text)
