"""AgentSession: one context window's life. (Plain `Session` is SQLModel's.)"""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from models.base import Table, UtcDateTime


class AgentSession(Table, table=True):
    """`generation` counts an agent's sessions from 1; `parent_session_id` is the one whose handoff seeded this one.

    `next_seq` is the position the next record gets; `turn_ended_seq` the last position when the host last said that a
    turn had ended (-1: never). `window_tokens`, `threshold` and `backstop` are what the host declared.
    """

    __tablename__ = "agent_session"
    __table_args__ = (Index(None, "agent_id", "generation"),)

    id: str = Field(primary_key=True, max_length=200)
    agent_id: str = Field(max_length=200)
    generation: int
    format: str = Field(max_length=32)
    next_seq: int = 0
    turn_ended_seq: int = -1
    window_tokens: int | None = None
    threshold: float
    backstop: float
    system: str | None = None
    parent_session_id: str | None = Field(default=None, max_length=200)
    opened_at: datetime = Field(sa_type=UtcDateTime)
