"""Prepare a session's handoff in the background: take the lease, extract, store ledger and draft.

Safe to run twice, at the same time or later: one lease at a time, and every write checks the lease's fence.
"""

from datetime import timedelta

import structlog

from models.kinds import CompactionState
from service.errors import StaleLeaseError
from service.flows.append_records import unknown_session
from service.flows.draft_handoff import Draft, draft_handoff
from service.flows.keep_lease import keep_lease
from service.flows.seal_handoff import seal_handoff, store_draft
from service.flows.session_view import view_session
from service.ports import CompactionStatus, Ports, SessionState

log = structlog.get_logger()


def prepare_handoff(ports: Ports, session_id: str, *, owner: str) -> CompactionState | None:
    """The state it left the compaction in; None when there was nothing to do (another worker has it, it is done)."""
    taken = _take(ports, session_id, owner)
    ports.gauges.crossing_taken(session_id)  # the row remembers it from here on
    if taken is None:
        return None
    with keep_lease(ports, taken):
        try:
            draft = draft_handoff(ports, view_session(ports, session_id))
        except Exception as error:
            log.exception("preparation failed", session_id=session_id, compaction_id=taken.compaction_id)
            return _give_back(ports, taken, f"{type(error).__name__}: {error}")
    try:
        session = _store(ports, taken, draft)
    except StaleLeaseError as error:
        log.info("preparation was overtaken", session_id=session_id, reason=error.message)
        return None
    if not session.turn_open:  # the turn ended while we worked: nobody else will seal it
        return seal_handoff(ports, session_id)[0]
    return CompactionState.PREPARED


def _take(ports: Ports, session_id: str, owner: str) -> CompactionStatus | None:
    now = ports.clock.now()
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id)
        if session is None:
            raise unknown_session(session_id)
        compaction = unit.compactions.request(session, now=now)
        unfinished = compaction.state in (CompactionState.REQUESTED, CompactionState.PREPARING)
        if unfinished and compaction.attempts >= ports.attempts and not _held(compaction, ports):
            unit.compactions.move(
                compaction.compaction_id, CompactionState.FAILED, now=now, error=compaction.error or "no attempts left"
            )
            return None
        until = now + timedelta(seconds=ports.lease_seconds)
        return unit.compactions.take_lease(compaction.compaction_id, owner=owner, now=now, until=until)


def _held(compaction: CompactionStatus, ports: Ports) -> bool:
    return compaction.lease_until is not None and compaction.lease_until >= ports.clock.now()


def _give_back(ports: Ports, taken: CompactionStatus, error: str) -> CompactionState | None:
    target = CompactionState.REQUESTED if taken.attempts < ports.attempts else CompactionState.FAILED
    try:
        with ports.units.write() as unit:
            unit.sessions.lock(taken.session_id)
            unit.compactions.move(
                taken.compaction_id, target, fence=taken.fence, now=ports.clock.now(), error=error[:2_000]
            )
    except StaleLeaseError:
        return None
    return target


def _store(ports: Ports, taken: CompactionStatus, draft: Draft) -> SessionState:
    now = ports.clock.now()
    with ports.units.write() as unit:
        session = unit.sessions.lock(taken.session_id)
        if session is None:
            raise unknown_session(taken.session_id)
        unit.compactions.move(taken.compaction_id, CompactionState.PREPARED, fence=taken.fence, now=now)
        store_draft(unit, ports, session, taken, draft, degraded=draft.degraded, now=now)
        return session
