"""Where entries wait when the disk cannot be written: memory, bounded."""

from collections import deque
from collections.abc import Sequence

from carryforward_client.entries import Entry

MEMORY_BYTES = 64 << 20


class Overflow:
    """Entries in order. `first` and `end` count all that ever were here, so that a place keeps its number."""

    def __init__(self) -> None:
        self.first = 0
        self._entries: deque[Entry] = deque()
        self._bytes = 0

    @property
    def end(self) -> int:
        return self.first + len(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    def add(self, entries: Sequence[Entry]) -> bool:
        """False where they do not fit: the newest are refused, so what is kept stays a whole beginning."""
        size = sum(len(entry.payload) for entry in entries)
        if self._bytes + size > MEMORY_BYTES:
            return False
        self._entries.extend(entries)
        self._bytes += size
        return True

    def drop(self, *, before: int) -> None:
        while self._entries and self.first < before:
            self._bytes -= len(self._entries.popleft().payload)
            self.first += 1
