"""`carryforward handoff`: what a fresh session was or will be given."""

from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service import wiring
from service.cli.ledger import AgentOption, JsonOption, SessionOption
from service.domain.tokens import estimate_tokens
from service.errors import NotFoundError
from service.ports import StoredHandoff, Units
from service.settings import get_settings


def register(app: typer.Typer) -> None:
    verbs = typer.Typer(help="Stored handoffs.", no_args_is_help=True)
    app.add_typer(verbs, name="handoff")

    @verbs.command("list")
    def list_(
        session: SessionOption = None,
        agent: AgentOption = None,
        limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
        as_json: JsonOption = False,
    ) -> None:
        """Handoffs, newest first."""
        with wiring.stored(get_settings()) as units, units.read() as unit:
            found = unit.handoffs.find(session_id=session, agent_id=agent, limit=limit)
        if as_json:
            typer.echo(orjson.dumps([_body(handoff) for handoff in found], option=orjson.OPT_INDENT_2))
            return
        table = Table("handoff", "agent", "session", "generation", "seed", "tail", "claimed by", "degraded")
        for handoff in found:
            tail = handoff.tail_last_seq - handoff.cut_seq + 1
            table.add_row(
                handoff.handoff_id,
                handoff.agent_id,
                handoff.session_id,
                str(handoff.generation),
                f"{len(handoff.seed):,} chars",
                f"{max(tail, 0)} lines",
                handoff.claimed_by or "",
                ", ".join(handoff.degraded),
            )
        Console().print(table)

    @verbs.command()
    def show(
        handoff_id: Annotated[str | None, typer.Argument(help="A handoff's id; left out: the newest.")] = None,
        session: SessionOption = None,
        agent: AgentOption = None,
        tail: Annotated[bool, typer.Option("--tail", help="Also the kept tail's records, word for word.")] = False,
        as_json: JsonOption = False,
    ) -> None:
        """The seed text, and where the kept tail lies."""
        with wiring.stored(get_settings()) as units:
            handoff = find_handoff(units, handoff_id, session, agent)
            lines = kept_tail(units, handoff)
        if as_json:
            body = _body(handoff) | ({"kept_tail": lines} if tail else {})
            typer.echo(orjson.dumps(body, option=orjson.OPT_INDENT_2))
            return
        console = Console()
        print_handoff(console, handoff, len(lines))
        if tail:
            for line in lines:
                console.print(Text(line), soft_wrap=True)


def find_handoff(units: Units, handoff_id: str | None, session_id: str | None, agent_id: str | None) -> StoredHandoff:
    """By id, else the newest that fits. NotFoundError when there is none."""
    with units.read() as unit:
        if handoff_id is None:
            found = unit.handoffs.find(session_id=session_id, agent_id=agent_id, limit=1)
            handoff_id = found[0].handoff_id if found else None
        handoff = unit.handoffs.get(handoff_id) if handoff_id is not None else None
    if handoff is None:
        raise NotFoundError("no such handoff", hint="`carryforward handoff list` shows what is stored.")
    return handoff


def kept_tail(units: Units, handoff: StoredHandoff) -> list[str]:
    """The stored lines from the cut to the seal that belong to the conversation."""
    with units.read() as unit:
        session = unit.sessions.get(handoff.session_id)
        stored = dict(unit.records.read(handoff.session_id, handoff.cut_seq, handoff.tail_last_seq))
    if session is None:
        return []
    transcript = wiring.transcript_readers()[session.format].read(stored.items())
    return [stored[record.seq].decode() for record in transcript.records]


def print_handoff(console: Console, handoff: StoredHandoff, tail_records: int) -> None:
    console.print(
        f"handoff {handoff.handoff_id}: agent {handoff.agent_id}, session {handoff.session_id} "
        f"(generation {handoff.generation}), ledger version {handoff.ledger_version}",
        highlight=False,
    )
    console.print(
        f"seed {len(handoff.seed):,} characters (about {estimate_tokens(handoff.seed):,} tokens), "
        f"kept tail {tail_records} records from {handoff.cut_seq} on, "
        f"claimed by {handoff.claimed_by or 'nobody yet'}"
        + (f", degraded: {', '.join(handoff.degraded)}" if handoff.degraded else ""),
        highlight=False,
    )
    console.rule()
    console.print(Text(handoff.seed))
    console.rule()


def _body(handoff: StoredHandoff) -> dict[str, object]:
    return {
        "handoff_id": handoff.handoff_id,
        "agent_id": handoff.agent_id,
        "session_id": handoff.session_id,
        "generation": handoff.generation,
        "ledger_version": handoff.ledger_version,
        "covers_through": handoff.covers_through,
        "cut_seq": handoff.cut_seq,
        "tail_last_seq": handoff.tail_last_seq,
        "claimed_by": handoff.claimed_by,
        "degraded": list(handoff.degraded),
        "seed": handoff.seed,
    }
