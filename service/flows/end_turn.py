"""A turn has ended: seal the session's handoff if one is prepared."""

from dataclasses import dataclass

from models.kinds import CompactionState, DegradedReason
from service.flows.append_records import unknown_session
from service.flows.seal_handoff import seal_handoff
from service.ports import Ports


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """`handoff_id` None: not drafted yet."""

    state: CompactionState
    handoff_id: str | None
    degraded: tuple[DegradedReason, ...] = ()


def end_turn(ports: Ports, session_id: str) -> TurnEnd | None:
    """None when the session needs no handoff. One that is still being prepared is sealed by its worker, or by claim."""
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id)
        if session is None:
            raise unknown_session(session_id)
        unit.sessions.end_turn(session_id, session.last_seq)
        compaction = unit.compactions.of(session_id)
    if compaction is None:
        return None
    if compaction.state not in (CompactionState.PREPARED, CompactionState.SEALED, CompactionState.CLAIMED):
        return TurnEnd(compaction.state, None)
    state, handoff = seal_handoff(ports, session_id)
    return TurnEnd(state, handoff.handoff_id, handoff.degraded)
