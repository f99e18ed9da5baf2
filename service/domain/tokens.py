"""Estimated tokens of a text, without a tokenizer."""

import re

_CHARS_PER_TOKEN = 4
"""Latin prose and code, about; measured figures lie between 3.5 and 4.5."""

_DENSE = re.compile(
    r"["
    r"\u0e00-\u0eff"  # Thai, Lao
    r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\uac00-\ud7af"  # Hangul, kana
    r"\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"  # Han and its punctuation
    r"\U0001f000-\U0001faff\U00020000-\U0003ffff"  # emoji, rare Han
    r"]"
)
"""Scripts in which one character is about one token; four of them to a token is off by a factor of four."""

_MIDDLING = re.compile(r"[\u0370-\u0dff\u0f00-\u10ff]")
"""Scripts in between: Greek, Cyrillic, Arabic, Hebrew, Devanagari and their neighbours, about two a token."""


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` costs in a window. 0 for an empty text, never less than 1 otherwise."""
    if not text:
        return 0
    if text.isascii():
        return max(1, round(len(text) / _CHARS_PER_TOKEN))
    dense = len(_DENSE.findall(text))
    middling = len(_MIDDLING.findall(text))
    return max(1, round(dense + middling / 2 + (len(text) - dense - middling) / _CHARS_PER_TOKEN))
