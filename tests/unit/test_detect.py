"""Formats are told by content."""

import gzip
import json

import pytest

from models.kinds import TranscriptFormat
from service.adapters.transcripts.detect import detect
from tests.unit.transcript_files import lines_of, shared_file


def test_every_real_session_file() -> None:
    for path in shared_file("transcripts", "claude-code").rglob("*.jsonl"):
        lines = lines_of(path)
        assert detect(lines) is TranscriptFormat.CLAUDE_CODE
        assert detect(lines[len(lines) // 2 :]) is TranscriptFormat.CLAUDE_CODE


def test_corpus_messages() -> None:
    with gzip.open(shared_file("corpus", "tau2", "tau2_airline.jsonl.gz")) as file:
        for row in map(json.loads, file):
            assert detect(json.dumps(message).encode() for message in row["messages"]) is (
                TranscriptFormat.ANTHROPIC_MESSAGES
            )


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([], None),
        ([b"", b"\x00", b"not json", b"[]", b"{}"], None),
        ([b'{"type":"user","text":"hi"}'], None),
        ([b'{"role":"user"}'], None),
        ([b'{"role":["user"],"content":"x"}'], None),
        ([b"torn{", b'{"role":"user","content":"hi"}'], TranscriptFormat.ANTHROPIC_MESSAGES),
        ([b'{"type":"message","role":"assistant","content":[]}'], TranscriptFormat.ANTHROPIC_MESSAGES),
        ([b'{"type":"summary","summary":"x","leafUuid":"y"}'], TranscriptFormat.CLAUDE_CODE),
        ([b'{"type":"user","message":{"role":"user","content":"hi"}}'], TranscriptFormat.CLAUDE_CODE),
        ([b'{"type":"file-history-snapshot"}'], TranscriptFormat.CLAUDE_CODE),
    ],
)
def test_single_lines(lines: list[bytes], found: TranscriptFormat | None) -> None:
    assert detect(lines) is found


def test_only_the_head_is_read() -> None:
    def endless() -> object:
        while True:
            yield b"{}"

    assert detect(endless()) is None  # type: ignore[arg-type]
