"""`carryforward up`: the whole service as one command."""

import signal
from types import FrameType

import typer

from service.cli import api_address
from service.cli.supervisor import Stack
from service.errors import EngineError
from service.settings import Settings, get_settings


def register(app: typer.Typer) -> None:
    @app.command()
    def up() -> None:
        """Run engine, API, worker and beat until Ctrl-C. Exit 0: stopped as asked; 1: it could not start."""
        settings = get_settings()
        refuse_a_second(settings)
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGHUP, _interrupt)
        stack = Stack(settings, say=lambda line: typer.echo(line, err=True))
        try:
            url = stack.start()
            typer.echo(f"Carryforward is up: {url}  data: {settings.data_dir}  logs: {settings.data_dir / 'logs'}")
            stack.wait()
        except KeyboardInterrupt:
            typer.echo("Stopping.", err=True)
        finally:
            stack.stop()


def refuse_a_second(settings: Settings) -> None:
    url = api_address.announced(settings)
    if url and api_address.get(url, "/healthz"):
        raise EngineError(
            f"it is running already, on {url}",
            hint=f"Use that one, or choose another CARRYFORWARD_DATA_DIR than {settings.data_dir}.",
        )


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
