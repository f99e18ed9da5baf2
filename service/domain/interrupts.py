"""Which calls the runtime itself cut, as the host declared before it did so.

By id first, then by structure, by words last, and only where the transcript ends: once the agent has gone on after a
declared interrupt, what stands there is history and is left as it is.
"""

from collections.abc import Mapping, Sequence

from service.domain.calls import Call
from service.domain.ledger import DeclaredInterrupt
from service.domain.outcomes import Outcome, is_rejection, outcome_of
from service.domain.transcript import Record


def cut_calls(
    records: Sequence[Record], calls: Sequence[Call], interrupts: Sequence[DeclaredInterrupt]
) -> Mapping[str, str]:
    """Ids of the calls that a declared interrupt cut at the end of this transcript, with its cause."""
    found: dict[str, str] = {}
    for interrupt in interrupts:
        if not _agent_is_silent_after(records, interrupt.after_seq):
            continue
        for call in calls:
            if _was_cut(call, interrupt):
                found.setdefault(call.use.id, interrupt.cause)
    return found


def declared_ids(interrupts: Sequence[DeclaredInterrupt]) -> frozenset[str]:
    """Ids that some interrupt named. No person stopped these, wherever they stand."""
    return frozenset(call_id for interrupt in interrupts for call_id in interrupt.tool_use_ids)


def _agent_is_silent_after(records: Sequence[Record], seq: int) -> bool:
    return not any(record.role == "assistant" and record.blocks and record.seq > seq for record in records)


def _was_cut(call: Call, interrupt: DeclaredInterrupt) -> bool:
    if interrupt.tool_use_ids:
        if call.use.id not in interrupt.tool_use_ids:
            return False
    elif call.result_seq is not None and call.result_seq <= interrupt.after_seq:
        return False
    if call.result is None:
        return True
    if call.result_seq is not None and call.result_seq <= interrupt.after_seq:
        return False  # it had come back before
    if interrupt.tool_use_ids:  # named, and no proof that it ran to its end
        return outcome_of(call) not in (Outcome.OK, Outcome.ACCEPTED)
    return is_rejection(call.result)
