"""`carryforward extract` on real transcripts, and on lines that are none."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from service.cli import extract


@pytest.fixture
def app() -> typer.Typer:
    application = typer.Typer(pretty_exceptions_enable=False)
    extract.register(application)

    @application.callback()
    def _several_commands() -> None:
        """Makes `extract` a command by name, as in the real application."""

    return application


def shared(*names: str) -> Path:
    """A path under `shared/`, which lies beside some folder above this file."""
    for folder in Path(__file__).resolve().parents:
        found = folder.joinpath("shared", *names)
        if found.exists():
            return found
    pytest.skip(f"shared/{'/'.join(names)} is not on this machine")


def run(app: typer.Typer, *arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["extract", *arguments], input=stdin)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def message(role: str, *blocks: dict[str, object]) -> dict[str, object]:
    return {"role": role, "content": list(blocks)}


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


CALL = {"type": "tool_use", "id": "t1", "name": "create_booking", "input": {"vessel": "MV-2207"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": '{"booking_id": "BK-20931"}'}
FIRST = {
    "case": "one",
    "session_id": "s",
    "system": None,
    "messages": [
        message("user", text("Never change the tariff. Book MV-2207.")),
        message("assistant", CALL),
        message("user", RESULT),
    ],
    "interrupts": [],
    "approvals": [],
    "previous": None,
    "budget_chars": 4000,
}
SECOND = FIRST | {
    "case": "two",
    "previous": "one",
    "messages": [message("assistant", text("Booked. Shall I send the invoice?"))],
}


def as_lines(*cases: dict[str, object]) -> bytes:
    return b"\n".join(json.dumps(case).encode() for case in cases) + b"\n"


def test_a_chain_carries_its_ledger_and_names_where_the_evidence_lies(app: typer.Typer, tmp_path: Path) -> None:
    source, target = tmp_path / "cases.jsonl", tmp_path / "handoffs.jsonl"
    source.write_bytes(as_lines(FIRST, SECOND))
    result = run(app, "--input", str(source), "--output", str(target))
    assert result.exit_code == 0, result.output
    first, second = rows(target)
    assert (first["case"], first["covers_through"], first["kept_tail_from"]) == ("one", 2, 3)
    done = next(entry for entry in second["entries"] if entry["kind"] == "done")  # type: ignore[attr-defined]
    assert {piece["case"] for piece in done["evidence"]} == {"one"}
    assert "BK-20931" in str(second["seed"])
    assert "Never change the tariff." in str(second["seed"])
    assert any(entry["who"] == "user" for entry in second["entries"])  # type: ignore[attr-defined]


def test_standard_input_to_standard_output(app: typer.Typer) -> None:
    result = run(app, "--input", "-", "--output", "-", "--budget-chars", "900", stdin=as_lines(FIRST))
    assert result.exit_code == 0
    assert len(json.loads(result.stdout.splitlines()[0])["seed"]) <= 900


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{not json", "not JSON"),
        (b"[1, 2]", "messages"),
        (b'{"messages": []}', "no `case` or `id`"),
        (b'{"case": "x", "messages": [7]}', "each needs a `role`"),
        (b'{"case": "x", "messages": [], "interrupts": 3}', "no list"),
        (b'{"case": "x", "messages": [], "previous": "nowhere"}', "does not stand before it"),
        (b"\xff\xfe\x00", "not JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_done(app: typer.Typer, tmp_path: Path, line: bytes, says: str) -> None:
    source, target = tmp_path / "cases.jsonl", tmp_path / "handoffs.jsonl"
    source.write_bytes(as_lines(FIRST) + line + b"\n" + as_lines(FIRST | {"case": "three"}))
    result = run(app, "--input", str(source), "--output", str(target), "--json")
    assert result.exit_code == 1
    assert f"{source}:2: " in result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert [row["case"] for row in rows(target)] == ["one", "three"]


def test_files_that_are_not_there_or_not_what_they_seem_are_said_plainly(app: typer.Typer, tmp_path: Path) -> None:
    target = str(tmp_path / "out.jsonl")
    missing = run(app, "--input", str(tmp_path / "none.jsonl"), "--output", target)
    assert missing.exit_code == 1
    assert "No such file" in missing.stderr
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(as_lines(FIRST))[:-12])
    torn = run(app, "--input", str(broken), "--output", target)
    assert torn.exit_code == 1
    assert "Traceback" not in torn.output
    wrong = run(app, "--input", str(broken), "--output", target, "--format", "word")
    assert wrong.exit_code == 2
    assert "anthropic-messages" in wrong.stderr


def test_a_session_in_messages_format_is_found_out_by_itself(app: typer.Typer, tmp_path: Path) -> None:
    source, target = tmp_path / "desk-7.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\n".join(json.dumps(m).encode() for m in FIRST["messages"]))  # type: ignore[attr-defined]
    assert run(app, "--input", str(source), "--output", str(target)).exit_code == 0
    (row,) = rows(target)
    assert row["case"] == "desk-7"
    assert "BK-20931" in str(row["seed"])


def corpus_files() -> Iterator[Path]:
    return iter(sorted(shared("corpus").glob("*/*.jsonl.gz")))


def test_every_session_of_the_corpus_is_read_within_its_budget(app: typer.Typer, tmp_path: Path) -> None:
    count = 0
    for source in corpus_files():
        target = tmp_path / f"{source.stem}.out"
        result = run(app, "--input", str(source), "--output", str(target))
        assert result.exit_code == 0, result.output
        for row in rows(target):
            count += 1
            assert len(str(row["seed"])) <= 4_000
            assert str(row["seed"]).startswith("[Carryforward handoff")
            for entry in row["entries"]:  # type: ignore[attr-defined]
                assert entry["evidence"], entry
    assert count == 417


def test_every_claude_code_file_becomes_a_handoff(app: typer.Typer, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    files = sorted(shared("transcripts", "claude-code").glob("*.jsonl"))
    for source in files:
        result = run(app, "--input", str(source), "--output", str(target))
        assert result.exit_code == 0, (source, result.output)
        assert len(rows(target)) == 1
