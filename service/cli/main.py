"""The `carryforward` command: every verb is a file beside this one."""

import sys

import typer

from service.cli import demo, doctor, extract, handoff, ledger, migrate, processes, up
from service.errors import CarryforwardError

app = typer.Typer(
    name="carryforward",
    help="Background compaction for fleets of AI agents: typed ledgers, evidence-checked handoffs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb in (demo, up, processes, migrate, extract, ledger, handoff, doctor):
    verb.register(app)


def main() -> None:
    """Exit code 0: done; 1: not done, standard error says why and what to do; 2: wrong usage."""
    try:
        app()
    except CarryforwardError as error:
        print(f"carryforward: {error.message}\n  {error.hint}", file=sys.stderr)
        raise SystemExit(1) from None
    except BrokenPipeError:  # `carryforward … | head`
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
