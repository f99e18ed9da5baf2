"""Talks to a Carryforward service from an agent host. Standard library only."""

from carryforward_client.aio import AsyncCarryforward
from carryforward_client.client import Carryforward
from carryforward_client.interrupts import Interrupting
from carryforward_client.types import INTERRUPT_CAUSES, Handoff, Pending, Problem, TurnEnd, Verdict

__all__ = [
    "INTERRUPT_CAUSES",
    "AsyncCarryforward",
    "Carryforward",
    "Handoff",
    "Interrupting",
    "Pending",
    "Problem",
    "TurnEnd",
    "Verdict",
]
