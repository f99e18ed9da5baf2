"""Where a kept tail may begin.

Each rule is a small function that says, for every position of a transcript, whether a tail may begin there:
position `i` is before the i-th record, the last position is an empty tail. A cut is legal when every rule agrees.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from service.domain.calls import orphans, pair_calls, responses_of
from service.domain.transcript import Record

Allowed = list[bool]
CutRule = Callable[[Sequence[Record]], Allowed]


@dataclass(frozen=True, slots=True)
class Cut:
    """`seq` is the first kept one. `legal` is False when no rule-abiding place exists and everything is kept."""

    seq: int
    legal: bool = True


def pairs_whole(records: Sequence[Record]) -> Allowed:
    """No result without its call, whatever stands between them: another result, a person's words, a notice.

    A call that is still open keeps the tail from beginning after it. A dead one does not: nothing will answer it,
    and a session must not be stuck for ever because a process died in the middle of a call.
    """
    position = {record.seq: index for index, record in enumerate(records)}
    spans = []
    for call in pair_calls(records):
        if call.open:
            spans.append((position[call.seq], len(records)))
        elif call.result_seq is not None:
            spans.append((position[call.seq], position[call.result_seq]))
    return _outside(spans, len(records))


def responses_whole(records: Sequence[Record]) -> Allowed:
    """One API response is one unit: its thinking, its text, all its parallel calls, however many records hold it."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for index, response in enumerate(responses_of(records)):
        if response:
            first.setdefault(response, index)
            last[response] = index
    return _outside(((first[key], last[key]) for key in first), len(records))


def batches_whole(records: Sequence[Record]) -> Allowed:
    """Parallel calls and all their results stay together: from the response that calls to the last answer to it."""
    response = dict(zip((record.seq for record in records), responses_of(records), strict=True))
    position = {record.seq: index for index, record in enumerate(records)}
    spans: dict[str, tuple[int, int]] = {}
    for call in pair_calls(records):
        start, end = spans.get(response[call.seq], (position[call.seq], position[call.seq]))
        answered = position[call.result_seq] if call.result_seq is not None else start
        spans[response[call.seq]] = (start, max(end, answered))
    return _outside(spans.values(), len(records))


def no_orphan_first(records: Sequence[Record]) -> Allowed:
    """A result whose call is nowhere in the history may not open a tail."""
    lost = orphans(records)
    return [record.seq not in lost for record in records] + [True]


def native_boundary_first(records: Sequence[Record]) -> Allowed:
    """What a native compaction replaced is no longer in any window: a tail begins at its boundary or after it."""
    boundary = max((index for index, record in enumerate(records) if record.compact_boundary), default=0)
    return [index >= boundary for index in range(len(records) + 1)]


RULES: tuple[CutRule, ...] = (
    pairs_whole,
    responses_whole,
    batches_whole,
    no_orphan_first,
    native_boundary_first,
)


def legal_cuts(records: Sequence[Record]) -> tuple[int, ...]:
    """Seqs at which a kept tail may begin, ascending. The one after the last record is the empty tail."""
    if not records:
        return ()
    seqs = [record.seq for record in records] + [records[-1].seq + 1]
    verdicts = zip(*(rule(records) for rule in RULES), strict=True)
    return tuple(seq for seq, allowed in zip(seqs, verdicts, strict=True) if all(allowed))


def choose_cut(records: Sequence[Record], watermark: int) -> Cut:
    """The latest legal cut that keeps every record after `watermark`, which no ledger covers.

    Without one, everything is kept.
    """
    reachable = [seq for seq in legal_cuts(records) if seq <= watermark + 1]
    if reachable:
        return Cut(reachable[-1])
    return Cut(records[0].seq if records else watermark + 1, legal=not records)


def _outside(spans: Iterable[tuple[int, int]], count: int) -> Allowed:
    """True at every position that lies in none of the spans (after their first record, up to their last)."""
    steps = [0] * (count + 2)
    for first, last in spans:
        steps[first + 1] += 1
        steps[last + 1] -= 1
    return [depth == 0 for depth in accumulate(steps[: count + 1])]
