"""The inputs and outputs of `carryforward extract`: cases, corpus sessions and plain transcript files."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice

import orjson

from models.kinds import TranscriptFormat
from service import wiring
from service.domain.cut import choose_cut
from service.domain.handoff import render_seed
from service.domain.ledger import SYSTEM_PROMPT_SEQ, DeclaredInterrupt, Entry, Evidence, ExtractionInput, Ledger
from service.domain.skips import unreadable_lines
from service.domain.transcript import Transcript
from service.flows.extract_ledger import ExtractedLedger, extract_ledger
from service.ports import Extractor, TranscriptReader

DEFAULT_BUDGET = 4_000

Object = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Problem:
    """A line (counted from 1) that could not be read, and what to do about it."""

    line: int
    text: str


@dataclass(slots=True)
class Summary:
    handoffs: int = 0
    entries: int = 0
    problems: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def count(self, extracted: ExtractedLedger) -> None:
        self.handoffs += 1
        self.entries += len(extracted.ledger.entries)
        self.refused.update(f"{refused.entry.kind}: {refused.reason}" for refused in extracted.refused)

    def as_object(self) -> Object:
        return {
            "handoffs": self.handoffs,
            "entries": self.entries,
            "lines_not_read": self.problems,
            "refused": dict(sorted(self.refused.items())),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Case:
    """One transcript to be handed off. `previous` names the case whose ledger is carried into it."""

    name: str
    session_id: str
    transcript: Transcript
    interrupts: tuple[DeclaredInterrupt, ...] = ()
    previous: str | None = None
    budget_chars: int = DEFAULT_BUDGET


class UnreadableError(ValueError):
    """Says what is wrong with a line, and what to do."""


def handoffs(
    lines: Iterator[bytes], format_: str, extractor: Extractor, budget_chars: int | None, name: str, summary: Summary
) -> Iterator[Object | Problem]:
    """A handoff for every case, in order, and a problem for every line that is none."""
    first = list(islice(lines, 100))
    if format_ == "auto":
        found = wiring.detect_format(first)
        format_ = "cases" if found is None else found.value
    every = chain(first, lines)
    if format_ == "cases":
        yield from _of_cases(every, extractor, budget_chars, summary)
    else:
        yield from _of_session(every, TranscriptFormat(format_), extractor, budget_chars, name, summary)


def _of_cases(
    lines: Iterator[bytes], extractor: Extractor, budget_chars: int | None, summary: Summary
) -> Iterator[Object | Problem]:
    reader = wiring.transcript_readers()[TranscriptFormat.ANTHROPIC_MESSAGES]
    ledgers: dict[str, Ledger] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = _case(line, reader)
            if case.previous is not None and case.previous not in ledgers:
                raise UnreadableError(f"`previous` is {case.previous}, which does not stand before it: put it there")
        except UnreadableError as error:
            summary.problems += 1
            yield Problem(number, str(error))
            continue
        carried = _carried(ledgers[case.previous], case.previous) if case.previous is not None else Ledger()
        extracted = _extract(case, carried, extractor, summary)
        ledgers[case.name] = extracted.ledger
        yield _handoff(case, extracted.ledger, budget_chars or case.budget_chars)


def _of_session(
    lines: Iterator[bytes],
    format_: TranscriptFormat,
    extractor: Extractor,
    budget_chars: int | None,
    name: str,
    summary: Summary,
) -> Iterator[Object | Problem]:
    reader = wiring.transcript_readers()[format_]
    transcript = reader.read(enumerate(lines))
    lost = unreadable_lines(transcript.skipped)
    if lost or not transcript.records:
        summary.problems += max(lost, 1)
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(transcript.skipped.items())) or "no lines"
        yield Problem(0, f"not a whole {format_.value} session ({reasons}): check --format, or repair these lines")
    if transcript.records:
        case = Case(name, name, transcript)
        extracted = _extract(case, Ledger(), extractor, summary)
        yield _handoff(case, extracted.ledger, budget_chars or case.budget_chars)


def _extract(case: Case, carried: Ledger, extractor: Extractor, summary: Summary) -> ExtractedLedger:
    extracted = extract_ledger(extractor, ExtractionInput(case.name, case.transcript, carried, case.interrupts))
    summary.count(extracted)
    return extracted


def _carried(ledger: Ledger, case: str) -> Ledger:
    """The ledger at the start of the next session: its evidence names the case whose messages it counts."""

    def named(entry: Entry) -> Entry:
        return replace(
            entry, evidence=tuple(replace(piece, session_id=piece.session_id or case) for piece in entry.evidence)
        )

    return Ledger(tuple(map(named, ledger.entries)))


def _handoff(case: Case, ledger: Ledger, budget_chars: int) -> Object:
    tail_from = choose_cut(case.transcript.records, ledger.watermark).seq
    return {
        "case": case.name,
        "covers_through": ledger.watermark,
        "seed": render_seed(ledger, budget_chars=budget_chars, session_id=case.session_id),
        "kept_tail_from": tail_from,
        "entries": [_entry(entry, case.name) for entry in ledger.entries],
    }


def _entry(entry: Entry, case: str) -> Object:
    return {
        "kind": entry.kind,
        "value": entry.value,
        "detail": entry.detail,
        "who": entry.who,
        "status": entry.status,
        "evidence": [_evidence(piece, case) for piece in entry.evidence],
    }


def _evidence(piece: Evidence, case: str) -> Object:
    message = "system" if piece.seq == SYSTEM_PROMPT_SEQ else piece.seq
    return {"message": message, "quote": piece.quote, "case": piece.session_id or case}


def _case(line: bytes, reader: TranscriptReader) -> Case:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UnreadableError(f"not JSON ({error}); one object a line is wanted") from None
    messages = row.get("messages") if isinstance(row, dict) else None
    if not isinstance(messages, list):
        raise UnreadableError(
            "no object with a list `messages`; for a transcript file pass --format claude-code or anthropic-messages"
        )
    name = row.get("case", row.get("id", row.get("session_id")))
    if not isinstance(name, str):
        raise UnreadableError("no `case` or `id`: give it a name")
    system = row.get("system", row.get("system_prompt"))
    encoded = ((seq, orjson.dumps(message)) for seq, message in enumerate(messages))
    transcript = reader.read(encoded, system=system if isinstance(system, str) else None)
    lost = unreadable_lines(transcript.skipped)
    if lost:
        raise UnreadableError(f"{lost} of its messages are none; each needs a `role` and a `content`")
    session_id, previous, budget = row.get("session_id"), row.get("previous"), row.get("budget_chars")
    return Case(
        name=name,
        session_id=session_id if isinstance(session_id, str) else name,
        transcript=transcript,
        interrupts=_interrupts(row.get("interrupts")),
        previous=previous if isinstance(previous, str) else None,
        budget_chars=budget if isinstance(budget, int) and budget > 0 else DEFAULT_BUDGET,
    )


def _interrupts(rows: object) -> tuple[DeclaredInterrupt, ...]:
    if rows is None:
        return ()
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnreadableError("`interrupts` is no list of objects")
    found = []
    for row in rows:
        ids, after = row.get("tool_use_ids") or [], row.get("after_message", -1)
        if not isinstance(ids, list) or not isinstance(after, int):
            raise UnreadableError("an interrupt needs `after_message` (a number) and `tool_use_ids` (a list)")
        found.append(DeclaredInterrupt(str(row.get("cause", "")), tuple(map(str, ids)), after))
    return tuple(found)
