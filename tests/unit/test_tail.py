"""Where the kept tail begins."""

from models.kinds import Author
from service.domain.tail import longest_tail, open_calls, record_tokens
from service.domain.tokens import estimate_tokens
from service.domain.transcript import Media, Record, Text, ToolResult, ToolUse


def person(seq: int, text: str = "please go on with it") -> Record:
    return Record(seq, "user", (Text(text, Author.PERSON),))


def says(seq: int, text: str = "that is done now") -> Record:
    return Record(seq, "assistant", (Text(text, Author.ASSISTANT),), message_id=f"m{seq}")


def calls(seq: int, *ids: str) -> Record:
    return Record(seq, "assistant", tuple(ToolUse(i, "look", {}, "{}") for i in ids), message_id=f"m{seq}")


def results(seq: int, *ids: str, text: str = "found") -> Record:
    return Record(seq, "user", tuple(ToolResult(i, text) for i in ids))


FIRST = [person(0), calls(1, "a"), results(2, "a"), says(3)]
TURNS = [*FIRST, person(4), calls(5, "b", "c"), results(6, "b", "c"), says(7)]


def test_with_room_for_everything_everything_is_kept() -> None:
    assert longest_tail(TURNS, tail_tokens=10_000) == 0


def test_with_no_room_nothing_is_kept_when_the_turn_is_over() -> None:
    assert longest_tail(TURNS, tail_tokens=0) == 8


def test_the_tail_fits_and_one_legal_cut_more_would_not() -> None:
    budget = sum(record_tokens(record) for record in TURNS[4:])
    assert longest_tail(TURNS, tail_tokens=budget) == 4


def test_an_open_call_is_kept_even_over_the_budget() -> None:
    cut = longest_tail([*TURNS, person(8), calls(9, "d")], tail_tokens=0)
    assert cut == 9


def test_an_image_costs_its_tokens_not_its_bytes() -> None:
    assert record_tokens(Record(0, "user", (Media("image/png"),))) > estimate_tokens("image/png")


def test_calls_without_a_result_are_open_until_the_agent_goes_on() -> None:
    assert open_calls(TURNS) == ()
    assert open_calls([calls(0, "a", "b"), results(1, "a")]) == ("b",)
    assert open_calls([calls(0, "a"), person(1), says(2)]) == (), "a dead call blocks nothing for ever"
