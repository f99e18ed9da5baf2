"""Transcripts in SQL: lines in zstd segments, one index row a line."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import zstandard
from sqlalchemy import insert, update
from sqlmodel import Session, col, select

from models.agent_session import AgentSession
from models.record import Record
from models.segment import Segment
from service.errors import RecordConflictError, RecordsMissingError
from service.ports import AppendOutcome, NewLine, SessionState

SEGMENT_BYTES = 64 * 1024
"""Unpacked size a segment is closed at: one record is read back by unpacking this much."""

QUERY_CHUNK = 500

_Placed = tuple[int, NewLine, str]


class SqlRecords:
    def __init__(self, db: Session) -> None:
        self._db = db

    def append(self, session: SessionState, lines: Sequence[NewLine], first_seq: int | None) -> AppendOutcome:
        """Store what is new. The caller holds the session's lock."""
        next_seq = session.next_seq
        if first_seq is not None and first_seq > next_seq:
            raise RecordsMissingError(
                f"the batch begins at seq {first_seq}, the next free one is {next_seq}", details={"next_seq": next_seq}
            )
        placed = self._place(session.session_id, lines, first_seq, next_seq)
        if first_seq is None:
            next_seq += len(placed)
        else:
            next_seq = max(next_seq, first_seq + len(lines))
        for run in _segments(placed):
            self._store(session.session_id, run)
        if next_seq != session.next_seq:
            self._db.exec(
                update(AgentSession).where(col(AgentSession.id) == session.session_id).values(next_seq=next_seq)
            )
        return AppendOutcome(stored=len(placed), duplicates=len(lines) - len(placed), next_seq=next_seq)

    def read(self, session_id: str, from_seq: int, to_seq: int | None = None) -> Iterator[tuple[int, bytes]]:
        query = select(Record.seq, Record.segment_id, Record.position).where(
            Record.session_id == session_id, Record.seq >= from_seq
        )
        if to_seq is not None:
            query = query.where(Record.seq <= to_seq)
        unpacked: tuple[int, list[bytes]] | None = None
        for seq, segment_id, position in self._db.exec(query.order_by(col(Record.seq))).all():
            if unpacked is None or unpacked[0] != segment_id:
                unpacked = (segment_id, self._unpack(segment_id))
            yield seq, unpacked[1][position]

    def _place(self, session_id: str, lines: Sequence[NewLine], first_seq: int | None, next_seq: int) -> list[_Placed]:
        """The new lines with their positions and digests; raises where a stored record would be rewritten."""
        at_seq = self._digests_at(session_id, first_seq, len(lines)) if first_seq is not None else {}
        known = self._known(session_id, [line.uuid for line in lines if line.uuid])
        placed: list[_Placed] = []
        for offset, line in enumerate(lines):
            digest = hashlib.blake2b(line.data, digest_size=16).hexdigest()
            seq = next_seq + len(placed) if first_seq is None else first_seq + offset
            repeated = line.uuid is not None and (line.uuid, digest) in known
            if seq < next_seq:
                if at_seq.get(seq) != digest and not repeated:
                    raise RecordConflictError(
                        f"another record is stored at seq {seq}", details={"seq": seq, "next_seq": next_seq}
                    )
            elif not repeated:
                placed.append((seq, line, digest))
                if line.uuid is not None:
                    known.add((line.uuid, digest))
        return placed

    def _digests_at(self, session_id: str, first_seq: int, count: int) -> dict[int, str]:
        query = select(Record.seq, Record.digest).where(
            Record.session_id == session_id, Record.seq >= first_seq, Record.seq < first_seq + count
        )
        return dict(self._db.exec(query).all())

    def _known(self, session_id: str, uuids: Sequence[str]) -> set[tuple[str, str]]:
        known: set[tuple[str, str]] = set()
        for start in range(0, len(uuids), QUERY_CHUNK):
            query = select(Record.uuid, Record.digest).where(
                Record.session_id == session_id, col(Record.uuid).in_(uuids[start : start + QUERY_CHUNK])
            )
            known.update((uuid, digest) for uuid, digest in self._db.exec(query) if uuid is not None)
        return known

    def _store(self, session_id: str, run: Sequence[_Placed]) -> None:
        raw = b"".join(line.data + b"\n" for _, line, _ in run)
        segment = Segment(
            session_id=session_id,
            first_seq=run[0][0],
            last_seq=run[-1][0],
            lines=len(run),
            raw_bytes=len(raw),
            data=zstandard.ZstdCompressor(level=3).compress(raw),
            stored_at=datetime.now(UTC),
        )
        self._db.add(segment)
        self._db.flush()
        rows = [
            {
                "session_id": session_id,
                "seq": seq,
                "uuid": line.uuid,
                "digest": digest,
                "segment_id": segment.id,
                "position": position,
            }
            for position, (seq, line, digest) in enumerate(run)
        ]
        self._db.connection().execute(insert(Record.__table__), rows)  # type: ignore[attr-defined]

    def _unpack(self, segment_id: int) -> list[bytes]:
        data = self._db.exec(select(Segment.data).where(Segment.id == segment_id)).one()
        return zstandard.ZstdDecompressor().decompress(data).split(b"\n")[:-1]


def _segments(placed: Iterable[_Placed]) -> Iterator[list[_Placed]]:
    """Runs of lines of about SEGMENT_BYTES; a larger line is a segment of its own."""
    run: list[_Placed] = []
    size = 0
    for item in placed:
        if run and size + len(item[1].data) > SEGMENT_BYTES:
            yield run
            run, size = [], 0
        run.append(item)
        size += len(item[1].data) + 1
    if run:
        yield run
