"""`carryforward extract`: transcripts in, handoffs out. Offline: no server, no model, no network."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Annotated

import orjson
import typer

from service import wiring
from service.cli.extract_formats import Problem, Summary, handoffs

FORMATS = ("auto", "cases", "claude-code", "anthropic-messages")


def register(app: typer.Typer) -> None:
    app.command("extract")(extract)


def extract(
    input_: Annotated[str, typer.Option("--input", help="A .jsonl or .jsonl.gz file; - is standard input.")],
    output: Annotated[str, typer.Option("--output", help="Where handoffs go, one a line; - is standard output.")],
    extractor: Annotated[str, typer.Option(help="Who finds the entries: structural.")] = "structural",
    budget_chars: Annotated[
        int | None, typer.Option(min=400, help="Characters of a seed. Left out: what a case says, else 4,000.")
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=f"What the input holds: {', '.join(FORMATS)}.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, to standard error.")] = False,
) -> None:
    """Turn transcripts into handoffs: a ledger with evidence, and the seed made from it.

    Input is one of: cases and corpus sessions (one object with `messages` a line), one Claude Code session file,
    or one session in Messages format (one message a line). Lines that cannot be read are named on standard error,
    the rest is done, and the exit code is 1.
    """
    if format_ not in FORMATS:
        raise typer.BadParameter(f"{format_} is not one of {', '.join(FORMATS)}", param_hint="--format")
    if extractor != "structural":
        raise typer.BadParameter(f"{extractor} is not there yet; use structural", param_hint="--extractor")
    summary = Summary()
    with ExitStack() as files:
        try:
            source = _open_input(input_, files)
            target = sys.stdout.buffer if output == "-" else files.enter_context(Path(output).open("wb"))
            for found in handoffs(
                source, format_, wiring.structural_extractor(), budget_chars, _session(input_), summary
            ):
                if isinstance(found, Problem):
                    where = f"{_name(input_)}:{found.line}" if found.line else _name(input_)
                    typer.echo(f"{where}: {found.text}", err=True)
                else:
                    target.write(orjson.dumps(found) + b"\n")
        except (OSError, EOFError, zlib.error) as error:
            typer.echo(f"carryforward extract: {error}", err=True)
            raise typer.Exit(1) from None
    _report(summary, as_json)
    if summary.problems:
        raise typer.Exit(1)


def _open_input(name: str, files: ExitStack) -> Iterator[bytes]:
    if name == "-":
        return _lines(sys.stdin.buffer)
    return _lines(files.enter_context(Path(name).open("rb")))


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines without their ends, unpacked if the stream begins as gzip does."""
    head = stream.peek(2)[:2] if hasattr(stream, "peek") else b""
    lines: Iterator[bytes] = iter(gzip.GzipFile(fileobj=stream)) if head == b"\x1f\x8b" else iter(stream)
    return (line.rstrip(b"\r\n") for line in lines)


def _name(name: str) -> str:
    return "standard input" if name == "-" else name


def _session(name: str) -> str:
    """What a session is called that is a file of its own."""
    return "stdin" if name == "-" else Path(name).name.removesuffix(".gz").removesuffix(".jsonl")


def _report(summary: Summary, as_json: bool) -> None:
    if as_json:
        typer.echo(orjson.dumps(summary.as_object(), option=orjson.OPT_INDENT_2), err=True)
        return
    refused = f", {sum(summary.refused.values())} entries refused" if summary.refused else ""
    typer.echo(
        f"{summary.handoffs} handoffs, {summary.entries} entries{refused}, {summary.problems} lines not read, "
        f"{summary.seconds:.1f} s",
        err=True,
    )
