"""`carryforward migrate`: bring the database to this version's tables."""

from typing import Annotated

import typer

from service import wiring
from service.settings import get_settings


def register(app: typer.Typer) -> None:
    @app.command()
    def migrate(
        check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 if it is behind.")] = False,
    ) -> None:
        """Bring the database to this version's tables."""
        settings = get_settings()
        if check:
            wiring.check_database(settings)
            typer.echo("the database is up to date")
        else:
            typer.echo(f"the database is at revision {wiring.migrate(settings)}")
