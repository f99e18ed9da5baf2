"""Legal cuts: named rules over any transcript."""

from hypothesis import given
from hypothesis import strategies as st

from models.kinds import Author
from service.domain import cut as rules
from service.domain.cut import Cut, choose_cut, legal_cuts
from service.domain.transcript import Record, Text, Thinking, ToolResult, ToolUse
from tests.unit.talk import agent, calls, gives, says, use


def call(seq: int, *ids: str, message_id: str | None = None) -> Record:
    return calls(seq, *(use(i, "look") for i in ids), message_id=message_id)


def test_between_turns_every_place_is_legal_and_after_the_last_record_too() -> None:
    assert legal_cuts([says(0, "a"), agent(1, "b"), says(2, "c")]) == (0, 1, 2, 3)


def test_no_result_without_its_call_whatever_stands_between() -> None:
    records = [says(0, "a"), call(1, "x"), says(2, "hurry"), gives(3, "x", "ok"), agent(4, "b")]
    assert legal_cuts(records) == (0, 1, 4, 5)


def test_parallel_calls_stay_whole_in_whichever_records_they_and_their_results_lie() -> None:
    in_one = [call(0, "x", "y"), gives(1, "x", "ok"), gives(2, "y", "ok"), agent(3, "b")]
    assert legal_cuts(in_one) == (0, 3, 4)
    spread = [
        call(0, "x", message_id="m"),
        gives(1, "x", "ok"),
        call(2, "y", message_id="m"),
        gives(3, "y", "ok"),
        agent(4, "b"),
    ]
    assert legal_cuts(spread) == (0, 4, 5)


def test_thinking_stays_with_the_response_it_was_signed_for() -> None:
    records = [
        Record(0, "assistant", (Thinking("hm", signed=True),), message_id="m"),
        Record(1, "assistant", (Text("b", Author.ASSISTANT),), message_id="m"),
        says(2, "c"),
    ]
    assert legal_cuts(records) == (0, 2, 3)


def test_an_open_call_is_always_in_the_tail() -> None:
    assert legal_cuts([says(0, "a"), call(1, "x", "y"), gives(2, "x", "ok")]) == (0, 1)


def test_a_call_nobody_answered_does_not_block_for_ever() -> None:
    """bug-reports 5, 14, 22: the process died in the middle of it, the work went on."""
    records = [call(0, "x"), says(1, "again please"), agent(2, "b"), call(3, "y"), gives(4, "y", "ok")]
    assert legal_cuts(records) == (0, 1, 2, 3, 5)


def test_a_result_whose_call_is_nowhere_opens_no_tail() -> None:
    """bug-reports 1, 3, 10."""
    assert legal_cuts([says(0, "a"), gives(1, "x", "ok"), agent(2, "b")]) == (0, 2, 3)


def test_nothing_before_a_native_compaction_is_kept() -> None:
    boundary = Record(2, "system", (), compact_boundary=True)
    assert legal_cuts([says(0, "a"), agent(1, "b"), boundary, says(3, "c")]) == (2, 3, 4)


def test_an_empty_transcript_has_no_cut() -> None:
    assert legal_cuts([]) == ()
    assert choose_cut([], 4) == Cut(5)


def test_what_the_ledger_does_not_cover_is_kept() -> None:
    records = [says(0, "a"), call(1, "x"), gives(2, "x", "ok"), agent(3, "b")]
    assert choose_cut(records, 3) == Cut(4)
    assert choose_cut(records, 2) == Cut(3)
    assert choose_cut(records, 1) == Cut(1)
    assert choose_cut(records, -1) == Cut(0)


def test_without_a_legal_place_everything_is_kept_and_that_is_said() -> None:
    assert choose_cut([gives(0, "gone", "ok"), says(1, "a")], -1) == Cut(0, legal=False)


@st.composite
def transcripts(draw: st.DrawFn) -> list[Record]:
    """Any order of prose, calls (alone or side by side), results now or late or never, orphans and boundaries."""
    records: list[Record] = []
    waiting: list[str] = []
    for seq in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(["person", "agent", "call", "call", "result", "result", "orphan", "boundary"]))
        message_id = draw(st.sampled_from([None, f"m{seq // 3}", f"m{seq}"]))
        if kind == "person":
            records.append(says(seq, "words"))
        elif kind == "agent":
            records.append(Record(seq, "assistant", (Text("words", Author.ASSISTANT),), message_id=message_id))
        elif kind == "call":
            ids = [f"c{seq}-{i}" for i in range(draw(st.integers(1, 3)))]
            waiting += ids
            uses = tuple(ToolUse(i, "look", {}, "{}") for i in ids)
            records.append(Record(seq, "assistant", uses, message_id=message_id))
        elif kind == "result" and waiting:
            answered = draw(st.lists(st.sampled_from(waiting), min_size=1, max_size=3, unique=True))
            waiting = [i for i in waiting if i not in answered]
            records.append(Record(seq, "user", tuple(ToolResult(i, "ok") for i in answered)))
        elif kind == "orphan":
            records.append(Record(seq, "user", (ToolResult(f"lost{seq}", "ok"),)))
        elif kind == "boundary" and draw(st.booleans()):
            records.append(Record(seq, "system", (), compact_boundary=True))
    return records


@given(transcripts())
def test_a_legal_cut_splits_no_pair_and_no_response(records: list[Record]) -> None:
    for cut in legal_cuts(records):
        head = [record for record in records if record.seq < cut]
        tail = [record for record in records if record.seq >= cut]
        called_before = {use.id for record in head for use in record.tool_uses}
        assert not called_before & {result.tool_use_id for record in tail for result in record.tool_results}
        responses = {record.message_id for record in head if record.message_id}
        assert not responses & {record.message_id for record in tail if record.message_id}
        if tail:
            known = {use.id for record in records for use in record.tool_uses}
            assert all(result.tool_use_id in known for result in tail[0].tool_results)


@given(transcripts(), st.integers(-1, 30))
def test_the_chosen_cut_keeps_all_that_is_not_covered(records: list[Record], watermark: int) -> None:
    chosen = choose_cut(records, watermark)
    assert all(record.seq >= chosen.seq for record in records if record.seq > watermark)


@given(transcripts())
def test_every_rule_says_yes_or_no_for_every_place(records: list[Record]) -> None:
    assert all(len(rule(records)) == len(records) + 1 for rule in rules.RULES)


@given(transcripts())
def test_once_the_agent_has_gone_on_old_calls_leave_a_cut_free(records: list[Record]) -> None:
    last = records[-1].seq if records else -1
    records = [*records, says(last + 1, "and now?"), agent(last + 2, "Done.")]
    assert legal_cuts(records)[-1] == last + 3
