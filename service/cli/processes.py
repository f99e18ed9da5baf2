"""`carryforward api`, `worker`, `beat`: the processes of the service, one command each."""

import os
import socket
import sys
from typing import Annotated

import typer
import uvicorn

from service import wiring
from service.cli import api_address
from service.cli.children import beat_command, worker_command
from service.errors import EngineError
from service.settings import Settings, get_settings

STARTUP_FAILED = 3
"""Exit status of an API that could not start; the log says why."""


def register(app: typer.Typer) -> None:
    @app.command()
    def api(
        host: Annotated[str | None, typer.Option(help="Default: CARRYFORWARD_HOST.")] = None,
        port: Annotated[
            int | None, typer.Option(min=0, max=65535, help="0 picks a free one. Default: CARRYFORWARD_PORT.")
        ] = None,
    ) -> None:
        """Serve the HTTP API."""
        settings = get_settings()
        chosen = {"host": host, "port": port}
        settings = settings.model_copy(update={name: value for name, value in chosen.items() if value is not None})
        refuse_unless_ready(settings)
        serve(settings)

    @app.command()
    def worker() -> None:
        """Prepare handoffs in the background: a Celery worker on every queue."""
        settings = get_settings()
        refuse_unless_ready(settings)
        become(worker_command(settings))

    @app.command()
    def beat() -> None:
        """Send the periodic tasks: sweeps and drains. Run exactly one."""
        settings = get_settings()
        refuse_unless_ready(settings)
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        become(beat_command(settings))


def refuse_unless_ready(settings: Settings) -> None:
    """DatabaseOutOfDateError or EngineError, each with what to do, before anything is served or taken from a queue."""
    wiring.running_urls(settings)
    wiring.check_database(settings)


def become(command: list[str]) -> None:
    """Go on as `command`: same process, so signals and supervisors reach it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606


def serve(settings: Settings) -> None:
    listener = listen(settings.host, settings.port)
    config = uvicorn.Config(
        "service.api.app:create_app",
        factory=True,
        loop="uvloop",
        http="httptools",
        log_config=None,  # create_app sets logs up
        access_log=False,  # one line a usage event would cost more than the event
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    port = listener.getsockname()[1]
    api_address.announce(settings, port)
    typer.echo(f"listening on {api_address.url_of(settings.host, port)}", err=True)
    try:
        server.run(sockets=[listener])
    finally:
        api_address.forget(settings)
    if not server.started:
        raise typer.Exit(STARTUP_FAILED)


def listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((str(address[0]), port), family=family, backlog=2048)
    except OSError as error:
        raise EngineError(
            f"cannot listen on {host}:{port}: {error.strerror}",
            hint="Is it running already? Otherwise choose another CARRYFORWARD_PORT (0 picks a free one).",
        ) from error
