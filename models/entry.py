"""Entry: one line of a ledger, with the evidence that proves it."""

from sqlalchemy import Index
from sqlmodel import Field

from models.base import JsonColumn, Table


class Entry(Table, table=True):
    """`key` is the entry's identity over versions and generations; `position` its place in the ledger.

    `evidence` is a list of {"session_id", "seq", "quote"}; `seq` -1 is the system prompt.
    """

    __tablename__ = "entry"
    __table_args__ = (Index(None, "agent_id", "kind"), Index(None, "session_id", "kind"))

    ledger_id: str = Field(primary_key=True, foreign_key="ledger.id", max_length=40)
    position: int = Field(primary_key=True)
    key: str = Field(max_length=24, index=True)
    session_id: str = Field(max_length=200)
    agent_id: str = Field(max_length=200)
    kind: str = Field(max_length=24)
    value: str
    detail: str
    who: str | None = Field(default=None, max_length=16)
    status: str = Field(max_length=32)
    salience: float
    evidence: list[dict[str, object]] = Field(sa_type=JsonColumn)
