"""Reading: one usage event as it was accepted, with the verdict it was given."""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from models.base import Table, UtcDateTime


class Reading(Table, table=True):
    """Tokens are whole numbers, `share` is a ratio. A session need not be known for its readings to be kept."""

    __tablename__ = "reading"
    __table_args__ = (Index(None, "session_id", "seq"), Index(None, "agent_id", "at"))

    session_id: str = Field(primary_key=True, max_length=200)
    event_id: str = Field(primary_key=True, max_length=200)
    agent_id: str = Field(max_length=200)
    seq: int
    gauge_tokens: int | None = None
    input_tokens: int
    cache_read_input_tokens: int
    cache_creation_input_tokens: int
    output_tokens: int
    used_tokens: int
    window_tokens: int
    share: float
    verdict: str = Field(max_length=16)
    at: datetime = Field(sa_type=UtcDateTime)
