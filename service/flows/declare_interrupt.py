"""Store an interrupt that the host is about to issue, with its cause."""

from models.kinds import InterruptCause
from service.domain.ledger import DeclaredInterrupt
from service.flows.append_records import unknown_session
from service.ports import Ports


def declare_interrupt(
    ports: Ports, session_id: str, interrupt_id: str, cause: InterruptCause, tool_use_ids: tuple[str, ...]
) -> DeclaredInterrupt:
    """Idempotent by `interrupt_id`. What is stored already when it is declared can never be relabelled by it."""
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id)
        if session is None:
            raise unknown_session(session_id)
        declared = DeclaredInterrupt(cause=cause, tool_use_ids=tool_use_ids, after_seq=session.last_seq)
        return unit.interrupts.declare(interrupt_id, session_id, declared)
