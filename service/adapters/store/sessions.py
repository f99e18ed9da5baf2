"""Sessions in SQL."""

from datetime import UTC, datetime

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from models.agent_session import AgentSession
from models.kinds import TranscriptFormat
from service.ports import SessionState


def session_state(row: AgentSession) -> SessionState:
    return SessionState(
        session_id=row.id,
        agent_id=row.agent_id,
        generation=row.generation,
        format=TranscriptFormat(row.format),
        next_seq=row.next_seq,
        turn_ended_seq=row.turn_ended_seq,
        window_tokens=row.window_tokens,
        threshold=row.threshold,
        backstop=row.backstop,
        system=row.system,
        parent_session_id=row.parent_session_id,
    )


class SqlSessions:
    def __init__(self, db: Session) -> None:
        self._db = db

    def get(self, session_id: str) -> SessionState | None:
        row = self._db.get(AgentSession, session_id)
        return session_state(row) if row else None

    def lock(self, session_id: str) -> SessionState | None:
        """Row lock on PostgreSQL; on SQLite the write unit already holds the database's one write lock.

        A session that is not there has no row to lock: its id is locked instead, so that of two units that would add
        it the second one finds it.
        """
        row = self._locked(session_id)
        if row is None and self._db.connection().dialect.name == "postgresql":
            self._db.exec(select(func.pg_advisory_xact_lock(func.hashtextextended(session_id, 0))))
            row = self._locked(session_id)
        return session_state(row) if row else None

    def _locked(self, session_id: str) -> AgentSession | None:
        query = select(AgentSession).where(AgentSession.id == session_id).with_for_update()
        return self._db.exec(query.execution_options(populate_existing=True)).first()

    def add(self, session: SessionState) -> None:
        self._db.add(
            AgentSession(
                id=session.session_id,
                agent_id=session.agent_id,
                generation=session.generation,
                format=session.format,
                next_seq=session.next_seq,
                turn_ended_seq=session.turn_ended_seq,
                window_tokens=session.window_tokens,
                threshold=session.threshold,
                backstop=session.backstop,
                system=session.system,
                parent_session_id=session.parent_session_id,
                opened_at=datetime.now(UTC),
            )
        )
        self._db.flush()

    def redeclare(self, session: SessionState) -> None:
        """Store what a host declares anew: window, marks, system prompt."""
        self._db.exec(
            update(AgentSession)
            .where(col(AgentSession.id) == session.session_id)
            .values(
                window_tokens=session.window_tokens,
                threshold=session.threshold,
                backstop=session.backstop,
                system=session.system,
            )
        )

    def end_turn(self, session_id: str, seq: int) -> None:
        self._db.exec(
            update(AgentSession)
            .where(col(AgentSession.id) == session_id, col(AgentSession.turn_ended_seq) < seq)
            .values(turn_ended_seq=seq)
        )

    def latest_generation(self, agent_id: str) -> int:
        query = select(func.max(AgentSession.generation)).where(AgentSession.agent_id == agent_id)
        return self._db.exec(query).one() or 0
