"""`carryforward doctor`: is everything there, and what to do where it is not."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from service.cli.checks import CHECKS, Finding
from service.settings import get_settings

COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


def register(app: typer.Typer) -> None:
    @app.command()
    def doctor(
        as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
    ) -> None:
        """Check engine, database, broker, API, worker and disk. Exit 0: all well; 1: something failed."""
        settings = get_settings()
        findings = [finding for check in CHECKS for finding in check(settings)]
        well = all(finding.state != "fail" for finding in findings)
        if as_json:
            typer.echo(json.dumps({"ok": well, "checks": [asdict(finding) for finding in findings]}))
        else:
            _print_table(findings)
        raise typer.Exit(0 if well else 1)


def _print_table(findings: list[Finding]) -> None:
    table = Table("check", "", "seen", "what to do", box=None, pad_edge=False)
    for finding in findings:
        colour = COLOURS[finding.state]
        table.add_row(finding.subject, f"[{colour}]{finding.state}[/]", finding.seen, finding.hint)
    Console().print(table)
