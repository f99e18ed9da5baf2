"""The structural layer: entries read from fields and calls. No model, no network, one pass of each kind.

What is found is unverified, like any extractor's; `verify` decides.
"""

from collections.abc import Iterator

from models.kinds import EntryKind, Who
from service.domain.calls import pair_calls
from service.domain.identifiers import find_identifiers
from service.domain.interrupts import cut_calls, declared_ids
from service.domain.ledger import Entry, ExtractionInput
from service.domain.rules import find_rules
from service.domain.waiting import next_step, open_task, spoke, waiting_on_user
from service.domain.work import work_entries


def scan(job: ExtractionInput) -> tuple[Entry, ...]:
    """Entries of the records given; within a kind, what was met last stands last."""
    return tuple(_scan(job))


def _scan(job: ExtractionInput) -> Iterator[Entry]:
    records = job.transcript.records
    if not spoke(records):
        yield from (entry for entry in job.ledger.entries if entry.kind in (EntryKind.WAITING_ON, EntryKind.NEXT_STEP))
        return
    calls = pair_calls(records)
    cut = cut_calls(records, calls, job.interrupts)
    known = (entry.value for entry in job.ledger.entries if entry.kind is EntryKind.IDENTIFIER)
    found = find_identifiers(records, calls, known)
    work = list(work_entries(records, calls, found, cut, declared_ids(job.interrupts)))
    asked = waiting_on_user(records)
    yield from find_rules(records, job.ledger.entries)
    yield from open_task(records)
    yield from work
    if asked is not None:
        yield asked
    elif not any(entry.who is Who.USER for entry in work) and (step := next_step(records)) is not None:
        yield step
    yield from found.entries()
