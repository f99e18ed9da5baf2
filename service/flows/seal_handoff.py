"""Seal a handoff: the draft brought up to the session's last record. No model call, no waiting."""

from datetime import datetime

from models.ids import new_id
from models.kinds import CompactionState, DegradedReason
from service.errors import NotFoundError
from service.flows.append_records import unknown_session
from service.flows.draft_handoff import Draft, plainest_draft
from service.flows.session_view import SessionView, view_session
from service.ports import CompactionStatus, Ports, SessionState, StoredHandoff, Unit

TRIES = 5
"""Drafts made outside the lock before one is made to fit by waiting for the writers: records may keep coming."""

_WHY_PLAIN = {
    CompactionState.REQUESTED: DegradedReason.NOT_PREPARED,
    CompactionState.PREPARING: DegradedReason.NOT_PREPARED,
    CompactionState.FAILED: DegradedReason.PREPARATION_FAILED,
}


def seal_handoff(ports: Ports, session_id: str) -> tuple[CompactionState, StoredHandoff]:
    """Seal what there is, whatever state the preparation is in. Sealing again is right, and free when nothing came."""
    for attempt in range(TRIES):
        view = view_session(ports, session_id)
        if view.compaction is None:
            raise NotFoundError(f"session {session_id} has no compaction to seal")
        if view.handoff is not None and _is_current(view.compaction, view.handoff, view.session):
            return view.compaction.state, view.handoff
        draft = plainest_draft(ports, view)
        sealed = _store(ports, view, view.compaction, draft, last_try=attempt == TRIES - 1)
        if sealed is not None:
            return CompactionState.SEALED, sealed
    raise AssertionError("the last try stores or raises")  # pragma: no cover


def store_draft(
    unit: Unit,
    ports: Ports,
    session: SessionState,
    compaction: CompactionStatus,
    draft: Draft,
    *,
    degraded: tuple[DegradedReason, ...],
    now: datetime,
) -> StoredHandoff:
    """Store the draft's ledger, if it says more than the newest, and the handoff in place of the one before."""
    known = unit.ledgers.latest(session.session_id)
    if known is None or known.ledger != draft.ledger:
        known = unit.ledgers.add(session, draft.ledger, extractor=ports.extractor.name, now=now)
    before = unit.handoffs.of(session.session_id)
    handoff = StoredHandoff(
        handoff_id=before.handoff_id if before is not None else new_id("h"),
        compaction_id=compaction.compaction_id,
        session_id=session.session_id,
        agent_id=session.agent_id,
        generation=session.generation,
        ledger_version=known.version,
        covers_through=draft.ledger.watermark,
        seed=draft.seed,
        cut_seq=draft.cut_seq,
        tail_last_seq=draft.tail_last_seq,
        degraded=degraded,
        created_at=before.created_at if before is not None else now,
    )
    unit.handoffs.put(handoff)
    return handoff


def _is_current(compaction: CompactionStatus, handoff: StoredHandoff, session: SessionState) -> bool:
    done = compaction.state in (CompactionState.SEALED, CompactionState.CLAIMED)
    return done and (handoff.tail_last_seq == session.last_seq or compaction.state is CompactionState.CLAIMED)


def _store(
    ports: Ports, view: SessionView, compaction: CompactionStatus, draft: Draft, *, last_try: bool
) -> StoredHandoff | None:
    """None when the session moved on while the draft was made."""
    now = ports.clock.now()
    with ports.units.write() as unit:
        session = unit.sessions.lock(view.session.session_id)
        if session is None:
            raise unknown_session(view.session.session_id)
        current = unit.compactions.of(session.session_id)
        moved_on = session.next_seq != view.session.next_seq and not last_try
        if current is None or current.state is not compaction.state or current.fence != compaction.fence or moved_on:
            return None
        unit.compactions.move(current.compaction_id, CompactionState.SEALED, now=now)
        before = view.handoff.degraded if view.handoff is not None else ()
        why = _WHY_PLAIN.get(current.state)
        degraded = tuple(dict.fromkeys((*before, *((why,) if why else ()), *draft.degraded)))
        return store_draft(unit, ports, session, current, draft, degraded=degraded, now=now)
