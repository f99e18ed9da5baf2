"""Bring a ledger up to date with what an extraction found. Deterministic: the same inputs give the same ledger.

The order of entries is the order in which they were last met, oldest first; it survives generations, which a
position in some session's records does not.
"""

from collections.abc import Iterable
from dataclasses import replace

from models.kinds import EntryKind
from service.domain.identifiers import CALLED, LISTED_KEPT
from service.domain.ledger import Entry, Evidence, Ledger

MOST_EVIDENCE = 4
"""Pieces of evidence an entry keeps: the first ones, and the latest."""

_REPLACED = frozenset({EntryKind.WAITING_ON, EntryKind.NEXT_STEP})
"""What is true only of the moment: the newest extraction says all of it."""

_SETTLED_BY_DONE = frozenset({EntryKind.UNKNOWN_OUTCOME, EntryKind.WAITING_ON, EntryKind.FAILED})


def merge(ledger: Ledger, entries: Iterable[Entry], watermark: int, session_id: str) -> Ledger:
    """`entries` are verified; `watermark` is the last `seq` they cover.

    Identity is kind and value, so two ids that resemble each other stay two. First evidence is kept, and carried
    evidence keeps the name of its session; evidence of `session_id` itself is stored without one.
    """
    found = [_own(entry, session_id) for entry in entries]
    if not found and watermark <= ledger.watermark:
        return ledger
    newer_task = any(entry.kind is EntryKind.OPEN_TASK for entry in found)
    merged = {
        entry.key: entry
        for entry in ledger.entries
        if entry.kind not in _REPLACED and not (newer_task and entry.kind is EntryKind.OPEN_TASK)
    }
    for entry in found:
        known = merged.pop(entry.key, None)  # popped and put back: what was met last stands last
        merged[entry.key] = entry if known is None else _joined(known, entry)
        if entry.kind is EntryKind.DONE:
            _settle(merged, entry.value)
    return Ledger(_pruned(merged.values()), max(ledger.watermark, watermark))


def _joined(known: Entry, newer: Entry) -> Entry:
    surer = newer if newer.salience >= known.salience else known
    status = newer.status or known.status
    if known.status == "revoked" and set(newer.evidence) <= set(known.evidence):
        surer, status = known, known.status  # only read again, not said again
    return replace(
        known,
        detail=surer.detail or known.detail,
        who=newer.who,
        status=status,
        salience=max(known.salience, newer.salience),
        evidence=_joined_evidence(known.evidence, newer.evidence),
    )


def _joined_evidence(first: tuple[Evidence, ...], more: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    every = tuple(dict.fromkeys((*first, *more)))
    return every if len(every) <= MOST_EVIDENCE else (*every[: MOST_EVIDENCE - 1], every[-1])


def _settle(merged: dict[str, Entry], value: str) -> None:
    """The same call has worked now: it is no longer unknown, waited for or failed."""
    for kind in _SETTLED_BY_DONE:
        merged.pop(Entry(kind, value, ()).key, None)


def _own(entry: Entry, session_id: str) -> Entry:
    if all(piece.session_id != session_id for piece in entry.evidence):
        return entry
    return replace(
        entry,
        evidence=tuple(
            replace(piece, session_id=None) if piece.session_id == session_id else piece for piece in entry.evidence
        ),
    )


def _pruned(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Values that were only listed somewhere make way for newer ones; whatever was used or said stays."""
    every = tuple(entries)
    listed = [entry.key for entry in every if entry.kind is EntryKind.IDENTIFIER and entry.salience < CALLED]
    old = frozenset(listed[:-LISTED_KEPT])
    return tuple(entry for entry in every if entry.key not in old) if old else every
