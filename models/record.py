"""Record: where one line of a transcript is kept, and what makes it the same line when it is sent again."""

from sqlalchemy import Index
from sqlmodel import Field

from models.base import Table


class Record(Table, table=True):
    """`digest` is BLAKE2b-128 of the line's bytes, hex; `uuid` the record's own id, where its format has one."""

    __tablename__ = "record"
    __table_args__ = (Index(None, "session_id", "uuid"),)

    session_id: str = Field(primary_key=True, foreign_key="agent_session.id", max_length=200)
    seq: int = Field(primary_key=True)
    uuid: str | None = Field(default=None, max_length=200)
    digest: str = Field(max_length=32)
    segment_id: int = Field(foreign_key="segment.id")
    position: int
