"""The gate every entry passes, whoever wrote it: is it there, word for word, and may its author say such a thing?"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from models.kinds import Author, EntryKind
from service.domain.calls import Call, pair_calls
from service.domain.ledger import SYSTEM_PROMPT_SEQ, Entry, Evidence, ExtractionInput
from service.domain.near_miss import near_miss
from service.domain.occurrence import holds
from service.domain.outcomes import Outcome, outcome_of
from service.domain.transcript import Record, Text, Thinking, ToolResult, ToolUse

SHORTEST_QUOTE = 12
"""Characters from which on a quote proves something by itself; a shorter one must hold the value or be all there is."""


class RefusalReason(StrEnum):
    EMPTY = "empty"  # no value
    NO_EVIDENCE = "no_evidence"
    NO_SUCH_RECORD = "no_such_record"  # the evidence names no record that was given, and the ledger does not hold it
    QUOTE_NOT_FOUND = "quote_not_found"
    QUOTE_TOO_SHORT = "quote_too_short"
    VALUE_NOT_FOUND = "value_not_found"
    NEAR_MISS = "near_miss"  # one or two characters off something that is there
    NOT_THEIR_WORDS = "not_their_words"  # a rule or a request that neither a person nor the system wrote
    NOT_PROVEN = "not_proven"  # done, without a successful result


@dataclass(frozen=True, slots=True)
class Refused:
    """`about` says what was looked for, and of a near miss what is there instead."""

    entry: Entry
    reason: RefusalReason
    about: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    kept: tuple[Entry, ...]
    refused: tuple[Refused, ...]


def verify(entries: Iterable[Entry], job: ExtractionInput) -> Verified:
    """Entries with the pieces of evidence that hold, and the others with the reason. Never raises on content."""
    gate = _Gate(job)
    kept: list[Entry] = []
    refused: list[Refused] = []
    for entry in entries:
        verdict = gate.judge(entry)
        if isinstance(verdict, Refused):
            refused.append(verdict)
        else:
            kept.append(verdict)
    return Verified(tuple(kept), tuple(refused))


_PERSONS = frozenset({EntryKind.RULE, EntryKind.OPEN_TASK})
"""Kinds that only a person or the system can be the source of."""

_ABOUT_CALLS = frozenset({EntryKind.DONE, EntryKind.FAILED, EntryKind.UNKNOWN_OUTCOME, EntryKind.WAITING_ON})
"""Kinds whose value may be put together from a call: every name and number in it must be the call's own."""

_EXACT = re.compile(r"(?=[^\s\"'`,;()\[\]{}<>=]*\d)[\w#@$€£¥][^\s\"'`,;()\[\]{}<>=\\]*[\w%]|\d")
"""What must never be off by a character: every word that holds a digit."""


