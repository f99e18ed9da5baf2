"""Where this process finds its Redis: the settings' own, else the running embedded engine."""

from dataclasses import dataclass

from service.adapters.engine.valkey import running_engine
from service.errors import EngineError
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class EngineUrls:
    redis_url: str
    broker_url: str


def engine_urls(settings: Settings) -> EngineUrls:
    """EngineError when no url is set and no embedded engine answers."""
    if settings.redis_url:
        return EngineUrls(settings.redis_url, settings.broker_url or settings.redis_url)
    running = running_engine(settings.data_dir)
    if running is None:
        raise EngineError(
            f"no engine is running on {settings.data_dir}",
            hint="Start `carryforward up`, or set CARRYFORWARD_REDIS_URL.",
        )
    return EngineUrls(running.redis_url, settings.broker_url or running.broker_url)
