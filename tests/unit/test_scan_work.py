"""Done, failed, refused, cut and pending calls."""

import pytest

from models.kinds import Who
from service.domain.ledger import DeclaredInterrupt
from service.domain.tool_verbs import changes_something
from tests.unit.talk import MARKER, agent, calls, found, gives, job, marker, of, rejected, says, use

BOOK = use("t1", "create_booking", vessel="MV-2207", berth=14)


def test_a_write_that_came_back_well_is_done_with_its_arguments_and_what_it_made() -> None:
    entries = found(says(0, "Book it"), calls(1, BOOK), gives(2, "t1", '{"booking_id": "BK-20931", "berth": 14}'))
    (done,) = of(entries, "done")
    assert done.value == "create_booking MV-2207 berth=14"
    assert done.detail == "gave booking_id BK-20931"
    assert {piece.seq for piece in done.evidence} == {1, 2}


@pytest.mark.parametrize(
    "result",
    [
        "Error: berth 14 is taken",
        '{"error": "berth is taken"}',
        '{"success": false, "reason": "taken"}',
        '{"type":"text","text":"Access denied: berth 14","annotations":null}',
        '{"type":"text","text":"failed to update reference: 422"}',
        '{"status": 409, "message": "conflict"}',
        "Traceback (most recent call last):\n  boom",
        "HTTP 503 error",
    ],
)
def test_an_error_in_whatever_form_is_failed_never_done(result: str) -> None:
    entries = found(says(0, "Book it"), calls(1, BOOK), gives(2, "t1", result))
    assert not of(entries, "done")
    (failed,) = of(entries, "failed")
    assert failed.value.startswith("create_booking MV-2207")


@pytest.mark.parametrize(
    "result", ['{"errors": [], "id": "x-1"}', "0 errors found", "Error rate: 0", '{"error": null}']
)
def test_a_result_that_only_speaks_of_errors_is_none(result: str) -> None:
    assert of(found(calls(1, BOOK), gives(2, "t1", result)), "done")


def test_a_receipt_proves_nothing_yet_and_the_final_result_does() -> None:
    pending = (calls(1, BOOK), gives(2, "t1", '{"status": "queued", "job": "j-1"}'))
    assert [entry.who for entry in of(found(*pending), "waiting_on")] == [Who.EXTERNAL]
    entries = found(*pending, gives(3, "t1", '{"status": "booked", "booking_id": "BK-1"}'))
    assert of(entries, "done")
    assert not of(entries, "waiting_on")


def test_a_call_without_a_result_waits_on_the_tool() -> None:
    entries = found(says(0, "Book it"), calls(1, BOOK))
    assert [(entry.who, entry.value) for entry in of(entries, "waiting_on")] == [
        (Who.TOOL, "create_booking MV-2207 berth=14")
    ]
    assert not of(entries, "done")


def test_a_call_that_nobody_will_answer_any_more_is_unknown_not_waited_for() -> None:
    entries = found(calls(1, BOOK), says(2, "hello?"), agent(3, "Something went wrong. I go on."))
    assert of(entries, "unknown_outcome")
    assert not of(entries, "waiting_on")


def test_reading_is_not_work() -> None:
    assert not of(found(calls(1, use("t1", "get_order", order_id="#W1")), gives(2, "t1", "{}")), "done")


def test_a_declared_cut_keeps_the_exact_call_and_blames_nobody() -> None:
    cut = (DeclaredInterrupt("backstop", ("t1",), after_seq=1),)
    entries = found(says(0, "Book it"), calls(1, BOOK), rejected(2, "t1"), marker(3), interrupts=cut)
    (unknown,) = of(entries, "unknown_outcome")
    assert unknown.value == "create_booking MV-2207 berth=14"
    assert unknown.detail.startswith("cut by the runtime (backstop), not by a person")
    assert not [entry for entry in entries if entry.who is Who.USER]
    assert not [entry for entry in entries if MARKER in entry.value or "doesn't want" in str(entry)]


