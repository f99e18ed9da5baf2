"""Reading helpers shared by the transcript tests."""

import json
from pathlib import Path

import pytest

from models.kinds import Author
from service.adapters.transcripts.claude_code import ClaudeCodeReader
from service.domain.transcript import Record, Text, ToolResult, Transcript


def shared_file(*parts: str) -> Path:
    """A file of the `shared` folder beside the repository, or a skip where that is not there."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "pyproject.toml").is_file():
            path = folder.parent.joinpath("shared", *parts)
            if not path.exists():
                pytest.skip(f"no {'/'.join(parts)} in ../shared")
            return path
    raise AssertionError("no repository root above this file")


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().removesuffix(b"\n").split(b"\n")


def read_session(name: str) -> Transcript:
    """A real Claude Code file, every line of it accounted for."""
    lines = lines_of(shared_file("transcripts", "claude-code", name))
    transcript = ClaudeCodeReader().read(enumerate(lines))
    assert_accounted(transcript, len(lines))
    return transcript


def read_lines(*records: object, first_seq: int = 0) -> Transcript:
    """Claude Code records, bytes as they are, anything else as JSON."""
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    transcript = ClaudeCodeReader().read(enumerate(lines, first_seq))
    assert_accounted(transcript, len(lines))
    return transcript


def assert_accounted(transcript: Transcript, lines: int) -> None:
    """Each line is a record or counted, in order, and every text can be stored."""
    assert len(transcript.records) + sum(transcript.skipped.values()) == lines
    seqs = [record.seq for record in transcript.records]
    assert seqs == sorted(set(seqs))
    for record in transcript.records:
        for block in record.blocks:
            repr(block).encode()


def said(transcript: Transcript, author: Author) -> list[str]:
    return [text for record in transcript.records for text in record.texts(author)]


def denials(transcript: Transcript) -> list[str | None]:
    return [result.denial for record in transcript.records for result in record.tool_results if result.denial]


def at(transcript: Transcript, seq: int) -> Record:
    return next(record for record in transcript.records if record.seq == seq)


def texts(record: Record) -> list[tuple[str, str]]:
    return [(block.text, block.author.value) for block in record.blocks if isinstance(block, Text)]


def results(record: Record) -> list[ToolResult]:
    return list(record.tool_results)


def prompt(content: object, **fields: object) -> dict[str, object]:
    return {"type": "user", "uuid": "u-1", "message": {"role": "user", "content": content}, **fields}


def answer(content: object, **fields: object) -> dict[str, object]:
    return {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": content}, **fields}


def call(call_id: str, name: str, arguments: object = None) -> dict[str, object]:
    return answer([{"type": "tool_use", "id": call_id, "name": name, "input": arguments or {}}])


def result(call_id: str, text: object, *, is_error: bool = True, **fields: object) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [block]}, **fields}
