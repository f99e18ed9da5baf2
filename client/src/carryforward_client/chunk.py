"""What is shipped together."""

from dataclasses import dataclass

from carryforward_client.entries import BARRIERS, RECORD, Entry
from carryforward_client.journal import Position


@dataclass(frozen=True)
class Chunk:
    """Entries to ship together: either records in a row and usage events, or one interrupt or turn end alone.

    `end` is where the next chunk begins, in the journal or in the overflow.
    """

    entries: tuple[Entry, ...]
    end: Position | int
    damaged: tuple[bytes, ...] = ()

    @property
    def records(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.kind == RECORD)


class ChunkInMaking:
    def __init__(self, entries_at_most: int, bytes_at_most: int) -> None:
        self.entries: list[Entry] = []
        self._entries_at_most = entries_at_most
        self._bytes_left = bytes_at_most
        self._next_seq: int | None = None

    def take(self, entry: Entry) -> bool:
        """False where the entry belongs into the next chunk."""
        if self.entries and not self._fits(entry):
            return False
        self.entries.append(entry)
        self._bytes_left -= len(entry.payload)
        if entry.kind == RECORD:
            self._next_seq = entry.seq + 1
        return True

    def _fits(self, entry: Entry) -> bool:
        in_a_row = entry.kind != RECORD or self._next_seq in (None, entry.seq)
        alone = entry.kind in BARRIERS or self.entries[-1].kind in BARRIERS
        room = len(self.entries) < self._entries_at_most and len(entry.payload) <= self._bytes_left
        return in_a_row and not alone and room
