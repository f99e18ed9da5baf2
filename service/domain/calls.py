"""Calls paired with what came back, by id and never by position."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.transcript import Record, ToolResult, ToolUse


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Of several results for one id the last counts: an interim one does not close a call.

    `dead`: never answered, though the agent has gone on since; nothing will come back any more.
    """

    use: ToolUse
    seq: int
    result: ToolResult | None = None
    result_seq: int | None = None
    dead: bool = False

    @property
    def open(self) -> bool:
        return self.result is None and not self.dead


def pair_calls(records: Sequence[Record]) -> tuple[Call, ...]:
    """Every call in the order in which it was made. A result whose call is nowhere before it belongs to none."""
    calls: list[Call] = []
    by_id: dict[str, int] = {}
    open_: dict[int, str] = {}
    for record, response in zip(records, responses_of(records), strict=True):
        if record.role == "assistant" and record.blocks:
            _bury(calls, open_, response)
        for use in record.tool_uses:
            by_id[use.id] = len(calls)
            open_[len(calls)] = response
            calls.append(Call(use, record.seq))
        for result in record.tool_results:
            index = by_id.get(result.tool_use_id)
            if index is not None:
                open_.pop(index, None)
                calls[index] = Call(calls[index].use, calls[index].seq, result, record.seq)
    return tuple(calls)


def responses_of(records: Sequence[Record]) -> list[str]:
    """For each record the API response it is a part of; "" for what is none.

    Where no message id tells, assistant records with nothing from the user's side between them are one response.
    """
    found: list[str] = []
    run = 0
    for record in records:
        if record.role == "assistant":
            found.append(f"id {record.message_id}" if record.message_id else f"run {run}")
        else:
            run += record.role == "user"
            found.append("")
    return found


def orphans(records: Sequence[Record]) -> frozenset[int]:
    """Seqs of records that hold a result whose call is nowhere before it."""
    called: set[str] = set()
    found: set[int] = set()
    for record in records:
        if any(result.tool_use_id not in called for result in record.tool_results):
            found.add(record.seq)
        called.update(use.id for use in record.tool_uses)
    return frozenset(found)


def _bury(calls: list[Call], open_: dict[int, str], response: str) -> None:
    """The agent speaks again: what an earlier response called and nobody answered is dead."""
    for index in [index for index, earlier in open_.items() if earlier != response]:
        del open_[index]
        calls[index] = Call(calls[index].use, calls[index].seq, dead=True)
