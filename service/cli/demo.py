"""`carryforward demo`: the whole path on one recorded session, with everything it needs started and stopped."""

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from service import wiring
from service.cli.handoff import find_handoff, print_handoff
from service.cli.ledger import find_ledger, print_ledger
from service.cli.played_transcript import Play, conversation_tokens, read_play
from service.cli.supervisor import Stack
from service.domain.tokens import estimate_tokens
from service.errors import EngineError
from service.settings import Settings

if TYPE_CHECKING:
    from service.cli.demo_agent import DemoAgent, PlayReport, TurnReport

BUILT_IN = Path(__file__).parent / "data" / "demo.jsonl"
BAR_CELLS = 24
ENTRIES_SHOWN = 8
"""Of each kind; a long day has hundreds of identifiers."""


def register(app: typer.Typer) -> None:
    @app.command()
    def demo(
        transcript: Annotated[
            Path | None,
            typer.Option(exists=True, dir_okay=False, help="A Claude Code session file of your own (.jsonl)."),
        ] = None,
        data_dir: Annotated[
            Path | None, typer.Option(help="Keep everything here, to look around afterwards. Default: thrown away.")
        ] = None,
    ) -> None:
        """Play a live agent over a recorded session: usage, crossing, preparation, seal, claim; show the result."""
        console = Console()
        with ExitStack() as stack:
            folder = data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="carryforward-demo-")))
            # Whatever the environment says: a demo neither writes into a real database nor takes the service's port.
            settings = Settings(data_dir=folder.absolute(), redis_url=None, broker_url=None, database_url=None, port=0)
            run_demo(console, transcript or BUILT_IN, settings, stack)
            if data_dir:
                console.print(f"Kept in {data_dir}: CARRYFORWARD_DATA_DIR={data_dir} carryforward ledger show")


def run_demo(console: Console, path: Path, settings: Settings, stack: ExitStack) -> None:
    play = read_play(path, threshold=settings.threshold)
    scaled = ", scaled so that this transcript fills it" if play.scaled else ""
    console.print(
        f"Transcript: {path.name}, {sum(len(turn) for turn in play.turns)} lines, {play.records} records of "
        f"conversation, {len(play.turns)} turns.\nWindow: {play.window_tokens:,} tokens{scaled}; a handoff is prepared "
        f"at {settings.threshold:.0%}, the turn should end at {settings.backstop:.0%}.",
        highlight=False,
    )
    started = time.monotonic()
    with console.status("Starting the engine, the API, a worker and beat …"):
        url = stack.enter_context(Stack(settings, quiet=True))
    console.print(f"Service on {url} after {time.monotonic() - started:.1f} s. The agent starts to work.\n")
    agent = _agent(url, play, settings)
    report = agent.run(lambda turn: _print_turn(console, turn, settings))
    console.print()
    _print_result(console, play, report, settings)


def _agent(url: str, play: Play, settings: Settings) -> "DemoAgent":
    """Imported only here: the server itself runs where no client is installed."""
    try:
        from service.cli.demo_agent import DemoAgent
    except ModuleNotFoundError as error:
        raise EngineError(
            f"the demo plays an agent host, and its package is missing: {error.name}",
            hint="Install it from the checkout: pip install --editable client (./dev does this by itself).",
        ) from error
    return DemoAgent(url, "demo-agent", play, spool_dir=str(settings.data_dir / "spool"))


def _print_turn(console: Console, turn: "TurnReport", settings: Settings) -> None:
    filled = min(round(turn.share * BAR_CELLS), BAR_CELLS)
    mark = round(settings.threshold * BAR_CELLS)
    bar = "".join("█" if cell < filled else ("│" if cell == mark else "·") for cell in range(BAR_CELLS))
    line = f"turn {turn.number:>3}  generation {turn.generation}  {turn.records:>4} lines  {bar} {turn.share:>4.0%}"
    if turn.crossed:
        line += f"  crossed the {turn.crossed} in call {turn.crossed_at_call} of {turn.calls}; the turn went on"
    console.print(line, highlight=False)
    if turn.handoff is not None:
        degraded = f", degraded: {', '.join(turn.handoff.degraded)}" if turn.handoff.degraded else ""
        console.print(
            f"          turn over: sealed; generation {turn.handoff.next_generation} claimed seed and "
            f"{len(turn.handoff.kept_tail)} records in {(turn.claim_seconds or 0) * 1000:.0f} ms{degraded}",
            highlight=False,
        )


def _print_result(console: Console, play: Play, report: "PlayReport", settings: Settings) -> None:
    with wiring.stored(settings) as units:
        for session_id, handoff in report.handoffs[-1:]:
            stored = find_handoff(units, handoff.handoff_id, None, None)
            print_ledger(console, find_ledger(units, None, session_id, None), most_of_a_kind=ENTRIES_SHOWN)
            console.print("\nThe seed, as the fresh session gets it:")
            print_handoff(console, stored, len(handoff.kept_tail))
    sizes = Table("handoff", "after turn", "seed", "kept tail", "of the window", title="Sizes, estimated tokens")
    for number, (turn, (_, handoff)) in enumerate(
        zip((turn for turn in report.turns if turn.handoff), report.handoffs, strict=True), start=1
    ):
        seed, tail = estimate_tokens(handoff.seed), conversation_tokens(handoff.kept_tail)
        share = (seed + tail) / play.window_tokens
        sizes.add_row(str(number), str(turn.number), f"{seed:,}", f"{tail:,}", f"{share:.1%}")
    console.print(sizes)
    if not report.handoffs:
        console.print("No threshold was crossed, so no handoff was needed.")
    console.print(f"The whole transcript: {play.estimated_tokens:,} tokens of conversation, kept byte-exact.")
