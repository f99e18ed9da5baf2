"""Messages-API lines."""

import gzip
import json

import pytest

from models.kinds import Author
from service.adapters.transcripts.anthropic_messages import AnthropicMessagesReader
from service.domain.skips import SkipReason
from service.domain.transcript import Media, Record, Text, ToolResult, Transcript, Usage
from tests.unit.transcript_files import assert_accounted, said, shared_file


def read(*messages: object) -> Transcript:
    lines = [json.dumps(message, ensure_ascii=False).encode() for message in messages]
    transcript = AnthropicMessagesReader().read(enumerate(lines))
    assert_accounted(transcript, len(lines))
    return transcript


def test_roles_and_authors() -> None:
    transcript = read(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Never pay."},
        {"role": "assistant", "content": [{"type": "text", "text": "Understood."}]},
    )
    assert [record.role for record in transcript.records] == ["system", "user", "assistant"]
    assert said(transcript, Author.SYSTEM) == ["Be brief."]
    assert said(transcript, Author.PERSON) == ["Never pay."]
    assert said(transcript, Author.ASSISTANT) == ["Understood."]


def test_result_content_is_text_or_blocks() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    blocks = [
        {"type": "tool_result", "tool_use_id": "a", "content": "plain"},
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "content": [{"type": "text", "text": "x"}, image],
            "is_error": True,
        },
        {"type": "tool_result", "tool_use_id": "c"},
        {"type": "text", "text": "and now?"},
        image,
    ]
    (record,) = read({"role": "user", "content": blocks}).records
    assert record.blocks == (
        ToolResult("a", "plain"),
        ToolResult("b", "x", is_error=True),
        Media("image/png"),
        ToolResult("c", ""),
        Text("and now?", Author.PERSON),
        Media("image/png"),
    )


def test_a_stored_api_response_keeps_its_id_and_bill() -> None:
    response = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 9}}
    assert read(response).records == (Record(0, "assistant", (), None, "msg_1", Usage(input_tokens=9)),)
    assert read({**response, "role": "user"}).records == (Record(0, "user", ()),)


def test_seeds_compactions_and_reminders_are_not_the_persons() -> None:
    transcript = read(
        {"role": "user", "content": "[Carryforward handoff]\nNever pay."},
        {"role": "user", "content": "<system-reminder>Never pay.</system-reminder>"},
        {"role": "assistant", "content": [{"type": "compaction", "content": "Never pay."}]},
    )
    assert said(transcript, Author.PERSON) == []
    assert said(transcript, Author.SUMMARY) == ["[Carryforward handoff]\nNever pay.", "Never pay."]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"content": "x"}, SkipReason.UNKNOWN_TYPE),
        ({"role": "critic", "content": "x"}, SkipReason.UNKNOWN_TYPE),
        ({"role": ["user"], "content": "x"}, SkipReason.MALFORMED),
        ({"role": "user"}, SkipReason.MALFORMED),
        ({"role": "user", "content": {"type": "text"}}, SkipReason.MALFORMED),
        ([], SkipReason.NOT_AN_OBJECT),
    ],
)
def test_lines_left_out(message: object, reason: SkipReason) -> None:
    assert read(message).skipped == {reason: 1}


def test_uuid_of_the_host() -> None:
    message = {"role": "user", "content": "a", "uuid": "h-1", "id": "x"}
    assert AnthropicMessagesReader().record_uuid(json.dumps(message).encode()) == "h-1"
    assert AnthropicMessagesReader().record_uuid(b'{"role":"user","id":"x"}') is None
    assert read(message, message).skipped == {SkipReason.DUPLICATE_UUID: 1}


@pytest.mark.parametrize("name", ["tau1/tau1_airline_gpt4o", "toolathlon/toolathlon", "multichallenge/multichallenge"])
def test_corpus_reads_whole_and_byte_exact(name: str) -> None:
    calls = 0
    with gzip.open(shared_file("corpus", f"{name}.jsonl.gz")) as file:
        for line in file:
            row = json.loads(line)
            transcript = read(*row["messages"])
            assert transcript.skipped == {}
            arguments = row.get("raw_arguments") or {}
            for record in transcript.records:
                for call in record.tool_uses:
                    calls += 1
                    if arguments.get("style") == "compact" and call.id not in arguments["exceptions"]:
                        assert json.dumps(call.input, ensure_ascii=False, separators=(",", ":")) == call.input_json
    assert calls or name.startswith("multichallenge")
