"""Compaction: the attempt to prepare one session's handoff."""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from models.base import Table, UtcDateTime


class Compaction(Table, table=True):
    """One a session: a session is one generation. States and transitions: `service.domain.states`.

    A worker holds the lease until `lease_until` and renews it while it works. Every lease taken raises `fence`; a write
    that carries an older fence is refused, so a worker that was only believed dead cannot overwrite anything.
    """

    __tablename__ = "compaction"
    __table_args__ = (Index(None, "state", "lease_until"),)

    id: str = Field(primary_key=True, max_length=40)
    session_id: str = Field(foreign_key="agent_session.id", unique=True, max_length=200)
    agent_id: str = Field(index=True, max_length=200)
    generation: int
    state: str = Field(max_length=16)
    fence: int = 0
    attempts: int = 0
    lease_owner: str | None = Field(default=None, max_length=200)
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    error: str | None = None
    requested_at: datetime = Field(sa_type=UtcDateTime)
    changed_at: datetime = Field(sa_type=UtcDateTime)
