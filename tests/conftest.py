"""Fixtures of every test. Engines are real: `pair` runs a test once on each of the two pairs (see tests/pairs.py)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from service.settings import Settings
from tests import pairs
from tests.key_leaks import leaked_keys
from tests.shared import shared_dir
from tests.waiting import wait_until

__all__ = ["shared_dir", "wait_until"]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own CARRYFORWARD_ variables change no test."""
    for name in list(os.environ):
        if name.startswith("CARRYFORWARD_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", params=["embedded", pytest.param("servers", marks=pytest.mark.postgres)])
def engines(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pairs.Pair]:
    with pairs.KINDS[request.param](tmp_path_factory.mktemp(request.param)) as pair:
        yield pair


@pytest.fixture
def pair(engines: pairs.Pair, tmp_path: Path) -> Iterator[Settings]:
    """Settings of a flushed Redis and an empty database of this test's own; `wiring.migrate(pair)` makes its tables.

    Whatever key the test leaves must expire or be declared permanent in service.adapters.redis.keys.
    """
    with redis.from_url(engines.redis_url) as client:
        client.flushall()
        settings = engines.fresh(tmp_path)
        yield settings
        engines.drop(settings)
        leaked = leaked_keys(client)
    assert not leaked, f"keys without a TTL that are not declared permanent: {leaked}"


@pytest.fixture
def redis_client(pair: Settings, engines: pairs.Pair) -> Iterator[redis.Redis]:
    with redis.from_url(engines.redis_url) as client:
        yield client
