"""The spool's lines: how one entry is written, and how it is read back from what a crash left.

    r 57 0badcafe {"type":"user",...}
    | |  |        payload: for a record its own bytes, else JSON
    | |  CRC-32 of everything else
    | seq of the record; for an event the seq the next record will get
    kind

A torn or damaged line is recognised by its checksum, set aside, and costs no other line anything.
"""

import re
import zlib
from dataclasses import dataclass

RECORD, USAGE, INTERRUPT, TURN_END = "r", "u", "i", "t"
# What these two mean is what was before them: they are shipped alone, and nothing overtakes them.
BARRIERS = (INTERRUPT, TURN_END)

_LINE = re.compile(rb"([ruit]) (\d{1,18}) ([0-9a-f]{8}) (.*)", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    kind: str
    seq: int
    payload: bytes


@dataclass(frozen=True)
class Damaged:
    """A line that is no entry."""

    line: bytes


def encode(entry: Entry) -> bytes:
    return b"%s %d %08x %s\n" % (entry.kind.encode(), entry.seq, _checksum(entry), entry.payload)


def decode(line: bytes) -> Entry | Damaged:
    match = _LINE.fullmatch(line)
    if match is None:
        return Damaged(line)
    entry = Entry(match[1].decode(), int(match[2]), match[4])
    return entry if _checksum(entry) == int(match[3], 16) else Damaged(line)


def _checksum(entry: Entry) -> int:
    return zlib.crc32(entry.payload, zlib.crc32(b"%s %d " % (entry.kind.encode(), entry.seq)))
