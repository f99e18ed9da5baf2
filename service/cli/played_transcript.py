"""A recorded Claude Code transcript, cut into what a live host would do with it: lines, usage events, turns."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from models.kinds import Author, TranscriptFormat
from service import wiring
from service.domain.responses import responses
from service.domain.tail import record_tokens
from service.domain.transcript import Record, Text, Transcript
from service.errors import InvalidInputError

USUAL_WINDOWS = (200_000, 1_000_000)
CROSS_AT = 0.7
"""A transcript too short for a usual window gets one that it fills to the threshold after this share of its events."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line as the host writes it. `used_tokens` is set where a model response is complete."""

    line: bytes
    event_id: str | None = None
    used_tokens: int | None = None
    usage: dict[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """`turns` are lists of steps; `window_tokens` is what the host declares; `scaled`: chosen to fit the transcript."""

    turns: Sequence[Sequence[Step]]
    window_tokens: int
    scaled: bool
    records: int
    estimated_tokens: int


def read_play(path: Path, *, threshold: float) -> Play:
    """InvalidInputError when the file holds no conversation."""
    lines = path.read_bytes().split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    transcript = wiring.transcript_readers()[TranscriptFormat.CLAUDE_CODE].read(enumerate(lines))
    if not transcript.records:
        raise InvalidInputError(
            f"{path} holds no Claude Code conversation", hint="Give a session's .jsonl file of Claude Code."
        )
    steps = _steps(lines, transcript)
    starts = [record.seq for record in transcript.records if _begins_turn(record)] or [0]
    edges = [0, *starts[1:], len(steps)]
    turns = [steps[start:end] for start, end in pairwise(edges) if end > start]
    used = [step.used_tokens for step in steps if step.used_tokens is not None]
    window, scaled = _window(used, threshold)
    tokens = sum(record_tokens(record) for record in transcript.records)
    return Play(turns, window, scaled, len(transcript.records), tokens)


def conversation_tokens(lines: Sequence[str]) -> int:
    """Estimated tokens of a kept tail: of what its records say, not of the JSON around it."""
    numbered = enumerate(line.encode() for line in lines)
    transcript = wiring.transcript_readers()[TranscriptFormat.CLAUDE_CODE].read(numbered)
    return sum(record_tokens(record) for record in transcript.records)


def _steps(lines: Sequence[bytes], transcript: Transcript) -> list[Step]:
    """A response that fills several lines is reported once, with its last line. Where no line carries usage, the host's
    gauge is its own estimate of everything so far."""
    records = {record.seq: record for record in transcript.records}
    ended_by = {response.last_seq: response for response in responses(transcript)}
    steps, estimate = [], 0
    for seq, line in enumerate(lines):
        record = records.get(seq)
        if record is None:
            steps.append(Step(line))
            continue
        estimate += record_tokens(record)
        if (response := ended_by.get(seq)) is not None:
            event_id = response.message_id or f"response-{seq}"
            steps.append(Step(line, event_id, response.usage.total_tokens, asdict(response.usage)))
        elif not ended_by and (record.role == "assistant" or seq == max(records)):
            steps.append(Step(line, f"gauge-{seq}", max(estimate, 1)))
        else:
            steps.append(Step(line))
    return steps


def _begins_turn(record: Record) -> bool:
    person = any(isinstance(block, Text) and block.author is Author.PERSON for block in record.blocks)
    return record.role == "user" and person and not record.tool_results


def _window(used: Sequence[int], threshold: float) -> tuple[int, bool]:
    peak = max(used)
    for window in USUAL_WINDOWS:
        if threshold <= peak / window <= 1:
            return window, False
    wanted = used[min(len(used) - 1, int(len(used) * CROSS_AT))]
    return max(1, int(wanted / threshold)), True
