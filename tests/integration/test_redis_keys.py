"""Keys: every one is in the table and lives as the table says; a session's keys share a slot, on a Cluster too."""

import asyncio
from collections.abc import Iterator

import pytest
import redis
from redis.crc import key_slot

from service.adapters.redis.connections import connect
from service.adapters.redis.gauges import RedisGauges
from service.adapters.redis.keys import TABLE, Keys
from service.adapters.redis.usage_meter import UsageMeter
from service.adapters.redis.usage_queue import RedisUsageQueue
from service.domain.gauge import UsageEvent
from service.ports import SessionMarks
from tests.integration.redis_server import RedisServer, running
from tests.integration.usage_state import queued

ODD_IDS = ["s", "a:b", "{0}", "}{", "x}y{z", "{}", "naïve", "線路", " ", "usage", "usage:unreadable", "\n", "s" * 200]


@pytest.fixture(scope="module")
def cluster() -> Iterator[RedisServer]:
    yield from running(cluster=True)


@pytest.fixture(scope="module")
def single() -> Iterator[RedisServer]:
    yield from running()


@pytest.mark.parametrize("shards", [1, 16, 1024])
@pytest.mark.parametrize("session_id", ODD_IDS)
def test_a_sessions_keys_and_its_shards_keys_share_a_slot(shards: int, session_id: str):
    keys = Keys(shards)
    shard = keys.shard_of(session_id)
    of_it = [keys.session(session_id), keys.usage_queue(shard), keys.crossings(shard), keys.unreadable(shard)]
    assert len({key_slot(key.encode()) for key in of_it}) == 1
    assert all(sum(kind.matches(key) for kind in TABLE) == 1 for key in of_it)
    assert of_it[0] == keys.session_prefix(shard) + session_id


def test_shards_are_used_evenly_and_are_the_same_in_every_process():
    keys = Keys(16)
    counts = [0] * 16
    for n in range(16_000):
        counts[keys.shard_of(f"session-{n}")] += 1
    assert min(counts) > 800
    assert [keys.shard_of(name) for name in ("s-1", "s-2", "線路")] == [14, 4, 3]
    assert len({key_slot(keys.usage_queue(shard).encode()) for shard in range(16)}) == 16


async def busy(url: str, shards: int) -> None:
    meter = UsageMeter(url, shards=shards)
    events = [UsageEvent(f"e{n}", session_id, "a", n, 30_000 * n) for n in range(7) for session_id in ODD_IDS]
    answers = await meter.report(events)
    await meter.close()
    assert [answer.event_id for answer in answers] == [event.event_id for event in events]
    assert sum(answer.crossed is not None for answer in answers) == 2 * len(ODD_IDS)


@pytest.mark.parametrize("shards", [1, 16])
@pytest.mark.parametrize("kind", ["single", "cluster"])
def test_after_a_busy_run_every_key_lives_as_declared(request: pytest.FixtureRequest, kind: str, shards: int):
    server: RedisServer = request.getfixturevalue(kind)
    with redis.Redis.from_url(server.url) as plain, connect(server.url, shards=shards) as client:
        plain.flushall()
        gauges = RedisGauges(client, shards=shards)
        for session_id in ODD_IDS[::2]:
            gauges.declare(SessionMarks(session_id, "a", 200_000, 0.6, 0.8))
        gauges.declare(SessionMarks("declared only", "a", None, 0.7, 0.78))
        asyncio.run(busy(server.url, shards))
        keys = Keys(shards)
        client.xadd(keys.usage_queue(0), {"e": b"rubbish"})
        assert len(queued(client, shards=shards)) == 7 * len(ODD_IDS)

        found = list(plain.scan_iter())
        assert len(found) > len(ODD_IDS)
        for raw in found:
            key = raw.decode()
            (row,) = [row for row in TABLE if row.matches(key)]
            assert plain.type(key).decode() == row.type, key
            assert (plain.ttl(key) > 0) == row.expires, key
        pending = gauges.pending_crossings(older_than_seconds=0, limit=1000)
        assert sorted(pending) == sorted(ODD_IDS)
        for session_id in pending:
            gauges.crossing_taken(session_id)
        assert gauges.pending_crossings(older_than_seconds=0, limit=1000) == []
        queue = RedisUsageQueue(client, shards=shards)
        seen = 0
        while entries := queue.read(10):
            assert len(entries) <= 10
            seen += len(entries)
            queue.drop([queue_id for queue_id, _ in entries])
        assert seen == 7 * len(ODD_IDS)
