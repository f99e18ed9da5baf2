"""Handoffs in SQL."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from sqlalchemy import update
from sqlmodel import Session, col, select

from models.handoff import Handoff
from models.kinds import DegradedReason
from service.ports import StoredHandoff


class SqlHandoffs:
    def __init__(self, db: Session) -> None:
        self._db = db

    def of(self, session_id: str) -> StoredHandoff | None:
        row = self._db.exec(select(Handoff).where(Handoff.session_id == session_id)).first()
        return _stored(row) if row else None

    def get(self, handoff_id: str) -> StoredHandoff | None:
        row = self._db.get(Handoff, handoff_id)
        return _stored(row) if row else None

    def taken_by(self, session_id: str) -> StoredHandoff | None:
        """The handoff that seeded this session."""
        row = self._db.exec(select(Handoff).where(Handoff.claimed_by == session_id)).first()
        return _stored(row) if row else None

    def put(self, handoff: StoredHandoff) -> None:
        values = asdict(handoff)
        values["id"] = values.pop("handoff_id")
        values["degraded"] = [str(reason) for reason in handoff.degraded]
        values["created_at"] = handoff.created_at or datetime.now(UTC)
        row = self._db.get(Handoff, handoff.handoff_id)
        if row is None:
            self._db.add(Handoff(**values))
        else:
            for name, value in values.items():
                setattr(row, name, value)
            self._db.add(row)
        self._db.flush()

    def claim(self, handoff_id: str, *, claimed_by: str, now: datetime) -> bool:
        claimed = self._db.exec(
            update(Handoff)
            .where(col(Handoff.id) == handoff_id, col(Handoff.claimed_by).is_(None))
            .values(claimed_by=claimed_by, claimed_at=now)
        )
        return claimed.rowcount == 1

    def find(self, *, session_id: str | None, agent_id: str | None, limit: int) -> Sequence[StoredHandoff]:
        """Newest first."""
        query = select(Handoff)
        if session_id is not None:
            query = query.where(Handoff.session_id == session_id)
        if agent_id is not None:
            query = query.where(Handoff.agent_id == agent_id)
        query = query.order_by(col(Handoff.created_at).desc(), col(Handoff.id))
        return [_stored(row) for row in self._db.exec(query.limit(limit))]


def _stored(row: Handoff) -> StoredHandoff:
    values = row.model_dump()
    values["handoff_id"] = values.pop("id")
    values["degraded"] = tuple(DegradedReason(reason) for reason in row.degraded)
    return StoredHandoff(**values)
