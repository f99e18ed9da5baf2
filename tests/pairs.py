"""The two pairs of engines everything runs on: embedded Valkey with SQLite, and servers by url with PostgreSQL."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from service.adapters.engine.announcement import Announcement
from service.adapters.engine.valkey import EmbeddedEngine
from service.settings import Settings
from tests.engines import PostgresCluster, external_redis, postgres_cluster


class Pair(Protocol):
    """Engines that live as long as the test run; each test gets settings with an empty database behind them."""

    redis_url: str

    def fresh(self, data_dir: Path) -> Settings: ...

    def drop(self, settings: Settings) -> None: ...


class EmbeddedPair:
    """Each test's data directory announces the one engine, so that the code under test adopts it as it would."""

    def __init__(self, engine_dir: Path, engine: EmbeddedEngine) -> None:
        self.redis_url = engine.redis_url
        self._engine_dir = engine_dir

    def fresh(self, data_dir: Path) -> Settings:
        shutil.copy(Announcement.path(self._engine_dir), Announcement.path(data_dir))
        return settings(data_dir)

    def drop(self, settings: Settings) -> None:
        """SQLite's file goes with the test's folder."""


class ServersPair:
    def __init__(self, redis_url: str, cluster: PostgresCluster) -> None:
        self.redis_url = redis_url
        self._cluster = cluster

    def fresh(self, data_dir: Path) -> Settings:
        return settings(data_dir, redis_url=self.redis_url, database_url=self._cluster.create())

    def drop(self, settings: Settings) -> None:
        self._cluster.drop(settings.sqlalchemy_url)


def settings(data_dir: Path, *, redis_url: str | None = None, database_url: str | None = None) -> Settings:
    """Settings of a test: what a .env file says is not read."""
    return Settings(
        _env_file=None,
        data_dir=data_dir,
        redis_url=redis_url,
        broker_url=None,
        database_url=database_url,
        port=0,
    )


@contextmanager
def embedded(folder: Path) -> Iterator[Pair]:
    with EmbeddedEngine(folder) as engine:
        yield EmbeddedPair(folder, engine)


@contextmanager
def servers(folder: Path) -> Iterator[Pair]:
    with postgres_cluster() as cluster, external_redis(folder) as redis_url:
        yield ServersPair(redis_url, cluster)


KINDS = {"embedded": embedded, "servers": servers}
