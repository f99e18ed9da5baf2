"""Claim a handoff: seed and kept tail to one fresh session only, which becomes the agent's next generation."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import structlog

from models.kinds import CompactionState, DegradedReason
from service.domain.tail import open_calls
from service.errors import AlreadyClaimedError, CarryforwardError, NothingToHandOffError
from service.flows.append_records import unknown_session
from service.flows.open_session import NewSession, add_session, marks_of
from service.flows.seal_handoff import seal_handoff
from service.ports import Ports, SessionState, StoredHandoff

log = structlog.get_logger()

TRIES = 5
READY = (CompactionState.PREPARED, CompactionState.SEALED, CompactionState.CLAIMED)


@dataclass(frozen=True, slots=True)
class ClaimedHandoff:
    """`tail` is the kept records' (seq, line) word for word; `next_generation` is the fresh session's."""

    handoff: StoredHandoff
    tail: tuple[tuple[int, bytes], ...]
    next_generation: int


def request_handoff(ports: Ports, session_id: str) -> bool:
    """Whether the session's handoff is prepared; if nobody has asked for one yet, ask now."""
    with ports.units.read() as unit:
        session = unit.sessions.get(session_id)
        if session is None:
            raise unknown_session(session_id)
        compaction = unit.compactions.of(session_id)
    if compaction is not None:
        return compaction.state in READY or compaction.state is CompactionState.FAILED
    if session.next_seq == 0:
        return True  # nothing to prepare: let the claim say so
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id) or session
        unit.compactions.request(session, now=ports.clock.now())
    try:
        ports.dispatcher.prepare(session_id)
    except CarryforwardError as error:  # the sweep sends it again; the claim makes its own if that is too late
        log.warning("preparation not dispatched", session_id=session_id, reason=error.message)
    return False


def claim_handoff(ports: Ports, session_id: str, claimed_by: str) -> ClaimedHandoff:
    """Seal what there is and give it to `claimed_by`, never waiting. The same claimer gets the same answer again.

    NotFoundError, NothingToHandOffError (no records), AlreadyClaimedError (by another session).
    """
    if session_id == claimed_by:
        raise AlreadyClaimedError(
            f"{session_id} is the session that ends; it cannot seed itself",
            hint="claimed_by is the fresh session's id.",
            details={"claimed_by": claimed_by},
        )
    for _ in range(TRIES):
        state = _seal(ports, session_id, claimed_by)
        if state is None:
            continue
        claimed = _claim(ports, session_id, claimed_by)
        if claimed is not None:
            return claimed
    raise AlreadyClaimedError(f"the handoff of {session_id} keeps changing", hint="Stop appending, then claim again.")


def _seal(ports: Ports, session_id: str, claimed_by: str) -> CompactionState | None:
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id)
        if session is None:
            raise unknown_session(session_id)
        if session.next_seq == 0:
            raise NothingToHandOffError(f"session {session_id} holds no records")
        _check_claimer(session, unit.handoffs.taken_by(claimed_by), claimed_by)
        unit.compactions.request(session, now=ports.clock.now())
    return seal_handoff(ports, session_id)[0]


def _check_claimer(session: SessionState, taken: StoredHandoff | None, claimed_by: str) -> None:
    if taken is not None and taken.session_id != session.session_id:
        raise AlreadyClaimedError(
            f"session {claimed_by} was already seeded by the handoff of {taken.session_id}",
            hint="Claim with a new session id.",
            details={"claimed_by": claimed_by},
        )


def _claim(ports: Ports, session_id: str, claimed_by: str) -> ClaimedHandoff | None:
    """None when records came between the seal and now."""
    now = ports.clock.now()
    fresh = None
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id)
        handoff = unit.handoffs.of(session_id)
        if session is None or handoff is None:
            return None
        if handoff.claimed_by is None:
            if handoff.tail_last_seq != session.last_seq:
                return None
            if not unit.handoffs.claim(handoff.handoff_id, claimed_by=claimed_by, now=now):
                return None
            unit.compactions.move(handoff.compaction_id, CompactionState.CLAIMED, now=now)
            tail, degraded = _tail(ports, session, handoff, unit.records.read(session_id, handoff.cut_seq))
            handoff = replace(handoff, claimed_by=claimed_by, claimed_at=now, degraded=degraded)
            unit.handoffs.put(handoff)
            fresh = unit.sessions.lock(claimed_by) or add_session(unit, ports, _next_session(session, claimed_by))
        elif handoff.claimed_by != claimed_by:
            raise AlreadyClaimedError(
                f"the handoff of {session_id} was claimed by {handoff.claimed_by}",
                details={"claimed_by": handoff.claimed_by},
            )
        else:
            lines = unit.records.read(session_id, handoff.cut_seq, handoff.tail_last_seq)
            tail, _ = _tail(ports, session, handoff, lines)
            fresh = unit.sessions.get(claimed_by)
    if fresh is None:
        return None
    try:
        ports.gauges.declare(marks_of(fresh))
    except CarryforwardError as error:  # its host opens it too, and that declares it again
        log.warning("marks not declared", session_id=claimed_by, reason=error.message)
    return ClaimedHandoff(handoff, tail, fresh.generation)


def _next_session(session: SessionState, claimed_by: str) -> NewSession:
    """The fresh session inherits what was declared for the one before; its host may declare anew."""
    return NewSession(
        session_id=claimed_by,
        agent_id=session.agent_id,
        format=session.format,
        window_tokens=session.window_tokens,
        threshold=session.threshold,
        backstop=session.backstop,
        system=session.system,
        parent_session_id=session.session_id,
    )


def _tail(
    ports: Ports, session: SessionState, handoff: StoredHandoff, lines: Iterable[tuple[int, bytes]]
) -> tuple[tuple[tuple[int, bytes], ...], tuple[DegradedReason, ...]]:
    """The stored lines after the cut that belong to the conversation, and what degrades the handoff."""
    stored = dict(lines)
    transcript = ports.readers[session.format].read(stored.items(), system=session.system)
    tail = tuple((record.seq, stored[record.seq]) for record in transcript.records)
    degraded = handoff.degraded
    if session.turn_open and open_calls(transcript.records) and DegradedReason.TURN_OPEN not in degraded:
        degraded = (*degraded, DegradedReason.TURN_OPEN)
    return tail, degraded
