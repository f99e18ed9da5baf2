"""Compactions in SQL: states, leases and fences."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, or_, update
from sqlmodel import Session, col, select

from models.compaction import Compaction
from models.ids import new_id
from models.kinds import CompactionState
from service.domain.states import allowed
from service.errors import FinalError, StaleLeaseError
from service.ports import CompactionStatus, SessionState


def compaction_status(row: Compaction) -> CompactionStatus:
    return CompactionStatus(
        compaction_id=row.id,
        session_id=row.session_id,
        agent_id=row.agent_id,
        generation=row.generation,
        state=CompactionState(row.state),
        fence=row.fence,
        attempts=row.attempts,
        lease_until=row.lease_until,
        error=row.error,
    )


class SqlCompactions:
    def __init__(self, db: Session) -> None:
        self._db = db

    def of(self, session_id: str) -> CompactionStatus | None:
        row = self._db.exec(select(Compaction).where(Compaction.session_id == session_id)).first()
        return compaction_status(row) if row else None

    def request(self, session: SessionState, *, now: datetime) -> CompactionStatus:
        found = self.of(session.session_id)
        if found is not None:
            return found
        row = Compaction(
            id=new_id("c"),
            session_id=session.session_id,
            agent_id=session.agent_id,
            generation=session.generation,
            state=CompactionState.REQUESTED,
            requested_at=now,
            changed_at=now,
        )
        self._db.add(row)
        self._db.flush()
        return compaction_status(row)

    def take_lease(self, compaction_id: str, *, owner: str, now: datetime, until: datetime) -> CompactionStatus | None:
        free = or_(
            col(Compaction.state) == CompactionState.REQUESTED,
            and_(col(Compaction.state) == CompactionState.PREPARING, col(Compaction.lease_until) < now),
        )
        taken = self._db.exec(
            update(Compaction)
            .where(col(Compaction.id) == compaction_id, free)
            .values(
                state=CompactionState.PREPARING,
                fence=col(Compaction.fence) + 1,
                attempts=col(Compaction.attempts) + 1,
                lease_owner=owner,
                lease_until=until,
                changed_at=now,
            )
        )
        return compaction_status(self._row(compaction_id)) if taken.rowcount == 1 else None

    def renew_lease(self, compaction_id: str, *, fence: int, until: datetime) -> bool:
        renewed = self._db.exec(
            update(Compaction)
            .where(
                col(Compaction.id) == compaction_id,
                col(Compaction.fence) == fence,
                col(Compaction.state) == CompactionState.PREPARING,
            )
            .values(lease_until=until)
        )
        return renewed.rowcount == 1

    def move(
        self,
        compaction_id: str,
        target: CompactionState,
        *,
        fence: int | None = None,
        now: datetime,
        error: str | None = None,
    ) -> None:
        row = self._row(compaction_id)
        current = CompactionState(row.state)
        if fence is not None and (row.fence != fence or current is not CompactionState.PREPARING):
            raise StaleLeaseError(f"compaction {compaction_id} is {current} at fence {row.fence}, not {fence}")
        if not allowed(current, target):
            raise FinalError(f"compaction {compaction_id} cannot go from {current} to {target}")
        moved = self._db.exec(
            update(Compaction)
            .where(
                col(Compaction.id) == compaction_id,
                col(Compaction.state) == current,
                col(Compaction.fence) == row.fence,
            )
            .values(
                state=target,
                error=error,
                lease_owner=None,
                lease_until=None,
                changed_at=now,
            )
        )
        if moved.rowcount != 1:
            raise StaleLeaseError(f"compaction {compaction_id} was changed by another process")

    def due(self, *, now: datetime, requested_before: datetime, limit: int) -> Sequence[str]:
        waiting = or_(
            and_(
                col(Compaction.state) == CompactionState.REQUESTED,
                col(Compaction.changed_at) < requested_before,
            ),
            and_(col(Compaction.state) == CompactionState.PREPARING, col(Compaction.lease_until) < now),
        )
        query = select(Compaction.session_id).where(waiting).order_by(col(Compaction.changed_at)).limit(limit)
        return list(self._db.exec(query))

    def _row(self, compaction_id: str) -> Compaction:
        query = select(Compaction).where(Compaction.id == compaction_id)
        return self._db.exec(query.execution_options(populate_existing=True)).one()
