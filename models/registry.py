"""Imports every table, so that the metadata is whole wherever this module is imported."""

from models.agent_session import AgentSession
from models.base import metadata
from models.compaction import Compaction
from models.entry import Entry
from models.handoff import Handoff
from models.interrupt import Interrupt
from models.ledger import Ledger
from models.reading import Reading
from models.record import Record
from models.segment import Segment

__all__ = [
    "AgentSession",
    "Compaction",
    "Entry",
    "Handoff",
    "Interrupt",
    "Ledger",
    "Reading",
    "Record",
    "Segment",
    "metadata",
]
