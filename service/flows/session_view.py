"""What a handoff is made from, read in one unit: a session, its records, and the ledger they are added to."""

from dataclasses import dataclass, replace

from service.domain.ledger import DeclaredInterrupt, Ledger
from service.domain.transcript import Transcript
from service.flows.append_records import unknown_session
from service.ports import CompactionStatus, Ports, SessionState, StoredHandoff, StoredLedger, Unit


@dataclass(frozen=True, slots=True)
class SessionView:
    """`transcript` begins at `from_seq`, which is a legal cut or the session's first record.

    `ledger` covers what came before; entries carried from earlier generations name their session in their evidence.
    """

    session: SessionState
    compaction: CompactionStatus | None
    handoff: StoredHandoff | None
    ledger: Ledger
    ledger_version: int
    interrupts: tuple[DeclaredInterrupt, ...]
    transcript: Transcript
    from_seq: int


def view_session(ports: Ports, session_id: str) -> SessionView:
    """The session as it stands. With a prepared handoff only the records from its cut on are read."""
    with ports.units.read() as unit:
        session = unit.sessions.get(session_id)
        if session is None:
            raise unknown_session(session_id)
        stored = unit.ledgers.latest(session_id)
        handoff = unit.handoffs.of(session_id)
        from_seq = handoff.cut_seq if handoff is not None else 0
        lines = list(unit.records.read(session_id, from_seq))
        compaction = unit.compactions.of(session_id)
        interrupts = tuple(unit.interrupts.of(session_id))
        ledger = stored.ledger if stored is not None else _carried(unit, session)
    return SessionView(
        session=session,
        compaction=compaction,
        handoff=handoff,
        ledger=ledger,
        ledger_version=stored.version if stored is not None else 0,
        interrupts=interrupts,
        transcript=ports.readers[session.format].read(lines, system=session.system),
        from_seq=from_seq,
    )


def _carried(unit: Unit, session: SessionState) -> Ledger:
    """The ledger of the session whose handoff seeded this one; its evidence now names where it stands."""
    seeded_by = unit.handoffs.taken_by(session.session_id)
    parent = unit.ledgers.of(seeded_by.session_id, seeded_by.ledger_version) if seeded_by is not None else None
    return _renamed(parent) if parent is not None else Ledger()


def _renamed(parent: StoredLedger) -> Ledger:
    def named(session_id: str | None) -> str:
        return parent.session_id if session_id is None else session_id

    entries = tuple(
        replace(
            entry,
            evidence=tuple(replace(piece, session_id=named(piece.session_id)) for piece in entry.evidence),
        )
        for entry in parent.ledger.entries
    )
    return Ledger(entries, watermark=-1)
