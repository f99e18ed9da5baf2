"""What was done, what failed, what was refused, and what was cut with an unknown outcome."""

from collections.abc import Iterator, Mapping, Sequence

from models.kinds import Author, EntryKind, Who
from service.domain.call_text import call_text
from service.domain.calls import Call
from service.domain.identifiers import Identifiers
from service.domain.ledger import Entry, Evidence
from service.domain.outcomes import Outcome, had_effect, is_rejection, may_have_effect, outcome_of, unwrapped
from service.domain.transcript import Record

QUOTE = 280
"""Characters a quote may have."""

CHECK_FIRST = "check the live effect before repeating"


def work_entries(
    records: Sequence[Record],
    calls: Sequence[Call],
    found: Identifiers,
    cut: Mapping[str, str],
    declared: frozenset[str],
) -> Iterator[Entry]:
    """In the order in which the calls ended. `cut`: by call id the cause of the runtime's own interrupt;
    `declared`: ids that no person stopped."""
    words = _words_after(records)
    agent_went_on = max((record.seq for record in records if record.role == "assistant"), default=-1)
    for call in calls:
        outcome = outcome_of(call)
        if call.use.id in cut:
            yield unknown(call, f"cut by the runtime ({cut[call.use.id]}), not by a person; {CHECK_FIRST}")
        elif had_effect(call):
            yield _done(call, found.created.get((call.seq, call.use.id), ()))
        elif outcome is Outcome.CUT:
            yield unknown(call, f"cut when its process ended; {CHECK_FIRST}")
        elif outcome is Outcome.DEAD and may_have_effect(call):
            yield unknown(call, f"never answered, and the work went on without it; {CHECK_FIRST}")
        elif outcome is Outcome.ERROR:
            yield _failed(call)
        elif outcome is Outcome.REFUSED and call.use.id not in declared:
            yield _refused(call, words.get(call.result_seq or -1, ""), (call.result_seq or -1) > agent_went_on)
        elif outcome is Outcome.OPEN:
            yield _pending(call)
        elif outcome is Outcome.ACCEPTED:
            yield _accepted(call)


def unknown(call: Call, why: str) -> Entry:
    """`value` holds the exact name and arguments; short ones whole, long ones by their beginning."""
    return Entry(EntryKind.UNKNOWN_OUTCOME, call_text(call.use), _call_evidence(call), why, status="unknown")


def _done(call: Call, made: Sequence[tuple[str, str]]) -> Entry:
    detail = "; ".join(f"{field} {value}" for field, value in made)
    return Entry(
        EntryKind.DONE,
        call_text(call.use),
        (*_call_evidence(call), *_result_evidence(call)),
        f"gave {detail}" if detail else "",
        status="proven",
    )


def _failed(call: Call) -> Entry:
    return Entry(
        EntryKind.FAILED,
        call_text(call.use),
        (*_call_evidence(call), *_result_evidence(call)),
        first_line(call.result.text if call.result else ""),
        status="failed",
    )


def _refused(call: Call, words: str, at_the_end: bool) -> Entry:
    """Not declared, so it is what it says: somebody did not let the call run."""
    evidence = (*_result_evidence(call), *_call_evidence(call))
    denial = call.result.denial if call.result is not None else None
    if denial not in (None, "user-rejected"):
        why = "never started" if denial == "cancelled" else "not permitted here"
        return Entry(EntryKind.FAILED, call_text(call.use), evidence, f"not done: {why}", status="refused")
    said = f', who said: "{words}"' if words else ""
    if at_the_end:
        why = f"the user stopped this call{said}; not done, ask before doing it again"
        return Entry(EntryKind.WAITING_ON, call_text(call.use), evidence, why, who=Who.USER, status="open")
    why = f"the user stopped this call{said}; not done"
    return Entry(EntryKind.FAILED, call_text(call.use), evidence, why, status="rejected")


def _pending(call: Call) -> Entry:
    return Entry(
        EntryKind.WAITING_ON, call_text(call.use), _call_evidence(call), "no result yet", who=Who.TOOL, status="open"
    )


def _accepted(call: Call) -> Entry:
    return Entry(
        EntryKind.WAITING_ON,
        call_text(call.use),
        (*_call_evidence(call), *_result_evidence(call)),
        "taken in, not finished when last heard of",
        who=Who.EXTERNAL,
        status="open",
    )


def first_line(text: str) -> str:
    """The first line that says something, out of its envelope: whole, or by its beginning."""
    content = unwrapped(text)
    lines = (content if isinstance(content, str) else text).splitlines()
    return next((line.strip() for line in lines if line.strip()), "")[:QUOTE]


def _call_evidence(call: Call) -> tuple[Evidence, ...]:
    arguments = call.use.input_json
    return (Evidence(call.seq, arguments[:QUOTE] if len(arguments) >= 12 else call.use.name),)


def _result_evidence(call: Call) -> tuple[Evidence, ...]:
    """The result's beginning: whole where it is short."""
    if call.result is None or call.result_seq is None or not call.result.text.strip():
        return ()
    return (Evidence(call.result_seq, call.result.text[:QUOTE]),)


def _words_after(records: Sequence[Record]) -> dict[int, str]:
    """By the seq of a refused result: what the person said there or before the agent spoke again."""
    found: dict[int, str] = {}
    pending: list[int] = []
    for record in records:
        if record.role == "assistant":
            pending = []
        if any(is_rejection(result) for result in record.tool_results):
            pending.append(record.seq)
        said = " ".join(record.texts(Author.PERSON)).strip()
        for seq in pending if said else ():
            found.setdefault(seq, said[:QUOTE])
    return found
