"""The kept tail: the longest run of records at the end, from a legal cut on, that fits its budget."""

from collections.abc import Sequence

from service.domain.cut import legal_cuts
from service.domain.tokens import estimate_tokens
from service.domain.transcript import Record, Text, Thinking, ToolResult, ToolUse

MEDIA_TOKENS = 1_600
"""What an image costs, about: its bytes are no measure of it."""


def longest_tail(records: Sequence[Record], *, tail_tokens: int) -> int:
    """The `seq` at which the kept tail begins: the earliest legal cut from which on the records fit `tail_tokens`.

    Where none fits, the latest legal cut: the tail is then as short as it can be. The position after the last record is
    an empty tail, legal when no call is open. With no legal cut at all, everything is kept.
    `records` is not empty.
    """
    legal = set(legal_cuts(records))
    end_seq = records[-1].seq + 1
    if end_seq in legal:
        cut, fits = end_seq, True
    else:
        cut, fits = records[0].seq, False
    tokens = 0
    for record in reversed(records):
        tokens += record_tokens(record)
        if record.seq not in legal:
            continue
        if tokens > tail_tokens:
            return cut if fits else record.seq
        cut, fits = record.seq, True
    return cut


def record_tokens(record: Record) -> int:
    """Estimated tokens of what a record brings into a window."""
    tokens = 0
    for block in record.blocks:
        if isinstance(block, Text | Thinking | ToolResult):
            tokens += estimate_tokens(block.text)
        elif isinstance(block, ToolUse):
            tokens += estimate_tokens(block.name) + estimate_tokens(block.input_json)
        else:
            tokens += MEDIA_TOKENS
    return tokens


def open_calls(records: Sequence[Record]) -> tuple[str, ...]:
    """Ids of the last response's calls that have no result: the turn is in the middle of them."""
    answered = {result.tool_use_id for record in records for result in record.tool_results}
    open_: list[str] = []
    for record in records:
        if record.role == "assistant":
            open_ = [] if not record.tool_uses and record.blocks else open_
            open_ += [use.id for use in record.tool_uses]
    return tuple(call for call in open_ if call not in answered)
