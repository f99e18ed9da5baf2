"""A session's entries on disk: append-only, in numbered segments, so that what was shipped can be removed."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from carryforward_client.entries import Damaged, Entry, decode

SEGMENT_BYTES = 4 << 20
_SUFFIX = ".journal"


class Position(NamedTuple):
    """A place in the journal: a segment's number and a byte offset in it."""

    segment: int
    offset: int


class Journal:
    """Keeps nothing but its directory: other processes write here too. Every method raises OSError."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def segments(self) -> list[int]:
        """Oldest first; none where the directory does not exist."""
        try:
            names = os.listdir(self._directory)  # noqa: PTH208 (on the hot path)
        except FileNotFoundError:
            return []
        stems = (name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
        return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())

    def read(self, start: Position) -> Iterator[tuple[Entry | Damaged | None, Position]]:
        """What is there from a place on, each with the place behind it. None: the step into the next segment.

        In the newest segment a last line without its newline may be on its way and is not given; in an older one it
        is what a crash left.
        """
        numbers = [number for number in self.segments() if number >= start.segment]
        for number in numbers:
            offset = 0
            if number == start.segment:
                offset = start.offset
            else:
                yield None, Position(number, 0)
            with self._path(number).open("rb") as file:
                file.seek(offset)
                for line in file:
                    if not line.endswith(b"\n") and number == numbers[-1]:
                        return
                    offset += len(line)
                    yield decode(line.removesuffix(b"\n")), Position(number, offset)

    def is_end(self, place: Position) -> bool:
        """Whether nothing was written behind this place."""
        numbers = self.segments()
        return bool(numbers) and numbers[-1] == place.segment and self._size(place.segment) == place.offset

    def append(self, end: Position, data: bytes) -> Position:
        """Write whole lines at the end, whole or not at all; the new end. For the holder of the append lock.

        `end` is the place behind the last whole line. Where the segment's size says otherwise, a crash left half a
        line: that is left to its reader, and a new segment begun.
        """
        number = end.segment
        size = self._size(number)
        if size != end.offset or size >= SEGMENT_BYTES:
            number += 1
            size = self._size(number)
        fd = os.open(self._path(number), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            written = 0
            while written < len(data):
                written += os.write(fd, data[written:])
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, size)
            raise
        finally:
            os.close(fd)
        return Position(number, size + len(data))

    def begin_segment(self, number: int) -> Position:
        self._path(number).touch(mode=0o600)
        return Position(number, 0)

    def remove_segments(self, *, before: int) -> None:
        for number in self.segments():
            if number < before:
                self._path(number).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self._directory / f"{number:08d}{_SUFFIX}"

    def _size(self, number: int) -> int:
        try:
            return self._path(number).stat().st_size
        except FileNotFoundError:
            return 0
