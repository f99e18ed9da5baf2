"""The HTTP application: FastAPI, with the usage door in front."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio.to_thread
from fastapi import FastAPI

from service import wiring
from service.api import errors, handoffs, health, ledgers, sessions
from service.api.ids import RouteQuotedPaths
from service.api.usage import UsageDoor
from service.api.usage_openapi import usage_route
from service.observe.logs import configure_logs
from service.settings import Settings, get_settings

THREADS = 64
"""Requests inside SQL at a time; the database's pool is smaller than that on purpose, waiting is cheap."""


def create_app() -> UsageDoor:
    """What uvicorn serves. Starting refuses an out-of-date database and a missing engine."""
    settings = get_settings()
    configure_logs(settings.log_level)
    return door(settings)


def door(settings: Settings) -> UsageDoor:
    meter = wiring.usage_meter(settings)
    api = api_app(settings, on_shutdown=meter.close)

    def crossed(session_id: str) -> None:
        api.state.runtime.ports.dispatcher.prepare(session_id)

    return UsageDoor(api, meter, crossed)


async def _nothing() -> None:
    """What an application without a door has to close."""


def api_app(settings: Settings, *, on_shutdown: Callable[[], Awaitable[None]] = _nothing) -> FastAPI:
    """Every route but the hot one, which is only documented here."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        wiring.check_database(settings)
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        with wiring.runtime(settings) as running:
            app.state.runtime = running
            try:
                yield
            finally:
                await on_shutdown()

    app = FastAPI(
        title="Carryforward",
        version=version("carryforward"),
        summary="Background compaction for fleets of AI agents",
        lifespan=lifespan,
    )
    app.add_middleware(RouteQuotedPaths)
    errors.install(app)
    usage_route(app)
    for module in (sessions, ledgers, handoffs, health):
        app.include_router(module.router)
    return app
