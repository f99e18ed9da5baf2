"""From the spool to the service: one chunk at a time, and what each refusal means."""

import json
import threading
from typing import Any

from carryforward_client import entries
from carryforward_client.api import SessionApi
from carryforward_client.chunk import Chunk
from carryforward_client.entries import Entry
from carryforward_client.http import Answer, UnreachableError
from carryforward_client.spool import Spool
from carryforward_client.types import Problem

CHUNK_ENTRIES = 500
CHUNK_BYTES = 4 << 20
REQUEST_SECONDS = 15.0  # for one request of up to CHUNK_BYTES, in the background
_REPAIRS_IN_A_ROW = 4


class Delivery:
    """Ships one session's spool, in order. Meant to be driven by one thread at a time.

    Records are sent with our number plus `shift` (see `state.State`). Sending something twice is always safe; what
    is refused for good is set aside in the spool's rejected file, so that nothing is lost and nothing loops.
    """

    def __init__(self, spool: Spool, api: SessionApi) -> None:
        self._spool = spool
        self._api = api
        self._entries_at_most = CHUNK_ENTRIES
        self._stored_any = False  # the service took a new record from this process
        self._repairs = 0  # since a chunk was last taken
        self._seconds = REQUEST_SECONDS
        self._awaited: dict[str, Answer | None] = {}
        self._awaited_lock = threading.Lock()

    def ship_next(self, seconds: float = REQUEST_SECONDS) -> bool:
        """One step; False when there is nothing to ship, or someone else is at it. `seconds` bound each request.

        Raises UnreachableError when it is worth a try later, OSError when the spool cannot be read.
        """
        self._seconds = seconds
        with self._spool.shipping() as held:
            if not held:
                return False
            chunk = self._spool.next_chunk(self._entries_at_most, CHUNK_BYTES)
            if chunk is None:
                return False
            if not chunk.entries:
                self._spool.done(chunk, shift=self._spool.shift)
                return True
            try:
                if not self._api.opened:
                    self._open()
                self._ship(chunk)
            except UnreachableError:
                self._api.opened = False  # who knows what it remembers when it is back
                raise
            return True

    def expect(self, answer_id: str) -> None:
        """Keep the answer to this interrupt or turn end, for `take_answer`."""
        with self._awaited_lock:
            self._awaited[answer_id] = None

    def take_answer(self, answer_id: str) -> Answer | None:
        """None where it has not come (or another process shipped the entry)."""
        with self._awaited_lock:
            return self._awaited.pop(answer_id, None)

    def after_fork(self) -> None:
        self._awaited_lock = threading.Lock()
        self._awaited.clear()

    def _ship(self, chunk: Chunk) -> None:
        answer, shift = self._send(chunk)
        if answer.ok:
            self._spool.done(chunk, shift=shift)
            self._repairs = 0
            self._entries_at_most = min(CHUNK_ENTRIES, self._entries_at_most * 2)
        elif answer.code == "not_found":
            self._repair_or_give_up(answer)
            self._open()  # the service lost or reset its data
            self._send_from(self._api.next_seq)
        elif answer.code == "records_missing":
            self._repair_or_give_up(answer)
            self._send_from(_whole(answer.body.get("next_seq"), self._api.next_seq))
        elif answer.code == "record_conflict" and chunk.records:
            self._resolve_conflict(chunk, answer)
        elif _is_refusal(chunk, answer):
            self._halve_or_set_aside(chunk, answer)
        else:
            raise UnreachableError(answer.problem)  # no access, say: it is kept until someone has looked

    def _send(self, chunk: Chunk) -> tuple[Answer, int]:
        """The answer that decides, and the shift that holds behind the chunk if it was taken."""
        shift = self._spool.shift
        first = chunk.entries[0]
        if first.kind in entries.BARRIERS:
            return self._send_barrier(first), shift
        answer = Answer(200)
        events = [_event(entry, shift) for entry in chunk.entries if entry.kind == entries.USAGE]
        if events:
            answer = self._api.report(events, self._seconds)
        records = chunk.records
        if not records or not answer.ok:
            return answer, shift
        # Last, since what it answers moves the shift: no part of a chunk is sent again under another number.
        first_seq = max(0, records[0].seq + shift)
        answer = self._api.append(first_seq, [record.payload for record in records], self._seconds)
        if answer.ok:
            self._stored_any = self._stored_any or _whole(answer.body.get("stored"), 0) > 0
            # Records the session already had under their uuid took no number.
            end = first_seq + len(records)
            shift = min(shift, shift + _whole(answer.body.get("next_seq"), end) - end)
        return answer, shift

    def _send_barrier(self, entry: Entry) -> Answer:
        details = json.loads(entry.payload)
        if entry.kind == entries.TURN_END:
            answer = self._api.end_turn(self._seconds)
        else:
            answer = self._api.declare(details, self._seconds)
        with self._awaited_lock:
            answer_id = details.get("interrupt_id") or details.get("turn_id")
            if answer.ok and answer_id in self._awaited:
                self._awaited[answer_id] = answer
        return answer

    def _open(self) -> None:
        answer = self._api.open(self._seconds)
        if not answer.ok:
            # Another agent's session, say. A person must look; until then everything stays in the spool.
            raise UnreachableError(answer.problem)

    def _repair_or_give_up(self, answer: Answer) -> None:
        self._repairs += 1
        if self._repairs > _REPAIRS_IN_A_ROW:
            self._repairs = 0
            raise UnreachableError(answer.problem)

    def _send_from(self, next_seq: int) -> None:
        """Ship again from the service's `next_seq` on. What the spool no longer has is a gap that gets no number."""
        spool = self._spool
        spool.rewind(next_seq - spool.shift if next_seq else 0)
        records = self._next_records()
        missing = records[0].seq + spool.shift - next_seq if records else 0
        if missing > 0 or (missing and not next_seq):
            spool.set_shift(next_seq - records[0].seq)
        if missing > 0:
            message = f"the service misses {missing} records before its seq {next_seq} that are no longer in the spool"
            spool.report(Problem("records_missing", message, "Records behind them get numbers without a gap."))

    def _next_records(self) -> tuple[Entry, ...]:
        chunk = self._spool.next_chunk(self._entries_at_most, CHUNK_BYTES)
        return chunk.records if chunk else ()

    def _resolve_conflict(self, chunk: Chunk, answer: Answer) -> None:
        """Other bytes are stored at one of these numbers."""
        spool, records = self._spool, chunk.records
        first_seq = records[0].seq + spool.shift
        conflict = _whole(answer.body.get("seq"), -1) - first_seq
        if 0 < conflict < len(records):
            self._entries_at_most = chunk.entries.index(records[conflict])  # what is before it may pass
        elif len(chunk.entries) > 1:
            self._entries_at_most = 1 if conflict == 0 else len(chunk.entries) // 2
        elif not self._stored_any and self._api.next_seq > first_seq:
            # The session had records this spool knows nothing of: we began to count too low.
            self._repair_or_give_up(answer)
            spool.set_shift(self._api.next_seq - records[0].seq)
            message = f"the session already held {self._api.next_seq} records; ours go behind them"
            spool.report(Problem("record_conflict", message, "Keep the spool_dir between restarts."))
        else:
            self._set_aside(chunk, answer, shift=spool.shift)

    def _halve_or_set_aside(self, chunk: Chunk, answer: Answer) -> None:
        """Too large, or something in it is invalid: find it by halves."""
        if len(chunk.entries) > 1:
            self._entries_at_most = len(chunk.entries) // 2
            return
        # A record that was not stored leaves its number to the next one.
        self._set_aside(chunk, answer, shift=self._spool.shift - len(chunk.records))

    def _set_aside(self, chunk: Chunk, answer: Answer, *, shift: int) -> None:
        entry = chunk.entries[0]
        self._spool.set_aside(entry.payload, answer.problem, kind=entry.kind, seq=entry.seq)
        self._spool.done(chunk, shift=shift)
        self._repairs = 0


def _is_refusal(chunk: Chunk, answer: Answer) -> bool:
    """Whether it is about what was sent, and will be the same every time."""
    if chunk.entries[0].kind in entries.BARRIERS:
        return answer.status in (400, 409, 413, 422)
    return answer.status in (400, 413, 422)


def _event(entry: Entry, shift: int) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(entry.payload)
    return {**event, "seq": max(0, event["seq"] + shift)}


def _whole(value: object, otherwise: int) -> int:
    return value if type(value) is int else otherwise
