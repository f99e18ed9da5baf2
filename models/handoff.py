"""Handoff: the seed, where the kept tail begins and ends, and the session that took both."""

from datetime import datetime

from sqlmodel import Field

from models.base import JsonColumn, Table, UtcDateTime


class Handoff(Table, table=True):
    """Its state is its compaction's. `cut_seq` is the first kept `seq`, `tail_last_seq` the last (below it: no tail).

    `degraded` lists why it is plainer than it could have been.
    """

    __tablename__ = "handoff"

    id: str = Field(primary_key=True, max_length=40)
    compaction_id: str = Field(foreign_key="compaction.id", unique=True, max_length=40)
    session_id: str = Field(foreign_key="agent_session.id", index=True, max_length=200)
    agent_id: str = Field(index=True, max_length=200)
    generation: int
    ledger_version: int
    covers_through: int
    seed: str
    cut_seq: int
    tail_last_seq: int
    degraded: list[str] = Field(sa_type=JsonColumn)
    claimed_by: str | None = Field(default=None, unique=True, max_length=200)
    claimed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
