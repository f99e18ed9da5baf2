"""One API response counts once."""

from service.domain.responses import Response, responses
from service.domain.transcript import Record, Transcript, Usage


def record(seq: int, message_id: str | None, output: int | None) -> Record:
    usage = None if output is None else Usage(input_tokens=100, output_tokens=output)
    return Record(seq, "assistant", (), message_id=message_id, usage=usage)


def test_the_largest_bill_of_a_response_counts() -> None:
    found = responses(Transcript((record(0, "m", 1), record(1, "m", 1), record(3, "m", 411))))
    assert found == (Response("m", 0, 3, Usage(input_tokens=100, output_tokens=411)),)


def test_a_smaller_copy_later_does_not_shrink_it() -> None:
    (found,) = responses(Transcript((record(0, "m", 411), record(1, "m", 1))))
    assert found.usage.output_tokens == 411
    assert found.last_seq == 1


def test_interleaved_and_nameless_responses() -> None:
    rows = (record(0, "a", 1), record(1, "b", 1), record(2, "a", 2), record(3, None, 3), record(4, None, 3))
    found = responses(Transcript((*rows, record(5, "c", None))))
    assert [(response.message_id, response.first_seq) for response in found] == [
        ("a", 0),
        ("b", 1),
        (None, 3),
        (None, 4),
    ]
    assert [response.usage.output_tokens for response in found] == [2, 1, 3, 3]
