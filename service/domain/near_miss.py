"""Values that are almost there: an id with a digit wrong is worse than an id that is missing."""

import re
from collections.abc import Iterable

_TOKEN = re.compile(r"[^\s\"'`,;()\[\]{}<>=\\]+")
_LOOKED_AT = 200_000
"""Characters of texts searched: this runs for refused entries only, and must stay cheap."""


def near_miss(value: str, texts: Iterable[str]) -> str | None:
    """A word of the texts that differs from `value` by one character (two neighbours swapped count as one), or None."""
    if not 4 <= len(value) <= 200 or any(char.isspace() for char in value):
        return None
    room = _LOOKED_AT
    for text in texts:
        for token in _TOKEN.finditer(text[:room]):
            word = token[0].strip(".,;:!?")
            if abs(len(word) - len(value)) <= 1 and word != value and _one_off(word, value):
                return word
        room -= min(room, len(text))
    return None


def _one_off(left: str, right: str) -> bool:
    if len(left) > len(right):
        left, right = right, left
    start = next((i for i, char in enumerate(left) if char != right[i]), len(left))
    if len(left) < len(right):
        return left[start:] == right[start + 1 :]
    if left[start + 1 :] == right[start + 1 :]:
        return True
    return left[start : start + 2] == right[start : start + 2][::-1] and left[start + 2 :] == right[start + 2 :]