def test_the_same_records_undeclared_are_a_persons_refusal() -> None:
    entries = found(says(0, "Book it"), calls(1, BOOK), rejected(2, "t1"), marker(3))
    assert [entry.who for entry in of(entries, "waiting_on")] == [Who.USER]
    assert not of(entries, "unknown_outcome")
    assert not of(entries, "done")


def test_an_earlier_stop_by_a_person_stays_theirs_beside_a_declared_cut() -> None:
    entries = found(
        says(0, "Cancel it"),
        calls(1, use("t0", "cancel_booking", booking_id="BK-7")),
        rejected(2, "t0"),
        marker(3),
        says(4, "I stopped that myself."),
        agent(5, "Understood."),
        calls(6, BOOK),
        rejected(7, "t1"),
        marker(8),
        interrupts=(DeclaredInterrupt("backstop", ("t1",), after_seq=6),),
    )
    assert [entry.value for entry in of(entries, "unknown_outcome")] == ["create_booking MV-2207 berth=14"]
    (stopped,) = of(entries, "failed")
    assert (stopped.value, stopped.status) == ("cancel_booking BK-7", "rejected")
    assert "I stopped that myself." in stopped.detail


def test_a_declared_cut_that_the_agent_has_gone_on_after_is_left_as_it_is() -> None:
    cut = (DeclaredInterrupt("backstop", ("t1",), after_seq=1),)
    entries = found(calls(1, BOOK), rejected(2, "t1"), agent(3, "I look first."), interrupts=cut)
    assert not of(entries, "unknown_outcome")
    assert not [entry for entry in entries if entry.who is Who.USER or entry.status == "rejected"], "still no blame"


def test_of_a_cut_batch_what_had_come_back_is_done() -> None:
    both = calls(1, BOOK, use("t2", "send_invoice", invoice="INV-7"))
    cut = (DeclaredInterrupt("shutdown", ("t1", "t2"), after_seq=1),)
    entries = found(both, gives(2, "t1", '{"booking_id": "BK-1"}'), rejected(3, "t2"), interrupts=cut)
    assert [entry.value for entry in of(entries, "done")] == ["create_booking MV-2207 berth=14"]
    assert [entry.value for entry in of(entries, "unknown_outcome")] == ["send_invoice INV-7"]


def test_an_interrupt_without_ids_finds_its_calls_by_what_came_after_it() -> None:
    cut = (DeclaredInterrupt("operator", (), after_seq=1),)
    assert of(found(calls(1, BOOK), rejected(2, "t1"), interrupts=cut), "unknown_outcome")
    ran = gives(2, "t1", '{"booking_id": "BK-1"}')
    assert of(found(calls(1, BOOK), ran, interrupts=cut), "done")


def test_a_long_argument_is_kept_by_its_first_words() -> None:
    text = "All berths north of the lock are closed from Monday on, " * 40
    (unknown,) = of(
        found(calls(1, use("t1", "send_mail", to="ops@example.org", body=text)), says(2, "?"), agent(3, "Gone.")),
        "unknown_outcome",
    )
    assert unknown.value.startswith('send_mail ops@example.org body="All berths north of the lock are closed from')
    assert len(unknown.value) < 200


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("get_order", False),
        ("order_lookup", False),
        ("list-files", False),
        ("search_and_replace", True),
        ("get_or_create_user", True),
        ("todo_list_add", True),
        ("book_table", True),
        ("mcp__shop__updateOrder", True),
        ("emails-send_email", True),
        ("shop-orders_list", False),
        ("Bash", None),
    ],
)
def test_a_tools_verb_tells_whether_it_writes(name: str, writes: bool | None) -> None:
    assert changes_something(name) is writes


def test_a_verb_nobody_knows_is_decided_by_what_the_result_says() -> None:
    ran = use("t1", "kubectl", command="scale web --replicas 3")
    assert of(found(calls(1, ran), gives(2, "t1", "deployment updated")), "done")
    assert not of(found(calls(1, ran), gives(2, "t1", "web 3/3 running")), "done")


def test_nothing_at_all_gives_nothing() -> None:
    assert found() == ()
    assert job().transcript.records == ()
