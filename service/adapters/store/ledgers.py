"""Ledgers and their entries in SQL."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from models.entry import Entry as EntryRow
from models.ids import new_id
from models.kinds import EntryKind, Who
from models.ledger import Ledger as LedgerRow
from service.domain.ledger import Entry, Evidence, Ledger
from service.ports import SessionState, StoredLedger


class SqlLedgers:
    def __init__(self, db: Session) -> None:
        self._db = db

    def latest(self, session_id: str) -> StoredLedger | None:
        query = select(LedgerRow).where(LedgerRow.session_id == session_id).order_by(col(LedgerRow.version).desc())
        row = self._db.exec(query.limit(1)).first()
        return self._stored(row) if row else None

    def get(self, ledger_id: str) -> StoredLedger | None:
        row = self._db.get(LedgerRow, ledger_id)
        return self._stored(row) if row else None

    def of(self, session_id: str, version: int) -> StoredLedger | None:
        query = select(LedgerRow).where(LedgerRow.session_id == session_id, LedgerRow.version == version)
        row = self._db.exec(query).first()
        return self._stored(row) if row else None

    def add(self, session: SessionState, ledger: Ledger, *, extractor: str, now: datetime) -> StoredLedger:
        version = self._db.exec(
            select(func.max(LedgerRow.version)).where(LedgerRow.session_id == session.session_id)
        ).one()
        bodies = [_body(entry) for entry in ledger.entries]
        row = LedgerRow(
            id=new_id("l"),
            session_id=session.session_id,
            agent_id=session.agent_id,
            version=(version or 0) + 1,
            watermark=ledger.watermark,
            extractor=extractor,
            entries=len(bodies),
            body_sha256=hashlib.sha256(orjson.dumps(bodies, option=orjson.OPT_SORT_KEYS)).hexdigest(),
            created_at=now,
        )
        self._db.add(row)
        self._db.flush()
        if bodies:
            owner = {"ledger_id": row.id, "session_id": session.session_id, "agent_id": session.agent_id}
            rows = [owner | {"position": position} | body for position, body in enumerate(bodies)]
            self._db.connection().execute(insert(EntryRow.__table__), rows)  # type: ignore[attr-defined]
        return _stored(row, ledger.entries)

    def find(self, *, session_id: str | None, agent_id: str | None, limit: int) -> Sequence[StoredLedger]:
        """Newest first, without their entries."""
        query = select(LedgerRow)
        if session_id is not None:
            query = query.where(LedgerRow.session_id == session_id)
        if agent_id is not None:
            query = query.where(LedgerRow.agent_id == agent_id)
        query = query.order_by(col(LedgerRow.created_at).desc(), col(LedgerRow.version).desc())
        return [_stored(row, ()) for row in self._db.exec(query.limit(limit))]

    def current_entries(
        self, *, session_id: str | None, agent_id: str | None, kind: str | None, value: str | None, limit: int
    ) -> Sequence[tuple[str, Entry]]:
        """Entries of each session's newest ledger, with their session's id."""
        newest = (
            select(LedgerRow.session_id, func.max(LedgerRow.version).label("version"))
            .group_by(col(LedgerRow.session_id))
            .subquery()
        )
        query = (
            select(EntryRow)
            .join(LedgerRow, col(LedgerRow.id) == EntryRow.ledger_id)
            .join(newest, (newest.c.session_id == LedgerRow.session_id) & (newest.c.version == col(LedgerRow.version)))
        )
        wanted = {"session_id": session_id, "agent_id": agent_id, "kind": kind, "value": value}
        for name, wish in wanted.items():
            if wish is not None:
                query = query.where(getattr(EntryRow, name) == wish)
        query = query.order_by(col(LedgerRow.created_at).desc(), col(EntryRow.ledger_id), col(EntryRow.position))
        return [(row.session_id, _entry(row)) for row in self._db.exec(query.limit(limit))]

    def _stored(self, row: LedgerRow) -> StoredLedger:
        query = select(EntryRow).where(EntryRow.ledger_id == row.id).order_by(col(EntryRow.position))
        return _stored(row, tuple(_entry(entry) for entry in self._db.exec(query)))


def _stored(row: LedgerRow, entries: tuple[Entry, ...]) -> StoredLedger:
    return StoredLedger(
        ledger_id=row.id,
        session_id=row.session_id,
        agent_id=row.agent_id,
        version=row.version,
        extractor=row.extractor,
        ledger=Ledger(entries, row.watermark),
        created_at=row.created_at,
        entry_count=row.entries,
    )


def _body(entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "kind": entry.kind.value,
        "value": entry.value,
        "detail": entry.detail,
        "who": entry.who.value if entry.who else None,
        "status": entry.status,
        "salience": entry.salience,
        "evidence": [
            {"session_id": piece.session_id, "seq": piece.seq, "quote": piece.quote} for piece in entry.evidence
        ],
    }


def _entry(row: EntryRow) -> Entry:
    return Entry(
        kind=EntryKind(row.kind),
        value=row.value,
        evidence=tuple(Evidence(**piece) for piece in row.evidence),  # type: ignore[arg-type]
        detail=row.detail,
        who=Who(row.who) if row.who else None,
        status=row.status,
        salience=row.salience,
    )
