# ruff: noqa: RUF001
"""Prose into whole sentences, each a slice of the text, byte for byte."""

import re
from collections.abc import Iterator

_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bno\.)(?<!\bNo\.)(?<!\b[A-Z]\.)[\"'”’)\]]*\s+"
    r"|(?<=[。！？])[」』”）]*"
    r"|(?<=[؟۔।])\s*"
)
_BULLET = re.compile(r"\s*(?:[-*•·–]|\d{1,2}[.)])\s+")
_LIST_INTRODUCTION = 400
"""Characters that a sentence ending in a colon may reach with the list it introduces."""


def sentences(text: str) -> Iterator[str]:
    """Line by line; a line that ends in a colon brings the list below it."""
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        parts = _split(line)
        yield from parts[:-1]
        if not parts:
            continue
        last = parts[-1]
        if last.endswith((":", "：")):
            last, index = _with_list(last, lines, index)
        yield last


def _split(line: str) -> list[str]:
    parts = []
    start = 0
    for match in _END.finditer(line):
        candidate = line[start : match.start()] + match[0].rstrip()
        if _BULLET.fullmatch(candidate.strip() + " "):
            continue  # "2. Do not ..." is one sentence
        parts.append(candidate.strip())
        start = match.end()
    parts.append(line[start:].strip())
    return [part for part in parts if part]


def _with_list(introduction: str, lines: list[str], index: int) -> tuple[str, int]:
    whole = introduction
    end = index
    while end < len(lines):
        line = lines[end]
        if line.strip() and not _BULLET.match(line):
            break
        if len(whole) + len(line) + 1 > _LIST_INTRODUCTION:
            break
        whole += "\n" + line
        end += 1
    if not whole[len(introduction) :].strip():
        return introduction, index
    return whole.rstrip(), end
