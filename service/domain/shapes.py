"""What names of things look like in running text, and how telling a value's shape is."""

import re
from collections.abc import Iterator

_GLUED = r"(?<![^\W\u2e80-\u9fff\uac00-\ud7af])"
"""Not right after a letter, unless of a script that leaves no spaces between words."""

_BINARY_CHARS = 8
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")

_TOKEN = re.compile(
    rf"""
    (?P<url>  https?://(?=\w)[^\s<>"'`)\]}}|\\]+ )
  | (?P<mail> {_GLUED}[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+ )
  | (?P<path> (?<![\w/.:~*])(?:~|\.{{1,2}})?/[\w.@%+-]+(?:/[\w.@%+-]*)+ | \b[A-Za-z]:\\[^\s"'<>|*?]+
            | {_GLUED}(?<![/.:~*%])(?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_-]+\.[A-Za-z][A-Za-z0-9]{{1,5}}(?![A-Za-z0-9_]) )
  | (?P<file> {_GLUED}(?<![/.:~*%-])[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*\.[A-Za-z][A-Za-z0-9]{{1,4}}
            (?![\w*(]) )
  | (?P<code> `[^`\n]{{2,120}}` )
  | (?P<sum>  {_GLUED}(?<![%*~/.,])[$€£¥]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\w,]) )
  | (?P<word> {_GLUED}(?<![%*~/])[#$€£¥]?[A-Za-z0-9_](?:[A-Za-z0-9_\-.:/#+]*[A-Za-z0-9_%])?(?![A-Za-z0-9_*]) )
    """,
    re.VERBOSE,
)
_CAPITALS = re.compile(r"[A-Z]{5,12}")
_PLAIN = re.compile(
    r"""
    [$€£¥]?\d{1,3}(?:,\d{3})*(?:\.\d+)?%?          # amounts, counts, shares
  | \d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)? | \d{1,2}[/.]\d{1,2}[/.]\d{2,4}     # dates
  | \d{1,2}:\d{2}(?::\d{2})?(?:\+\d)?(?:[AaPp][Mm])?                            # times
  | \d+(?:\.\d+)?-?[A-Za-z]{1,6}                                                # measures: 64GB, 10-inch, 2nd, 9am
    """,
    re.VERBOSE,
)
_TRAILING = ".,;:!?-/#+"


def named_in(text: str, *, capitals: bool = False) -> Iterator[str]:
    """Values in prose that look like names of things: URLs, addresses, paths, codes, numbers, `quoted terms`.

    `capitals` also takes words in capitals (IFOYYZ), unless all of the text is.
    """
    if len(_BINARY.findall(text)) > _BINARY_CHARS:
        return
    capitals = capitals and not text.isupper()
    for match in _TOKEN.finditer(text):
        value = match[0].strip("`").rstrip(_TRAILING if match.lastgroup == "word" else ".,;:!?")
        if match.lastgroup != "word":
            if 3 <= len(value) <= 200:
                yield value
        elif any("0" <= char <= "9" for char in value):
            if 3 <= len(value) <= 120 and (len(value) >= 4 or not value.isdigit()):
                yield value
        elif capitals and _CAPITALS.fullmatch(value):
            yield value


def telling(value: str) -> float:
    """How surely the value names one thing, 0 to 1: a date, an amount or a measure hardly does."""
    if _PLAIN.fullmatch(value):
        return 0.0
    if "@" in value or "/" in value:
        return 1.0
    if not any("0" <= char <= "9" for char in value):
        return 0.5
    return 0.4 if " " in value else 1.0
