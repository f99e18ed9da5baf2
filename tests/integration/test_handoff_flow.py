"""From the first record to the claimed handoff, flow by flow, on both pairs of engines; no worker runs here."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import ClassVar

import pytest

from models.kinds import CompactionState, DegradedReason, EntryKind, InterruptCause, TranscriptFormat
from service import wiring
from service.domain.ledger import Entry, ExtractionInput
from service.errors import AlreadyClaimedError, NotFoundError, NothingToHandOffError
from service.flows.append_records import append_records
from service.flows.claim_handoff import ClaimedHandoff, claim_handoff, request_handoff
from service.flows.declare_interrupt import declare_interrupt
from service.flows.end_turn import end_turn
from service.flows.open_session import NewSession, open_session
from service.flows.prepare_handoff import prepare_handoff
from service.flows.seal_handoff import seal_handoff
from service.flows.sweep import sweep
from service.ports import Ports
from service.settings import Settings

RULE = "Never change the values in the tariff sheet."
FIRST_TURN = [
    {"role": "user", "content": f"Book berth 14 for vessel MV-2207. {RULE}"},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "t1", "name": "create_booking", "input": {"vessel": "MV-2207", "berth": 14}}
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": '{"booking": "BK-20931"}'}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Booked: BK-20931."}]},
]
SECOND_TURN = [
    {"role": "user", "content": "Now send the invoice INV-7 to ops@example.com."},
    {
        "role": "assistant",
        "content": [
            {
                "type": "tool_use",
                "id": "t2",
                "name": "send_invoice",
                "input": {"invoice": "INV-7", "to": "ops@example.com"},
            }
        ],
    },
]
RESULT = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "sent"}]}]
ANSWER = [{"role": "assistant", "content": [{"type": "text", "text": "Sent. Shall I archive the booking?"}]}]


class BrokenExtractor:
    name = "broken"

    def extract(self, job: ExtractionInput) -> tuple[Entry, ...]:
        raise RuntimeError("no ledger today")


@pytest.fixture
def ports(pair: Settings) -> Iterator[Ports]:
    wiring.migrate(pair)
    with wiring.runtime(pair) as running:
        yield running.ports


def open_(ports: Ports, session_id: str = "s-1", agent_id: str = "a-1") -> None:
    open_session(
        ports,
        NewSession(session_id, agent_id, format=TranscriptFormat.ANTHROPIC_MESSAGES, window_tokens=200_000),
    )


def lines_of(messages: list[dict[str, object]]) -> list[bytes]:
    return [json.dumps(message).encode() for message in messages]


def append(ports: Ports, messages: list[dict[str, object]], session_id: str = "s-1") -> None:
    append_records(ports, session_id, b"\n".join(lines_of(messages)) + b"\n", None)


def state(ports: Ports, session_id: str = "s-1") -> CompactionState | None:
    with ports.units.read() as unit:
        compaction = unit.compactions.of(session_id)
    return compaction.state if compaction else None


def values(ports: Ports, kind: EntryKind, session_id: str = "s-1") -> list[str]:
    with ports.units.read() as unit:
        stored = unit.ledgers.latest(session_id)
    assert stored is not None
    return [entry.value for entry in stored.ledger.entries if entry.kind is kind]


def claim(ports: Ports, session_id: str = "s-1", claimed_by: str = "s-2") -> ClaimedHandoff:
    return claim_handoff(ports, session_id, claimed_by)


def test_prepared_in_the_turn_sealed_at_its_end_claimed_by_the_fresh_session(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN + SECOND_TURN)
    assert prepare_handoff(ports, "s-1", owner="w-1") is CompactionState.PREPARED
    append(ports, RESULT + ANSWER)
    ended = end_turn(ports, "s-1")
    assert ended is not None
    assert ended.state is CompactionState.SEALED
    claimed = claim(ports)
    assert claimed.handoff.degraded == ()
    assert claimed.next_generation == 2
    assert RULE in claimed.handoff.seed
    assert "BK-20931" in claimed.handoff.seed
    assert state(ports) is CompactionState.CLAIMED
    with ports.units.read() as unit:
        fresh = unit.sessions.get("s-2")
    assert fresh is not None
    assert (fresh.generation, fresh.parent_session_id) == (2, "s-1")


def test_the_kept_tail_is_the_stored_lines_and_reaches_the_last_record(ports: Ports) -> None:
    messages = FIRST_TURN + SECOND_TURN + RESULT + ANSWER
    open_(ports)
    append(ports, messages)
    tail = claim(ports).tail
    assert tail[-1][0] == len(messages) - 1
    assert [line for _, line in tail] == lines_of(messages)[tail[0][0] :]


def test_lines_of_no_conversation_at_the_end_move_no_cut(ports: Ports) -> None:
    open_session(ports, NewSession("s-1", "a-1", window_tokens=200_000))
    person = {"type": "user", "uuid": "u-1", "message": {"role": "user", "content": "Find berth 14, please."}}
    append(ports, [person, {"type": "last-prompt", "lastPrompt": "x"}])
    prepare_handoff(ports, "s-1", owner="w-1")
    append(ports, [{"type": "cost-state", "n": 1}])
    claimed = claim(ports)
    assert [seq for seq, _ in claimed.tail] == [0]


def test_a_line_that_cannot_be_read_is_kept_and_said(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    append_records(ports, "s-1", b'{"role": "user", "con', None)
    claimed = claim(ports)
    assert DegradedReason.UNREADABLE_RECORDS in claimed.handoff.degraded
    with ports.units.read() as unit:
        assert list(unit.records.read("s-1", len(FIRST_TURN))) == [(len(FIRST_TURN), b'{"role": "user", "con')]


def test_a_small_tail_budget_cuts_between_a_result_and_what_follows_never_inside_a_pair(ports: Ports) -> None:
    ports = replace(ports, budgets=replace(ports.budgets, tail_tokens=1))
    open_(ports)
    append(ports, FIRST_TURN + SECOND_TURN)
    claimed = claim(ports)
    first = json.loads(claimed.tail[0][1])
    assert first["content"][0]["id"] == "t2", "the open call is kept, whole"
    assert claimed.handoff.covers_through == claimed.tail[0][0] - 1


def test_a_turn_that_ends_before_the_preparation_is_sealed_by_the_worker(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    with ports.units.write() as unit:
        session = unit.sessions.lock("s-1")
        assert session is not None
        unit.compactions.request(session, now=ports.clock.now())
    ended = end_turn(ports, "s-1")
    assert ended is not None
    assert ended.state is CompactionState.REQUESTED
    assert prepare_handoff(ports, "s-1", owner="w-1") is CompactionState.SEALED
    assert claim(ports).handoff.degraded == ()


def test_a_turn_end_without_a_crossing_seals_nothing(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    assert end_turn(ports, "s-1") is None
    assert state(ports) is None


def test_records_after_the_seal_are_in_the_tail_that_is_claimed(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    prepare_handoff(ports, "s-1", owner="w-1")
    end_turn(ports, "s-1")
    append(ports, SECOND_TURN + RESULT + ANSWER)
    assert json.loads(claim(ports).tail[-1][1]) == ANSWER[0]


def test_a_claim_before_anything_is_ready_gets_the_structural_ledger_and_says_so(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    assert request_handoff(ports, "s-1") is False, "the first look asks for a preparation"
    claimed = claim(ports)
    assert claimed.handoff.degraded == (DegradedReason.NOT_PREPARED,)
    assert RULE in claimed.handoff.seed


def test_a_worker_that_comes_after_the_claim_changes_nothing(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    before = claim(ports)
    assert prepare_handoff(ports, "s-1", owner="w-late") is None
    assert claim(ports) == before


def test_a_claim_in_the_middle_of_a_preparation_fences_the_worker_off(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    inner = ports.extractor

    class ClaimsMeanwhile:
        name = "structural"

        def extract(self, job: ExtractionInput) -> tuple[Entry, ...]:
            claim(ports)
            return inner.extract(job)

    assert prepare_handoff(replace(ports, extractor=ClaimsMeanwhile()), "s-1", owner="w-1") is None
    assert state(ports) is CompactionState.CLAIMED
    with ports.units.read() as unit:
        assert len(unit.ledgers.find(session_id="s-1", agent_id=None, limit=9)) == 1


def test_two_sessions_claim_at_once_and_one_gets_it(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)

    def attempt(number: int) -> str | None:
        try:
            return claim(ports, claimed_by=f"fresh-{number}").handoff.claimed_by
        except AlreadyClaimedError:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [name for name in pool.map(attempt, range(8)) if name]
    assert len(won) == 1
    assert claim(ports, claimed_by=won[0]).handoff.claimed_by == won[0], "asking again is fine"


def test_many_opens_at_once_make_one_session(ports: Ports) -> None:
    new = NewSession("s-1", "a-1", format=TranscriptFormat.ANTHROPIC_MESSAGES)
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_session(ports, new), range(8)))
    assert {session.generation for session in opened} == {1}


def test_one_fresh_session_takes_one_handoff_only(ports: Ports) -> None:
    for session_id in ("s-1", "s-9"):
        open_(ports, session_id)
        append(ports, FIRST_TURN, session_id)
    claim(ports, "s-1", "s-2")
    with pytest.raises(AlreadyClaimedError):
        claim(ports, "s-9", "s-2")


def test_a_session_cannot_seed_itself_and_an_empty_one_has_nothing_to_give(ports: Ports) -> None:
    open_(ports)
    with pytest.raises(NothingToHandOffError):
        claim(ports)
    append(ports, FIRST_TURN)
    with pytest.raises(AlreadyClaimedError):
        claim(ports, "s-1", "s-1")
    with pytest.raises(NotFoundError):
        claim(ports, "nobody", "s-2")


def test_an_extractor_that_fails_makes_the_handoff_plainer_never_absent(ports: Ports) -> None:
    broken = replace(ports, extractor=BrokenExtractor(), attempts=2)
    open_(ports)
    append(ports, FIRST_TURN)
    assert prepare_handoff(broken, "s-1", owner="w-1") is CompactionState.REQUESTED
    assert prepare_handoff(broken, "s-1", owner="w-1") is CompactionState.FAILED
    assert prepare_handoff(broken, "s-1", owner="w-1") is None
    claimed = claim(broken)
    assert claimed.handoff.degraded == (DegradedReason.PREPARATION_FAILED, DegradedReason.EXTRACTION_FAILED)
    assert [line for _, line in claimed.tail] == lines_of(FIRST_TURN), "what no ledger covers is kept word for word"


def test_a_session_claimed_in_mid_turn_says_so(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN + SECOND_TURN)
    assert DegradedReason.TURN_OPEN in claim(ports).handoff.degraded


def test_the_cut_call_of_a_declared_interrupt_has_an_unknown_outcome(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN + SECOND_TURN)
    declared = declare_interrupt(ports, "s-1", "i-1", InterruptCause.BACKSTOP, ("t2",))
    assert declared.after_seq == len(FIRST_TURN + SECOND_TURN) - 1
    claimed = claim(ports)
    assert any("send_invoice" in value for value in values(ports, EntryKind.UNKNOWN_OUTCOME))
    assert "INV-7" in claimed.handoff.seed


def test_the_next_generation_starts_from_the_ledger_it_was_seeded_with(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    first = claim(ports)
    append(ports, [{"role": "user", "content": first.handoff.seed}, *SECOND_TURN, *RESULT, *ANSWER], "s-2")
    second = claim(ports, "s-2", "s-3")
    assert second.next_generation == 3
    assert RULE in second.handoff.seed, "carried, not re-summarised"
    with ports.units.read() as unit:
        stored = unit.ledgers.latest("s-2")
    assert stored is not None
    rules = [entry for entry in stored.ledger.entries if entry.value == RULE]
    assert [piece.session_id for piece in rules[0].evidence] == ["s-1"], "its first evidence stays where it was said"


def test_a_lost_task_is_found_by_the_sweep(ports: Ports) -> None:
    class Recorder:
        sent: ClassVar[list[str]] = []

        def prepare(self, session_id: str) -> None:
            self.sent.append(session_id)

    recording = replace(ports, dispatcher=Recorder())
    open_(ports)
    append(ports, FIRST_TURN)
    request_handoff(recording, "s-1")
    Recorder.sent.clear()
    assert sweep(recording, older_than_seconds=60) == 0
    assert sweep(recording, older_than_seconds=0) == 1
    assert Recorder.sent == ["s-1"]


def test_sealing_twice_changes_nothing(ports: Ports) -> None:
    open_(ports)
    append(ports, FIRST_TURN)
    prepare_handoff(ports, "s-1", owner="w-1")
    first = seal_handoff(ports, "s-1")
    assert seal_handoff(ports, "s-1") == first