class _Gate:
    def __init__(self, job: ExtractionInput) -> None:
        self._records = {record.seq: record for record in job.transcript.records}
        self._system = job.transcript.system
        self._known = {entry.key: entry.evidence for entry in job.ledger.entries}
        self._session = job.session_id
        self._calls: dict[int, list[Call]] = {}
        for call in pair_calls(job.transcript.records):
            for seq in {call.seq, call.result_seq if call.result_seq is not None else call.seq}:
                self._calls.setdefault(seq, []).append(call)

    def judge(self, entry: Entry) -> Entry | Refused:
        if not entry.value.strip():
            return Refused(entry, RefusalReason.EMPTY)
        if not entry.evidence:
            return Refused(entry, RefusalReason.NO_EVIDENCE)
        carried = self._known.get(entry.key, ())
        held: list[Evidence] = []
        fresh: list[Evidence] = []
        problem = Refused(entry, RefusalReason.NO_EVIDENCE)
        for piece in entry.evidence:
            if piece in carried:
                held.append(piece)
                continue
            found = self._check_quote(entry, piece)
            if isinstance(found, Refused):
                problem = found
            else:
                held.append(piece)
                fresh.append(piece)
        if not held:
            return problem
        if len(held) == len(fresh):  # nothing of it was verified before
            objection = self._check_value(entry, [piece.seq for piece in fresh])
            if objection is not None:
                return objection
        return entry if len(held) == len(entry.evidence) else replace(entry, evidence=tuple(held))

    def _check_quote(self, entry: Entry, piece: Evidence) -> Evidence | Refused:
        texts = list(self._texts(piece)) if piece.session_id in (None, self._session) else []
        if not texts:
            return Refused(entry, RefusalReason.NO_SUCH_RECORD, f"record {piece.seq}")
        if entry.kind in _PERSONS:
            theirs = [text for text, author in texts if author in (Author.PERSON, Author.SYSTEM)]
            if not any(piece.quote in text for text in theirs) and any(piece.quote in text for text, _ in texts):
                return Refused(entry, RefusalReason.NOT_THEIR_WORDS, piece.quote)
            texts = [(text, author) for text, author in texts if author in (Author.PERSON, Author.SYSTEM)]
        holding = [text for text, _ in texts if piece.quote and piece.quote in text]
        if not holding:
            return self._missing(entry, piece.quote, (text for text, _ in texts), RefusalReason.QUOTE_NOT_FOUND)
        proves = len(piece.quote) >= SHORTEST_QUOTE or entry.value in piece.quote
        if not proves and not any(piece.quote.strip() == text.strip() for text in holding):
            return Refused(entry, RefusalReason.QUOTE_TOO_SHORT, piece.quote)
        return piece

    def _check_value(self, entry: Entry, seqs: Sequence[int]) -> Refused | None:
        texts = [text for seq in seqs for text, author in self._texts(Evidence(seq, "")) if _may_say(entry, author)]
        calls = [call for seq in seqs for call in self._calls.get(seq, ())]
        if entry.kind is EntryKind.DONE:
            return self._check_done(entry, calls)
        if any(holds(text, entry.value) for text in texts):
            return None
        if entry.kind not in _ABOUT_CALLS:
            return self._missing(entry, entry.value, texts, RefusalReason.VALUE_NOT_FOUND)
        if any(_is_about(entry, call) for call in calls):
            return None
        about = _first_strange(entry, texts)
        return self._missing(entry, about or entry.value, texts, RefusalReason.VALUE_NOT_FOUND)

    def _check_done(self, entry: Entry, calls: Sequence[Call]) -> Refused | None:
        worked = [call for call in calls if outcome_of(call) is Outcome.OK]
        if not worked:
            return Refused(entry, RefusalReason.NOT_PROVEN)
        if any(_is_about(entry, call) for call in worked):
            return None
        texts = [text for call in worked for text in _call_texts(call)]
        about = _first_strange(entry, texts)
        return self._missing(entry, about or entry.value, texts, RefusalReason.VALUE_NOT_FOUND)

    def _missing(self, entry: Entry, wanted: str, texts: Iterable[str], reason: RefusalReason) -> Refused:
        close = near_miss(wanted, texts)
        if close is not None:
            return Refused(entry, RefusalReason.NEAR_MISS, f"{wanted} is not there; {close} is")
        return Refused(entry, reason, wanted)

    def _texts(self, piece: Evidence) -> Iterator[tuple[str, Author]]:
        if piece.seq == SYSTEM_PROMPT_SEQ:
            if self._system:
                yield self._system, Author.SYSTEM
            return
        record = self._records.get(piece.seq)
        if record is not None:
            yield from record_texts(record)


def record_texts(record: Record) -> Iterator[tuple[str, Author]]:
    """Every text a quote from this record may be taken from, with who wrote it."""
    for block in record.blocks:
        if isinstance(block, Text):
            yield block.text, block.author
        elif isinstance(block, Thinking):
            yield block.text, Author.ASSISTANT
        elif isinstance(block, ToolUse):
            yield from ((text, Author.ASSISTANT) for text in (block.input_json, block.name, block.id))
        elif isinstance(block, ToolResult):
            yield block.text, Author.TOOL


def _may_say(entry: Entry, author: Author) -> bool:
    return entry.kind not in _PERSONS or author in (Author.PERSON, Author.SYSTEM)


def _call_texts(call: Call) -> list[str]:
    return [call.use.input_json, call.use.name, call.use.id, *([call.result.text] if call.result else [])]


def _is_about(entry: Entry, call: Call) -> bool:
    """Whether every exact word of the entry is the call's own or its result's."""
    return _first_strange(entry, _call_texts(call)) is None


def _first_strange(entry: Entry, texts: Sequence[str]) -> str | None:
    words: Callable[[str], list[str]] = _EXACT.findall
    wanted = words(entry.value) if entry.kind is EntryKind.WAITING_ON else words(f"{entry.value}\n{entry.detail}")
    return next((word for word in wanted if not any(holds(text, word) for text in texts)), None)
