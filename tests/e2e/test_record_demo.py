"""The recorder runs with the real CLI and tells the same story as the file that is shipped."""

from collections import Counter
from pathlib import Path

import pytest

from service.adapters.transcripts.claude_code import ClaudeCodeReader
from service.domain.responses import responses
from service.domain.transcript import Transcript
from tests.recording.cleaning import forbidden
from tests.unit.transcript_files import lines_of

SHIPPED = Path(__file__).parents[2] / "service/cli/data/demo.jsonl"


def shape(transcript: Transcript) -> list[object]:
    """Everything but uuids, times and paths; results by call, since parallel ones come in any order."""
    results = {result.tool_use_id: result for record in transcript.records for result in record.tool_results}
    return [
        [(response.message_id, response.usage) for response in responses(transcript)],
        [(call.name, call.id) for record in transcript.records for call in record.tool_uses],
        sorted((call_id, result.is_error, result.denial) for call_id, result in results.items()),
        Counter(type(block).__name__ for record in transcript.records for block in record.blocks),
    ]


@pytest.mark.sdk
def test_a_new_recording_has_the_shape_of_the_shipped_one(tmp_path: Path) -> None:
    pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")
    from tests.recording.record_demo import record

    lines = record(tmp_path / "desk", tmp_path / "agent")
    reader = ClaudeCodeReader()
    recorded = reader.read(enumerate(lines))
    assert shape(recorded) == shape(reader.read(enumerate(lines_of(SHIPPED))))
    text = b"\n".join(lines).decode()
    assert forbidden(text.replace(str(tmp_path), "/srv"), names=()) == []
    assert list(tmp_path.iterdir()) == []


def test_forbidden_finds_what_must_not_be_published() -> None:
    for path in ("/" + "root/.claude", "/home/user/x", "/tmp/scratch/venv", "/Users/someone", "/" + "work/x"):
        assert forbidden(f'{{"cwd":"{path}"}}', names=()) == [path]
    assert forbidden("the host vm-1 of jo", names=("vm-1", "jo")) == ["vm-1", "jo"]
    assert forbidden("/srv/harbour-desk/tmp/home and https://x.example/a/work", names=("jo",)) == []
