"""The composition root: the one module that names concrete adapters."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from models.database import make_engine
from models.kinds import TranscriptFormat
from service.adapters.clock import SystemClock
from service.adapters.dispatcher import CeleryDispatcher
from service.adapters.engine.urls import EngineUrls, engine_urls
from service.adapters.engine.valkey import EmbeddedEngine
from service.adapters.extractor.structural import StructuralExtractor
from service.adapters.redis.connections import connect
from service.adapters.redis.gauges import RedisGauges
from service.adapters.redis.usage_call import Defaults
from service.adapters.redis.usage_meter import UsageMeter
from service.adapters.redis.usage_queue import RedisUsageQueue
from service.adapters.store import schema
from service.adapters.store.units import SqlUnits
from service.adapters.transcripts.anthropic_messages import AnthropicMessagesReader
from service.adapters.transcripts.claude_code import ClaudeCodeReader
from service.adapters.transcripts.detect import detect
from service.ports import Budgets, DefaultMarks, Extractor, Meter, Ports, TranscriptReader, Units
from service.settings import Settings


class Runtime:
    """What one process holds open: database engine, Redis client, dispatcher, and the ports made of them."""

    def __init__(self, settings: Settings) -> None:
        urls = engine_urls(settings)
        self._database = make_engine(settings.sqlalchemy_url)
        self._redis = connect(urls.redis_url, shards=settings.redis_shards)
        self._dispatcher = CeleryDispatcher(urls.broker_url)
        self.settings = settings
        self.ports = Ports(
            units=SqlUnits(self._database),
            clock=SystemClock(),
            extractor=structural_extractor(),
            readers=transcript_readers(),
            dispatcher=self._dispatcher,
            gauges=RedisGauges(
                self._redis, shards=settings.redis_shards, session_ttl_seconds=settings.session_ttl_seconds
            ),
            usage_queue=RedisUsageQueue(self._redis, shards=settings.redis_shards),
            marks=DefaultMarks(settings.threshold, settings.backstop),
            budgets=Budgets(settings.seed_chars, settings.tail_tokens, settings.tail_share),
            lease_seconds=settings.lease_seconds,
            attempts=settings.attempts,
        )

    def problems(self) -> Sequence[str]:
        """What is missing for this process to do its work; empty when nothing is."""
        found = []
        try:
            schema.check(self._database)
        except Exception as error:
            found.append(f"database: {error}")
        try:
            self._redis.ping()
        except Exception as error:
            found.append(f"redis: {error}")
        return found

    def close(self) -> None:
        self._dispatcher.close()
        self._redis.close()
        self._database.dispose()


@contextmanager
def runtime(settings: Settings) -> Iterator[Runtime]:
    running = Runtime(settings)
    try:
        yield running
    finally:
        running.close()


def usage_meter(settings: Settings) -> Meter:
    """The API's hot route to Redis."""
    defaults = Defaults(
        window_tokens=settings.window_tokens,
        threshold=settings.threshold,
        backstop=settings.backstop,
        session_ttl_seconds=settings.session_ttl_seconds,
    )
    return UsageMeter(engine_urls(settings).redis_url, shards=settings.redis_shards, defaults=defaults)


def transcript_readers() -> Mapping[TranscriptFormat, TranscriptReader]:
    """Every transcript format we read. A third one is one file in adapters/transcripts and one line here."""
    readers: tuple[TranscriptReader, ...] = (ClaudeCodeReader(), AnthropicMessagesReader())
    return {reader.format: reader for reader in readers}


def detect_format(lines: Sequence[bytes]) -> TranscriptFormat | None:
    return detect(lines)


def structural_extractor() -> Extractor:
    return StructuralExtractor()


def embedded_engine(settings: Settings) -> EmbeddedEngine:
    """The engine of the data directory, to be started or adopted."""
    return EmbeddedEngine(settings.data_dir)


def running_urls(settings: Settings) -> EngineUrls:
    """Where Redis and Celery's broker are; EngineError when nothing is set and no embedded engine runs."""
    return engine_urls(settings)


def migrate(settings: Settings) -> str:
    """Bring the database to head; the revision."""
    engine = make_engine(settings.sqlalchemy_url)
    try:
        return schema.migrate(engine)
    finally:
        engine.dispose()


def check_database(settings: Settings) -> None:
    """DatabaseOutOfDateError unless the database is at head."""
    engine = make_engine(settings.sqlalchemy_url)
    try:
        schema.check(engine)
    finally:
        engine.dispose()


@contextmanager
def stored(settings: Settings) -> Iterator[Units]:
    """What is stored, for commands that only read: no Redis needed. DatabaseOutOfDateError unless it is at head."""
    engine = make_engine(settings.sqlalchemy_url)
    try:
        schema.check(engine)
        yield SqlUnits(engine)
    finally:
        engine.dispose()
