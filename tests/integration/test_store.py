"""The SQL store on both engines."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from models.database import make_engine
from models.kinds import CompactionState, DegradedReason, EntryKind, TranscriptFormat, Who
from service import wiring
from service.adapters.store.units import SqlUnits
from service.domain.ledger import DeclaredInterrupt, Entry, Evidence, Ledger
from service.errors import DatabaseOutOfDateError, FinalError, RecordConflictError, RecordsMissingError, StaleLeaseError
from service.ports import NewLine, QueuedReading, SessionState, StoredHandoff
from service.settings import Settings

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SESSION = SessionState(
    session_id="s-1",
    agent_id="a-1",
    generation=1,
    format=TranscriptFormat.CLAUDE_CODE,
    next_seq=0,
    turn_ended_seq=-1,
    window_tokens=200_000,
    threshold=0.7,
    backstop=0.78,
    system=None,
    parent_session_id=None,
)


@pytest.fixture
def units(pair: Settings) -> Iterator[SqlUnits]:
    wiring.migrate(pair)
    engine = make_engine(pair.sqlalchemy_url)
    units = SqlUnits(engine)
    with units.write() as unit:
        unit.sessions.add(SESSION)
    yield units
    engine.dispose()


def lines(*texts: str, uuids: bool = True) -> list[NewLine]:
    return [NewLine(text.encode(), f"u-{text}" if uuids else None) for text in texts]


def append(units: SqlUnits, new: list[NewLine], first_seq: int | None) -> tuple[int, int, int]:
    with units.write() as unit:
        session = unit.sessions.lock("s-1")
        assert session is not None
        outcome = unit.records.append(session, new, first_seq)
    return outcome.stored, outcome.duplicates, outcome.next_seq


def stored(units: SqlUnits) -> list[tuple[int, bytes]]:
    with units.read() as unit:
        return list(unit.records.read("s-1", 0))


def test_a_process_refuses_a_database_that_was_never_migrated_and_names_the_command(pair: Settings) -> None:
    with pytest.raises(DatabaseOutOfDateError) as refused:
        wiring.check_database(pair)
    assert "carryforward migrate" in refused.value.hint
    wiring.migrate(pair)
    wiring.check_database(pair)


def test_lines_come_back_byte_exact_whatever_they_hold(units: SqlUnits) -> None:
    data = [b'{"a": "\xc5\x82"}', b"\x00\x00torn {", b"", b"\xff\xfe", b"x" * 200_000, b" trailing \r"]
    assert append(units, [NewLine(line, None) for line in data], 0) == (6, 0, 6)
    assert stored(units) == list(enumerate(data))


def test_the_same_batch_again_is_a_duplicate(units: SqlUnits) -> None:
    batch = lines("a", "b", "c")
    assert append(units, batch, 0) == (3, 0, 3)
    assert append(units, batch, 0) == (0, 3, 3)
    assert append(units, lines("b", "c", "d"), 1) == (1, 2, 4)
    assert [line for _, line in stored(units)] == [b"a", b"b", b"c", b"d"]


def test_a_gap_is_refused_and_says_where_to_go_on(units: SqlUnits) -> None:
    append(units, lines("a"), 0)
    with pytest.raises(RecordsMissingError) as refused:
        append(units, lines("c"), 2)
    assert refused.value.details == {"next_seq": 1}


def test_a_stored_record_is_never_rewritten(units: SqlUnits) -> None:
    append(units, lines("a", "b"), 0)
    with pytest.raises(RecordConflictError) as refused:
        append(units, lines("b2", "c"), 1)
    assert refused.value.details == {"seq": 1, "next_seq": 2}
    assert [line for _, line in stored(units)] == [b"a", b"b"]


def test_without_positions_records_go_to_the_end_once_by_uuid(units: SqlUnits) -> None:
    assert append(units, lines("a", "b"), None) == (2, 0, 2)
    assert append(units, lines("b", "c", "c"), None) == (1, 2, 3)
    assert append(units, lines("c", uuids=False), None) == (1, 0, 4), "no uuid: nothing says it is the same"
    assert [line for _, line in stored(units)] == [b"a", b"b", b"c", b"c"]


def test_a_positioned_repetition_leaves_its_place_empty_and_can_be_sent_again(units: SqlUnits) -> None:
    batch = lines("a", "b", "a", "c")
    assert append(units, batch, 0) == (3, 1, 4)
    assert append(units, batch, 0) == (0, 4, 4)
    assert stored(units) == [(0, b"a"), (1, b"b"), (3, b"c")]


def test_the_same_uuid_with_other_bytes_is_another_record(units: SqlUnits) -> None:
    append(units, [NewLine(b"one", "u")], None)
    assert append(units, [NewLine(b"two", "u")], None) == (1, 0, 2)


def test_a_range_is_read_without_the_rest(units: SqlUnits) -> None:
    append(units, lines(*"abcdef"), 0)
    with units.read() as unit:
        assert list(unit.records.read("s-1", 2, 3)) == [(2, b"c"), (3, b"d")]


def test_readings_are_stored_once_by_event(units: SqlUnits) -> None:
    reading = QueuedReading("e-1", "s-1", "a-1", 4, None, 1, 2, 3, 4, 10, 100, 0.1, "continue", NOW)
    with units.write() as unit:
        assert unit.readings.add([reading, reading]) == 1
    with units.write() as unit:
        assert unit.readings.add([reading]) == 0
        assert unit.readings.of("s-1") == [reading]


def test_an_interrupt_is_declared_once(units: SqlUnits) -> None:
    declared = DeclaredInterrupt("backstop", ("toolu_1",), 7)
    with units.write() as unit:
        unit.interrupts.declare("i-1", "s-1", declared)
        assert unit.interrupts.declare("i-1", "s-1", DeclaredInterrupt("person", (), 9)) == declared
        assert unit.interrupts.of("s-1") == [declared]


def take(units: SqlUnits, owner: str, now: datetime, seconds: float = 6) -> int | None:
    with units.write() as unit:
        compaction = unit.compactions.request(SESSION, now=now)
        until = now + timedelta(seconds=seconds)
        taken = unit.compactions.take_lease(compaction.compaction_id, owner=owner, now=now, until=until)
    return taken.fence if taken else None


def move(units: SqlUnits, target: CompactionState, fence: int | None) -> None:
    with units.write() as unit:
        compaction = unit.compactions.of("s-1")
        assert compaction is not None
        unit.compactions.move(compaction.compaction_id, target, fence=fence, now=NOW)


def test_one_worker_holds_the_lease_until_it_runs_out(units: SqlUnits) -> None:
    assert take(units, "w-1", NOW) == 1
    assert take(units, "w-2", NOW + timedelta(seconds=5)) is None
    assert take(units, "w-2", NOW + timedelta(seconds=7)) == 2


def test_a_renewed_lease_is_not_taken_over(units: SqlUnits) -> None:
    take(units, "w-1", NOW)
    with units.write() as unit:
        compaction = unit.compactions.of("s-1")
        assert compaction is not None
        until = NOW + timedelta(seconds=20)
        assert unit.compactions.renew_lease(compaction.compaction_id, fence=1, until=until)
        assert not unit.compactions.renew_lease(compaction.compaction_id, fence=0, until=until)
    assert take(units, "w-2", NOW + timedelta(seconds=10)) is None


def test_a_worker_that_lost_its_lease_writes_nothing(units: SqlUnits) -> None:
    take(units, "w-1", NOW)
    take(units, "w-2", NOW + timedelta(seconds=7))
    with pytest.raises(StaleLeaseError):
        move(units, CompactionState.PREPARED, fence=1)
    move(units, CompactionState.PREPARED, fence=2)


def test_a_transition_outside_the_table_is_refused(units: SqlUnits) -> None:
    take(units, "w-1", NOW)
    with pytest.raises(FinalError):
        move(units, CompactionState.CLAIMED, fence=None)


def test_what_waits_for_a_worker_is_due(units: SqlUnits) -> None:
    def due(now: datetime) -> list[str]:
        with units.read() as unit:
            return list(unit.compactions.due(now=now, requested_before=now - timedelta(seconds=2), limit=10))

    with units.write() as unit:
        unit.compactions.request(SESSION, now=NOW)
    assert due(NOW + timedelta(seconds=1)) == []
    assert due(NOW + timedelta(seconds=3)) == ["s-1"]
    take(units, "w-1", NOW + timedelta(seconds=3))
    assert due(NOW + timedelta(seconds=5)) == []
    assert due(NOW + timedelta(seconds=10)) == ["s-1"]


def test_ledgers_are_versions_with_their_entries_and_evidence(units: SqlUnits) -> None:
    rule = Entry(EntryKind.RULE, "Never touch the values 東京", (Evidence(3, "Never touch"),), salience=2.0)
    wait = Entry(EntryKind.WAITING_ON, "yes?", (Evidence(5, "yes?", "s-0"),), "asked", Who.USER, "open")
    with units.write() as unit:
        first = unit.ledgers.add(SESSION, Ledger((rule,), 3), extractor="structural", now=NOW)
        second = unit.ledgers.add(SESSION, Ledger((rule, wait), 5), extractor="structural", now=NOW)
    with units.read() as unit:
        assert (first.version, second.version) == (1, 2)
        assert unit.ledgers.latest("s-1") == second
        assert unit.ledgers.get(first.ledger_id) == first
        assert [s.version for s in unit.ledgers.find(session_id="s-1", agent_id=None, limit=9)] == [2, 1]
        found = unit.ledgers.current_entries(session_id=None, agent_id="a-1", kind="rule", value=None, limit=9)
        assert found == [("s-1", rule)], "only the newest version counts"


def test_a_handoff_is_claimed_by_one(units: SqlUnits) -> None:
    with units.write() as unit:
        compaction = unit.compactions.request(SESSION, now=NOW)
        handoff = StoredHandoff(
            "h-1", compaction.compaction_id, "s-1", "a-1", 1, 1, 3, "seed", 2, 4, (DegradedReason.NOT_PREPARED,)
        )
        unit.handoffs.put(handoff)
    with units.write() as unit:
        assert unit.handoffs.claim("h-1", claimed_by="s-2", now=NOW)
        assert not unit.handoffs.claim("h-1", claimed_by="s-3", now=NOW)
    with units.read() as unit:
        taken = unit.handoffs.taken_by("s-2")
        assert taken is not None
        assert (taken.handoff_id, taken.degraded, taken.claimed_at) == ("h-1", (DegradedReason.NOT_PREPARED,), NOW)


def test_a_unit_that_fails_leaves_nothing(units: SqlUnits) -> None:
    def fails() -> None:
        with units.write() as unit:
            unit.sessions.end_turn("s-1", 9)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    with units.read() as unit:
        session = unit.sessions.get("s-1")
        assert session is not None
        assert session.turn_ended_seq == -1
