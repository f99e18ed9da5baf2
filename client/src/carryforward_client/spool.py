"""One session's entries on disk, from before they are sent until the service has them.

    <spool_dir>/<session>/session.json      how to open the session at the service
                          00000001.journal  entries, append-only, in segments
                          state.json        how far they were shipped
                          rejected.ndjson   what the service refused for good, with the reason
                          append.lock  ship.lock

Several processes may append (one at a time, a moment each) and ship (one at a time). Whatever a killed process left is
shipped by the next one. Entries reach the operating system before `append` returns: a killed process loses nothing, a
power cut may lose the last moments. Where the disk cannot be written, entries wait in memory.
"""

import base64
import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from carryforward_client import files, state
from carryforward_client.chunk import Chunk, ChunkInMaking
from carryforward_client.entries import RECORD, Damaged, Entry, encode
from carryforward_client.journal import Journal, Position
from carryforward_client.overflow import Overflow
from carryforward_client.state import State
from carryforward_client.types import Pending, Problem

_NOWHERE = Position(0, 0)
_LOCK_SECONDS = 1.0  # a live holder needs milliseconds; a stopped one must not stop us


class Mark(NamedTuple):
    """The end of an append: in the journal, and in the count of entries that had to be kept in memory."""

    position: Position
    overflow: int


