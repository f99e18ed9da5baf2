"""`carryforward ledger`: stored ledgers, entry by entry with their evidence."""

from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from models.kinds import EntryKind
from service import wiring
from service.domain.ledger import SYSTEM_PROMPT_SEQ, Entry, Evidence
from service.errors import NotFoundError
from service.ports import StoredLedger, Units
from service.settings import get_settings

LONGEST_CELL = 400

SessionOption = Annotated[str | None, typer.Option("--session", help="Of this session.")]
AgentOption = Annotated[str | None, typer.Option("--agent", help="Of this agent's latest session.")]
JsonOption = Annotated[bool, typer.Option("--json", help="For programs.")]


def register(app: typer.Typer) -> None:
    verbs = typer.Typer(help="Stored ledgers.", no_args_is_help=True)
    app.add_typer(verbs, name="ledger")

    @verbs.command("list")
    def list_(
        session: SessionOption = None,
        agent: AgentOption = None,
        limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
        as_json: JsonOption = False,
    ) -> None:
        """Ledgers, newest first."""
        with wiring.stored(get_settings()) as units, units.read() as unit:
            found = unit.ledgers.find(session_id=session, agent_id=agent, limit=limit)
        if as_json:
            typer.echo(orjson.dumps([_summary(stored) for stored in found], option=orjson.OPT_INDENT_2))
            return
        table = Table("ledger", "agent", "session", "version", "entries", "covers through", "made at")
        for stored in found:
            table.add_row(*(str(cell) for cell in _summary(stored).values()))
        Console().print(table)

    @verbs.command()
    def show(
        ledger_id: Annotated[str | None, typer.Argument(help="A ledger's id; left out: the newest.")] = None,
        session: SessionOption = None,
        agent: AgentOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """A ledger's entries, each with the records and quotes that prove it."""
        with wiring.stored(get_settings()) as units:
            stored = find_ledger(units, ledger_id, session, agent)
        if as_json:
            body = _summary(stored) | {"entries": [_entry(entry, stored.session_id) for entry in stored.ledger.entries]}
            typer.echo(orjson.dumps(body, option=orjson.OPT_INDENT_2))
        else:
            print_ledger(Console(), stored)


def find_ledger(units: Units, ledger_id: str | None, session_id: str | None, agent_id: str | None) -> StoredLedger:
    """By id, else the newest that fits. NotFoundError when there is none."""
    with units.read() as unit:
        if ledger_id is None:
            found = unit.ledgers.find(session_id=session_id, agent_id=agent_id, limit=1)
            ledger_id = found[0].ledger_id if found else None
        stored = unit.ledgers.get(ledger_id) if ledger_id is not None else None
    if stored is None:
        raise NotFoundError("no such ledger", hint="`carryforward ledger list` shows what is stored.")
    return stored


def print_ledger(console: Console, stored: StoredLedger, *, most_of_a_kind: int | None = None) -> None:
    """Kind by kind, what matters most first; with `most_of_a_kind`, no more than so many of each, and what is left out
    is said."""
    console.print(
        f"ledger {stored.ledger_id}: agent {stored.agent_id}, session {stored.session_id}, version {stored.version}, "
        f"covers records 0 to {stored.ledger.watermark}, made by {stored.extractor}",
        highlight=False,
    )
    # Folded, never cut: an id with its end missing is no id.
    columns = (Column(name, overflow="fold") for name in ("kind", "value", "detail", "evidence"))
    table = Table(*columns, show_lines=True, expand=True)
    left_out = []
    for kind in EntryKind:
        entries = sorted((e for e in stored.ledger.entries if e.kind is kind), key=lambda entry: -entry.salience)
        for entry in entries[:most_of_a_kind]:
            label = "\n".join(filter(None, (kind.value, f"({entry.who})" if entry.who else "", entry.status)))
            proof = "\n".join(_where(piece, stored.session_id) for piece in entry.evidence)
            # Text, not markup: values come from transcripts and may hold square brackets.
            table.add_row(label, Text(_short(entry.value)), Text(_short(entry.detail)), Text(proof))
        if most_of_a_kind is not None and len(entries) > most_of_a_kind:
            left_out.append(f"{len(entries) - most_of_a_kind} more of {kind.value}")
    console.print(table)
    if left_out:
        console.print(f"Not shown: {', '.join(left_out)}.", highlight=False)


def _short(text: str) -> str:
    """For a table cell; `--json` has everything."""
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"


def _where(piece: Evidence, session_id: str) -> str:
    place = "system prompt" if piece.seq == SYSTEM_PROMPT_SEQ else f"record {piece.seq}"
    other = f" of {piece.session_id}" if piece.session_id not in (None, session_id) else ""
    quote = " ".join(piece.quote.split())
    return f"{place}{other}: “{quote[:117] + '…' if len(quote) > 118 else quote}”"


def _summary(stored: StoredLedger) -> dict[str, object]:
    return {
        "ledger_id": stored.ledger_id,
        "agent_id": stored.agent_id,
        "session_id": stored.session_id,
        "version": stored.version,
        "entries": stored.entry_count,
        "watermark": stored.ledger.watermark,
        "created_at": stored.created_at.isoformat(timespec="seconds"),
    }


def _entry(entry: Entry, session_id: str) -> dict[str, object]:
    return {
        "key": entry.key,
        "kind": entry.kind,
        "value": entry.value,
        "detail": entry.detail,
        "who": entry.who,
        "status": entry.status,
        "evidence": [
            {"session_id": piece.session_id or session_id, "seq": piece.seq, "quote": piece.quote}
            for piece in entry.evidence
        ],
    }
