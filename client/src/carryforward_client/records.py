"""From what a host has at hand to the one line that is stored."""

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

Record = bytes | str | Mapping[str, Any]


def to_lines(records: Record | Iterable[Record]) -> list[bytes]:
    """One line of bytes a record, without its newline. Blank lines are no records and are left out.

    A single record is taken as a list of one: iterating over it would be its characters, or its keys.
    Raises TypeError for anything else than bytes, str and mappings, ValueError for two lines in one.
    """
    if isinstance(records, (bytes, bytearray, str, Mapping)):
        records = [records]
    lines = [to_line(record) for record in records]
    return [line for line in lines if line.strip()]


def to_line(record: Record) -> bytes:
    """Bytes and text stay as they are; a mapping is dumped compact, non-ASCII kept."""
    if isinstance(record, (bytes, bytearray)):
        line = bytes(record)
    elif isinstance(record, str):
        line = _encode(record)
    elif isinstance(record, Mapping):
        line = to_json(dict(record))
    else:
        raise TypeError(f"a record is bytes, str or a mapping, not {type(record).__name__}")
    line = line.removesuffix(b"\n")
    if b"\n" in line:
        raise ValueError("a record is one line; append several lines as several records")
    return line


def to_json(value: object) -> bytes:
    """Compact JSON as UTF-8. Raises TypeError for what JSON has no form for."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # Half a surrogate pair: only an escape can carry it.
        return json.dumps(value, separators=(",", ":")).encode()


def _encode(text: str) -> bytes:
    for errors in ("strict", "surrogateescape"):  # the second gives back what a tolerant read had put in
        with contextlib.suppress(UnicodeEncodeError):
            return text.encode("utf-8", errors)
    return text.encode("utf-8", "replace")
