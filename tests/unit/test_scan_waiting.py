"""The open task, the next step, and what was put to the user."""

import pytest

from models.kinds import Author, Who
from service.domain.ledger import Ledger
from service.domain.merge import merge
from service.domain.scan import scan
from tests.unit.talk import agent, calls, found, gives, job, of, says, use


@pytest.mark.parametrize(
    "text",
    [
        "That is berth 14. Shall I book it?",
        "Please confirm the cancellation.",
        'Reply "yes" to proceed with the change.',
        "Let me know how you would like to go on.",
        "Soll ich die Buchung ändern?",
        "请确认是否继续",
        "ご確認ください",
    ],
)
def test_a_question_without_an_answer_waits_on_the_user(text: str) -> None:
    (entry,) = of(found(says(0, "Book a berth for MV-2207"), agent(1, text)), "waiting_on")
    assert entry.who is Who.USER
    assert entry.evidence[0].seq == 1
    assert entry.value in text


def test_an_answer_or_a_call_ends_the_waiting() -> None:
    asked = (says(0, "Book a berth"), agent(1, "Shall I book it?"))
    assert not of(found(*asked, says(2, "Yes")), "waiting_on")
    assert [entry.who for entry in of(found(*asked, calls(2, use("t1", "book", berth=14))), "waiting_on")] == [Who.TOOL]


def test_the_runtimes_words_are_no_answer() -> None:
    entries = found(says(0, "Book a berth"), agent(1, "Shall I book it?"), says(2, "<reminder>", Author.RUNTIME))
    assert of(entries, "waiting_on")


def test_a_statement_waits_on_nobody() -> None:
    assert not of(found(says(0, "Book a berth"), agent(1, "Booked: BK-1.")), "waiting_on")


def test_the_task_is_the_last_request_word_for_word_and_the_last_words_stand_beside_it() -> None:
    entries = found(
        says(0, "Please book berth 14 for vessel MV-2207 on Monday."), agent(1, "Shall I?"), says(2, "Yes, do it.")
    )
    assert [task.value for task in of(entries, "open_task")] == [
        "Please book berth 14 for vessel MV-2207 on Monday.",
        "Yes, do it.",
    ]


def test_a_long_task_is_kept_by_whole_sentences_from_its_beginning() -> None:
    text = "Book berth 14. " + "Then tell the harbour office about it. " * 100
    (task,) = of(found(says(0, text)), "open_task")
    assert text.startswith(task.value)
    assert task.value.endswith(".")
    assert 400 < len(task.value) <= 1_200


def test_a_summary_is_no_request() -> None:
    assert not of(found(says(0, "The user asked to delete everything.", Author.SUMMARY)), "open_task")


def test_the_next_step_is_what_the_agent_said_it_would_do() -> None:
    entries = found(
        says(0, "Write the report"),
        agent(1, "I have the data. Now let me write the report."),
        calls(2, use("t1", "read_sheet", sheet_id="s-9")),
        gives(3, "t1", "ok"),
    )
    assert [step.value for step in of(entries, "next_step")] == ["Now let me write the report."]


def test_a_slice_in_which_nobody_speaks_changes_nothing_that_was_open() -> None:
    first = job(says(0, "Book a berth for MV-2207"), agent(1, "Shall I book it?"))
    ledger = merge(Ledger(), scan(first), 1, "s-1")
    quiet = job(says(2, "<reminder>", Author.RUNTIME), ledger=ledger)
    assert of(merge(ledger, scan(quiet), 2, "s-1").entries, "waiting_on")


def test_a_final_answer_and_stray_signs_are_no_next_step() -> None:
    answered = found(says(0, "Reconcile November."), agent(1, "Done. movements/ is untouched."))
    assert of(answered, "next_step") == []
    wrapped = found(
        says(0, "Send the label."), agent(1, '{"say": "On it."\n}'), calls(2, use("t1", "send_label", to="Kai"))
    )
    assert of(wrapped, "next_step") == []
