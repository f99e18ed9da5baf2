"""Segment: a run of a transcript's lines, compressed together, byte-exact."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from models.base import Table, UtcDateTime


class Segment(Table, table=True):
    """`data` is one zstd frame of `lines` lines, each followed by a newline. `raw_bytes` is its size unpacked.

    Line i of a segment is the record whose `Record.position` is i.
    """

    __tablename__ = "segment"
    __table_args__ = (Index(None, "session_id", "first_seq"),)

    id: int | None = Field(default=None, primary_key=True)
    session_id: str = Field(foreign_key="agent_session.id", max_length=200)
    first_seq: int
    last_seq: int
    lines: int
    raw_bytes: int
    data: bytes = Field(sa_type=LargeBinary)
    stored_at: datetime = Field(sa_type=UtcDateTime)
