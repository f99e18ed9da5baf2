"""Interrupt: a cut the host declared before it acted, with its cause."""

from datetime import datetime

from sqlmodel import Field

from models.base import JsonColumn, Table, UtcDateTime


class Interrupt(Table, table=True):
    """`after_seq` is the last stored position when it was declared: records at or before it are never relabelled."""

    __tablename__ = "interrupt"

    id: str = Field(primary_key=True, max_length=200)
    session_id: str = Field(foreign_key="agent_session.id", index=True, max_length=200)
    cause: str = Field(max_length=16)
    tool_use_ids: list[str] = Field(sa_type=JsonColumn)
    after_seq: int
    declared_at: datetime = Field(sa_type=UtcDateTime)
