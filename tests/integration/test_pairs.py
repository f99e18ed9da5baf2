"""The tests' own engines: both kinds answer, and nothing of one test reaches the next."""

import pytest
import redis
from sqlalchemy import text

from models.database import make_engine
from service.adapters.engine.urls import engine_urls
from service.settings import Settings
from tests.key_leaks import leaked_keys


@pytest.mark.parametrize("round_", [1, 2])
def test_every_test_begins_with_nothing_stored(pair: Settings, round_: int) -> None:
    with redis.from_url(engine_urls(pair).redis_url) as client:
        assert client.dbsize() == 0
        client.set(f"round-{round_}", "1", ex=60)
    engine = make_engine(pair.sqlalchemy_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE left_behind (round INTEGER)"))
    engine.dispose()


def test_a_key_without_a_ttl_is_found(pair: Settings) -> None:
    with redis.from_url(engine_urls(pair).redis_url) as client:
        client.set("forever", "1")
        client.set("a while", "1", ex=60)
        assert leaked_keys(client) == ["forever"]
        client.delete("forever")
