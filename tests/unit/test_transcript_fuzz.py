"""Nothing a file holds may crash a reader, and every line is accounted for."""

import json
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.adapters.transcripts.anthropic_messages import AnthropicMessagesReader
from service.adapters.transcripts.claude_code import ClaudeCodeReader
from service.adapters.transcripts.detect import detect
from service.domain.responses import responses
from service.ports import TranscriptReader
from tests.unit.transcript_files import assert_accounted, lines_of, shared_file

READERS: list[TranscriptReader] = [ClaudeCodeReader(), AnthropicMessagesReader()]

KEYS = st.sampled_from(
    [
        "type",
        "message",
        "role",
        "content",
        "uuid",
        "isSidechain",
        "isMeta",
        "usage",
        "id",
        "name",
        "input",
        "text",
        "tool_use_id",
        "is_error",
        "attachment",
        "prompt",
        "origin",
        "kind",
        "toolUseResult",
        "toolDenialKind",
        "userFeedback",
        "subtype",
        "model",
        "iterations",
        "questions",
        "answers",
        "options",
        "label",
        "rendered",
        "version",
        "source",
        "media_type",
        "thinking",
        "agentId",
        "blockingError",
        "commandMode",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "attachment",
        "text",
        "tool_use",
        "tool_result",
        "image",
        "thinking",
        "queued_command",
        "message",
        "<synthetic>",
        "compact_boundary",
        "hook_additional_context",
        "user-rejected",
        "AskUserQuestion",
        "compaction",
        "web_search_tool_result",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(), inner, max_size=6)
)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(lines: list[bytes]) -> None:
    detect(lines)
    for reader in READERS:
        transcript = reader.read(enumerate(lines))
        assert_accounted(transcript, len(lines))
        responses(transcript)
        for line in lines:
            reader.record_uuid(line)


@quick
@given(st.lists(st.binary(), max_size=5))
def test_arbitrary_bytes(lines: list[bytes]) -> None:
    check(lines)


@quick
@given(st.lists(VALUES, max_size=4))
def test_arbitrary_json(values: list[object]) -> None:
    # Also unescaped, where it can be written at all.
    check([json.dumps(value).encode() for value in values])
    check([json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") for value in values])


@quick
@given(WORDS, VALUES, VALUES)
def test_records_with_arbitrary_fields(kind: str, content: object, rest: object) -> None:
    fields = rest if isinstance(rest, dict) else {}
    message = {"role": kind, "content": content, "usage": rest, **fields}
    check([json.dumps({**fields, "type": kind, "message": message, "attachment": message, "role": kind}).encode()])


@cache
def real_records() -> list[dict[str, object]]:
    folder = shared_file("transcripts", "claude-code")
    lines = [line for path in sorted(folder.rglob("*.jsonl")) for line in lines_of(path) if len(line) < 20_000]
    return [json.loads(line) for line in lines[::9]]


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, (*path, key))
    return found


def with_value(record: object, path: tuple[str | int, ...], value: object) -> object:
    if not path:
        return value
    changed = dict(record) if isinstance(record, dict) else list(record)  # type: ignore[call-overload]
    changed[path[0]] = with_value(changed[path[0]], path[1:], value)
    return changed


@quick
@given(st.data())
def test_mutated_real_records(data: st.DataObject) -> None:
    record: object = data.draw(st.sampled_from(real_records()))
    for _ in range(data.draw(st.integers(1, 3))):
        if not (paths := places(record)):
            break
        record = with_value(record, data.draw(st.sampled_from(paths)), data.draw(VALUES))
    check([json.dumps(record).encode()])


@pytest.mark.parametrize("cut", range(1, 400, 13))
def test_torn_last_lines(cut: int) -> None:
    line = json.dumps(real_records()[0]).encode()
    check([line, line[: min(cut, len(line) - 1)]])
