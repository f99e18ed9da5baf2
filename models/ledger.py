"""Ledger: one version of a session's typed state."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from models.base import Table, UtcDateTime


class Ledger(Table, table=True):
    """`watermark` is the last `seq` the entries cover. `body_sha256` is of the entries' canonical JSON."""

    __tablename__ = "ledger"
    __table_args__ = (UniqueConstraint("session_id", "version"), Index(None, "agent_id", "created_at"))

    id: str = Field(primary_key=True, max_length=40)
    session_id: str = Field(foreign_key="agent_session.id", max_length=200)
    agent_id: str = Field(max_length=200)
    version: int
    watermark: int
    extractor: str = Field(max_length=32)
    entries: int
    body_sha256: str = Field(max_length=64)
    created_at: datetime = Field(sa_type=UtcDateTime)
