"""Draft a handoff: bring the ledger up to date, choose where the kept tail begins, render the seed. No I/O."""

from dataclasses import dataclass

import structlog

from models.kinds import DegradedReason
from service.domain.handoff import render_seed
from service.domain.ledger import ExtractionInput, Ledger
from service.domain.skips import unreadable_lines
from service.domain.tail import longest_tail
from service.domain.transcript import Transcript
from service.flows.extract_ledger import extract_ledger
from service.flows.session_view import SessionView
from service.ports import Ports

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Draft:
    """`cut_seq` is the first kept `seq`. `ledger` covers every record before it."""

    ledger: Ledger
    seed: str
    cut_seq: int
    tail_last_seq: int
    degraded: tuple[DegradedReason, ...]


def draft_handoff(ports: Ports, view: SessionView) -> Draft:
    """Raises what the extractor raises."""
    return _draft(ports, view, _extract(ports, view), ())


def plainest_draft(ports: Ports, view: SessionView) -> Draft:
    """Like `draft_handoff`, but with the ledger as it was where extraction fails: a host is never left without."""
    try:
        return draft_handoff(ports, view)
    except Exception:
        log.exception("extraction failed; handing off without it", session_id=view.session.session_id)
        return _draft(ports, view, view.ledger, (DegradedReason.EXTRACTION_FAILED,))


def _extract(ports: Ports, view: SessionView) -> Ledger:
    fresh = tuple(record for record in view.transcript.records if record.seq > view.ledger.watermark)
    job = ExtractionInput(
        session_id=view.session.session_id,
        transcript=Transcript(fresh, view.transcript.skipped, view.transcript.system),
        ledger=view.ledger,
        interrupts=view.interrupts,
    )
    return extract_ledger(ports.extractor, job).ledger


def _draft(ports: Ports, view: SessionView, ledger: Ledger, degraded: tuple[DegradedReason, ...]) -> Draft:
    session = view.session
    budget = ports.budgets.tail_for(session.window_tokens)
    records = view.transcript.records
    cut_seq = longest_tail(records, tail_tokens=budget) if records else view.from_seq
    # What the ledger does not cover is in the tail, whatever its budget: extraction may have failed.
    cut_seq = min(cut_seq, max(view.from_seq, ledger.watermark + 1))
    if unreadable_lines(view.transcript.skipped):
        degraded = (*degraded, DegradedReason.UNREADABLE_RECORDS)
    seed = render_seed(
        ledger,
        budget_chars=ports.budgets.seed_chars,
        session_id=session.session_id,
        agent_id=session.agent_id,
        generation=session.generation,
    )
    return Draft(ledger, seed, cut_seq, session.last_seq, degraded)