class Spool:
    """Thread-safe. `next_chunk` and what changes the state are for the holder of `shipping()`."""

    def __init__(
        self, root: Path, session_id: str, description: Mapping[str, object], report: Callable[[Problem], None]
    ) -> None:
        self.directory = root / files.safe_name(session_id)
        self.rejected_path = self.directory / "rejected.ndjson"
        self._description = json.dumps(description).encode()
        self.report = report
        self._lock = threading.RLock()
        self._append_lock = files.FileLock(self.directory / "append.lock")
        self._ship_lock = files.FileLock(self.directory / "ship.lock")
        self._journal = Journal(self.directory)
        self._overflow = Overflow()
        self._moved = Mark(_NOWHERE, 0)  # how much of the overflow went to disk after all, and where it ended
        self._state_path = self.directory / "state.json"
        self._state = State()
        self._state_saved = True
        self._end: Position | None = None  # behind the last whole line this process has seen
        self._next_seq = 0
        self._described = False
        self.refresh()

    # Appending

    def append(self, items: Sequence[tuple[str, bytes]]) -> tuple[range, Mark]:
        """Keep entries of (kind, payload). The range is the records' `seq`; empty where nothing could be kept."""
        with self._lock:
            try:
                return self._append_to_disk(items)
            except OSError as error:
                hint = f"Entries wait in memory. Make {self.directory.parent} writable, or set another spool_dir."
                self.report(Problem("spool_unwritable", f"the spool cannot be written: {error}", hint))
            numbered = self._number(items)
            if not self._overflow.add(numbered):
                message = f"{len(numbered)} entries are lost: the disk cannot be written and memory is full"
                self.report(Problem("spool_full", message, f"Make {self.directory.parent} writable."))
                numbered = ()
            return self._count(numbered), Mark(_NOWHERE, self._overflow.end)

    def _append_to_disk(self, items: Sequence[tuple[str, bytes]]) -> tuple[range, Mark]:
        with self._appending():
            end = self._look()
            waiting = self._overflow.entries()
            numbered = self._number(items)
            self._end = end = self._journal.append(end, b"".join(map(encode, waiting + numbered)))
            if waiting:
                self._overflow.drop(before=self._overflow.end)
                self._moved = Mark(end, self._overflow.end)
            return self._count(numbered), Mark(end, 0)

    @contextlib.contextmanager
    def _appending(self) -> Iterator[None]:
        if not self._described or not files.is_directory(self.directory):
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write_whole(self.directory / "session.json", self._description)
            self._described = True
        if not self._append_lock.acquire(_LOCK_SECONDS):
            raise TimeoutError("another process holds its lock")
        try:
            yield
        finally:
            self._append_lock.release()

    def _number(self, items: Sequence[tuple[str, bytes]]) -> tuple[Entry, ...]:
        seq, numbered = self._next_seq, []
        for kind, payload in items:
            numbered.append(Entry(kind, seq, payload))
            seq += kind == RECORD
        return tuple(numbered)

    def _count(self, numbered: Sequence[Entry]) -> range:
        first = self._next_seq
        self._next_seq += sum(entry.kind == RECORD for entry in numbered)
        return range(first, self._next_seq)

    # Looking

    @property
    def next_seq(self) -> int:
        """Our number of the next record."""
        return self._next_seq

    @property
    def shift(self) -> int:
        return self._state.shift

    def refresh(self) -> None:
        """Learn what other processes have appended and shipped. Never raises."""
        with self._lock, contextlib.suppress(OSError):
            self._load()
            self._look()

    def mark(self) -> Mark:
        """The present end."""
        self.refresh()
        with self._lock:
            return Mark(self._end or _NOWHERE, self._overflow.end)

    def passed(self, mark: Mark) -> bool:
        """Whether everything up to the mark was shipped or set aside."""
        with self._lock:
            self._load()
            reached = self._state.position
            if mark.overflow <= self._moved.overflow:
                return reached >= mark.position and (not mark.overflow or reached >= self._moved.position)
            return reached >= mark.position and self._overflow.first >= mark.overflow

    def pending(self) -> Pending:
        """Counts what waits, on disk and in memory. Never raises."""
        self.refresh()
        waiting = list(self._overflow.entries())
        with contextlib.suppress(OSError):
            waiting.extend(found for found, _ in self._journal.read(self._state.position) if isinstance(found, Entry))
        records = sum(entry.kind == RECORD for entry in waiting)
        return Pending(records, len(waiting) - records, sum(len(entry.payload) for entry in waiting))

    def _look(self) -> Position:
        """Read on from where this process last looked; where to append. Raises OSError."""
        if self._end is not None and self._journal.is_end(self._end):
            return self._end
        self._load()
        self._next_seq = max(self._next_seq, self._state.seq)
        end = self._end or self._state.position
        for found, behind in self._journal.read(end):
            end = behind
            if isinstance(found, Entry) and found.kind == RECORD:
                self._next_seq = max(self._next_seq, found.seq + 1)
        self._end = end
        return end

    def _load(self) -> None:
        if self._state_saved:
            self._state = state.load(self._state_path) or self._first_state()

    def _first_state(self) -> State:
        """Nothing known of what was shipped: everything that is there."""
        try:
            for found, behind in self._journal.read(_NOWHERE):
                if isinstance(found, Entry) and found.kind == RECORD:
                    return State(segment=behind.segment, seq=found.seq)
        except OSError:
            pass
        return State()

    # Shipping

    @contextlib.contextmanager
    def shipping(self) -> Iterator[bool]:
        """True for the one that may ship now. False is no error: someone else is at it."""
        locked = False
        try:
            held = locked = self._ship_lock.acquire(0)
        except OSError:  # no directory: what there may be is in memory, and ours alone
            held = True
        try:
            if held:
                self.refresh()
            yield held
        finally:
            if locked:
                self._ship_lock.release()

    def next_chunk(self, entries_at_most: int, bytes_at_most: int) -> Chunk | None:
        """What to ship next, at least one entry however large; None when everything was. Raises OSError.

        No entries: there is only something to step over.
        """
        chunk = ChunkInMaking(entries_at_most, bytes_at_most)
        damaged: list[bytes] = []
        end = self._state.position
        if files.is_directory(self.directory):
            for found, behind in self._journal.read(end):
                if isinstance(found, Damaged):
                    damaged.append(found.line)
                elif found is not None and not chunk.take(found):
                    break
                end = behind
        if end != self._state.position:
            return Chunk(tuple(chunk.entries), end, tuple(damaged))
        with self._lock:
            first, waiting = self._overflow.first, self._overflow.entries()
        for entry in waiting:
            if not chunk.take(entry):
                break
        return Chunk(tuple(chunk.entries), first + len(chunk.entries)) if chunk.entries else None

    def done(self, chunk: Chunk, *, shift: int) -> None:
        """The chunk was taken by the service or set aside: forget it, and remove what that leaves behind."""
        for line in chunk.damaged:
            self.set_aside(line, Problem("spool_corrupt", "a line of the spool is damaged"))
        with self._lock:
            if isinstance(chunk.end, int):
                self._overflow.drop(before=chunk.end)
                self._save(replace(self._state, shift=shift))
                return
            records = chunk.records
            seq = records[-1].seq + 1 if records else self._state.seq
            self._save(State(*chunk.end, seq=seq, shift=shift))
            if self._state_saved:
                with contextlib.suppress(OSError):
                    self._journal.remove_segments(before=chunk.end.segment)

    def set_shift(self, shift: int) -> None:
        """Kept before anything is sent by it, so that a crash in between does not number the same records twice."""
        with self._lock:
            self._save(replace(self._state, shift=shift))

    def rewind(self, seq: int) -> None:
        """Ship again from a record of ours on, or from the oldest behind it that is still here. Raises OSError."""
        before = _NOWHERE
        for found, behind in self._journal.read(before):
            if behind > self._state.position:
                return
            if isinstance(found, Entry) and found.kind == RECORD and found.seq >= seq:
                with self._lock:
                    self._save(State(*before, seq=found.seq, shift=self._state.shift))
                return
            before = behind

    def set_aside(self, payload: bytes, problem: Problem, *, kind: str = "", seq: int | None = None) -> None:
        """Keep what cannot be shipped in `rejected.ndjson`, with the reason. Never raises."""
        row: dict[str, object] = {"code": problem.code, "message": problem.message, "kind": kind, "seq": seq}
        try:
            row["line"] = payload.decode()
        except UnicodeDecodeError:
            row["line_base64"] = base64.b64encode(payload).decode()
        self.report(problem)
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.append_line(self.rejected_path, json.dumps(row).encode())
        except OSError as error:
            self.report(Problem("spool_unwritable", f"what was refused could not be set aside: {error}"))

    def tidy(self) -> None:
        """Remove what has been shipped, if all has. Never raises."""
        with self._lock, contextlib.suppress(OSError), self.shipping() as held:
            if not held or not files.is_directory(self.directory):
                return
            with self._appending():
                end = self._look()
                if not end.offset or self._state.position < end:
                    return
                # In this order a crash leaves, at every point, a place to read from and to append to.
                self._end = self._journal.begin_segment(end.segment + 1)
                self._save(State(*self._end, seq=self._next_seq, shift=self._state.shift))
                if self._state_saved:
                    self._journal.remove_segments(before=self._end.segment)

    def _save(self, new: State) -> None:
        self._state = new
        self._state_saved = False
        if files.is_directory(self.directory):
            try:
                state.save(self._state_path, new)
                self._state_saved = True
            except OSError as error:
                # This process knows; after a crash some entries go twice, and the service knows those.
                self.report(Problem("spool_unwritable", f"the spool's state cannot be written: {error}"))

    def after_fork(self) -> None:
        """What the parent keeps in memory is the parent's to ship, and its locks are its own."""
        self._lock = threading.RLock()
        self._append_lock.after_fork()
        self._ship_lock.after_fork()
        self._overflow = Overflow()
        self._moved = Mark(_NOWHERE, 0)
        self._end = None
        self.refresh()
