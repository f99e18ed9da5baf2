"""The transcript that ships with the command line: it reads cleanly, and holds what the demo is to show."""

import json
from functools import cache
from pathlib import Path

from models.kinds import Author
from service.adapters.transcripts.claude_code import ClaudeCodeReader
from service.adapters.transcripts.detect import detect
from service.domain.responses import responses
from service.domain.skips import SkipReason
from service.domain.transcript import Media, Thinking, ToolResult, ToolUse, Transcript
from tests.recording.cleaning import forbidden
from tests.unit.transcript_files import assert_accounted, lines_of, said

FILE = Path(__file__).parents[2] / "service/cli/data/demo.jsonl"
WINDOW = 200_000


@cache
def demo() -> Transcript:
    return ClaudeCodeReader().read(enumerate(lines_of(FILE)))


def calls() -> dict[str, ToolUse]:
    return {call.id: call for record in demo().records for call in record.tool_uses}


def outcomes() -> dict[str, ToolResult]:
    return {result.tool_use_id: result for record in demo().records for result in record.tool_results}


def prompts() -> list[int]:
    return [record.seq for record in demo().records if list(record.texts(Author.PERSON))]


def test_it_reads_cleanly() -> None:
    lines = lines_of(FILE)
    assert_accounted(demo(), len(lines))
    assert demo().skipped.keys() == {SkipReason.BOOKKEEPING}
    assert detect(lines) == "claude-code"
    assert 100_000 < FILE.stat().st_size < 400_000


def test_it_names_no_machine_and_holds_no_vendor_text() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert forbidden(text, names=("root",)) == []
    assert "system-reminder" not in text
    for line in lines_of(FILE):
        record = json.loads(line)
        assert record["type"] in ("user", "assistant", "queue-operation", "last-prompt")
        assert record.get("cwd", "/srv/harbour-desk") == "/srv/harbour-desk"


def test_the_chain_is_whole() -> None:
    seen: set[str | None] = {None}
    for line in lines_of(FILE):
        record = json.loads(line)
        if "uuid" in record:
            assert record["parentUuid"] in seen
            seen.add(record["uuid"])


def test_nine_turns_with_the_persons_rules() -> None:
    words = said(demo(), Author.PERSON)
    assert len(words) == len(prompts()) == 9
    assert "Formatting only: never change the values in the tariff sheet" in words[0]
    assert "never send anything to customers without my OK" in words[0]
    assert "berth-time notices may go out without asking me" in words[4]


def test_every_call_has_its_result_and_parallel_calls_are_there() -> None:
    assert calls().keys() == outcomes().keys()
    by_response: dict[str | None, int] = {}
    for record in demo().records:
        by_response[record.message_id] = by_response.get(record.message_id, 0) + len(record.tool_uses)
    assert max(by_response.values()) == 3
    assert {"Bash", "Read", "Write", "Edit", "mcp__desk__create_booking"} <= {call.name for call in calls().values()}


def test_failures_a_refusal_and_a_retry() -> None:
    failed = {call_id: result for call_id, result in outcomes().items() if result.is_error}
    assert [calls()[call_id].name for call_id in failed] == ["mcp__desk__create_booking", "Bash", "Bash"]
    assert [result.denial for result in failed.values()] == [None, None, "permission-rule"]
    booked = [outcomes()[call.id] for call in calls().values() if call.name == "mcp__desk__create_booking"]
    assert [result.is_error for result in booked] == [True, False, False, False]


def test_exact_things_to_carry() -> None:
    text = FILE.read_text(encoding="utf-8")
    for exact in (
        "BK-20931",
        "INV-2026-0417",
        "1xQv7Lk2mZrT9bWcD4yHs8NfJ0aPeUgK3iVoXq5R6tBw",
        "5dbf6922-744a-5b21-bcf5-c9f7078e72f6",
        "EUR 24,023.84",
        "dispo@lodz-cargo.example",
        "https://portal.nordkai.example/v/9456123?call=2026-12-04",
        "Łódź",
        "東京海運",
        "🌸",
    ):
        assert exact in text
    blocks = [block for record in demo().records for block in record.blocks]
    assert Media("image/png") in blocks
    assert any(isinstance(block, Thinking) and block.signed for block in blocks)
    assert max(len(result.text) for result in outcomes().values()) > 15_000
    assert any(result.text.startswith("<persisted-output>") for result in outcomes().values())


def test_the_window_fills_as_promised() -> None:
    used = [(response.last_seq, response.usage.total_tokens / WINDOW) for response in responses(demo())]
    assert [share for _, share in used] == sorted(share for _, share in used)
    threshold = next(seq for seq, share in used if share >= 0.70)
    backstop = next(seq for seq, share in used if share >= 0.78)
    seventh, eighth = prompts()[6:8]
    assert seventh < threshold < eighth < backstop
    in_turn = [record for record in demo().records if seventh < record.seq < eighth]
    assert any(record.tool_results and record.seq < threshold for record in in_turn)
    assert any(record.tool_uses and record.seq > threshold for record in in_turn)
    assert 0.8 < used[-1][1] < 0.88


def test_it_ends_with_a_question_the_person_has_not_answered() -> None:
    question = "Shall I send INV-2026-0417 (EUR 24,023.84) to dispo@lodz-cargo.example?"
    asked = [text for text in said(demo(), Author.ASSISTANT) if text.endswith(question)]
    assert len(asked) == 2
    assert demo().records[-1].role == "assistant"
    sent = [call.input_json for call in calls().values() if call.name == "mcp__desk__send_invoice"]
    assert sent == ['{"invoice_id":"INV-2026-0409","to":"ap@lodz-cargo.example"}']
