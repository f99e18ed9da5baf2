"""Queued usage events into the store: nothing lost, nothing stored twice, nothing that blocks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import redis

from service.adapters.redis.connections import connect
from service.adapters.redis.usage_queue import UNREADABLE_KEPT, RedisUsageQueue
from service.errors import QueueUnavailableError
from service.flows import drain_usage as flow
from service.flows.drain_usage import drain_usage
from service.ports import QueuedReading
from tests.integration.redis_server import RedisServer, free_port, running
from tests.integration.usage_state import KEYS, event, judge, queued

QUEUE = KEYS.usage_queue(0)


class InMemoryReadings:
    """A store of readings, idempotent like the real one; `fail_after` commits nothing more once it is reached."""

    def __init__(self, fail_after: int = 10**9) -> None:
        self.rows: dict[tuple[str, str], QueuedReading] = {}
        self.batches: list[int] = []
        self.fail_after = fail_after

    def add(self, readings: Sequence[QueuedReading]) -> int:
        if len(self.batches) >= self.fail_after:
            raise RuntimeError("the database is gone")
        self.batches.append(len(readings))
        before = len(self.rows)
        for reading in readings:
            self.rows.setdefault((reading.session_id, reading.event_id), reading)
        return len(self.rows) - before


def ports(readings: InMemoryReadings, queue: Any) -> Any:
    @contextmanager
    def write() -> Iterator[Any]:
        yield SimpleNamespace(readings=readings)

    return SimpleNamespace(units=SimpleNamespace(write=write), usage_queue=queue)


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    yield from running()


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as opened:
        opened.flushall()
        yield opened


def fill(client: redis.Redis, count: int) -> None:
    for start in range(0, count, 100):
        judge(client, *[event(f"e{n}", n, n, session=f"s{n % 7}") for n in range(start, min(start + 100, count))])


def test_everything_queued_is_stored_in_batches_and_dropped(client: redis.Redis):
    fill(client, 1_250)
    readings = InMemoryReadings()
    assert drain_usage(ports(readings, RedisUsageQueue(client)), batch=500) == 1_250
    assert readings.batches == [500, 500, 250]
    assert client.xlen(QUEUE) == 0
    assert drain_usage(ports(readings, RedisUsageQueue(client))) == 0
    reading = readings.rows["s3", "e10"]
    assert (reading.seq, reading.used_tokens, reading.window_tokens, reading.share) == (10, 10, 200_000, 10 / 200_000)
    assert (reading.verdict, reading.agent_id) == ("continue", "a")
    assert abs(reading.at.timestamp() - float(client.time()[0])) < 60


def test_a_crash_between_store_and_drop_stores_nothing_twice(client: redis.Redis):
    fill(client, 50)
    readings, queue = InMemoryReadings(), RedisUsageQueue(client)
    stopped = SimpleNamespace(read=queue.read, drop=lambda ids: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        drain_usage(ports(readings, stopped))
    assert drain_usage(ports(readings, queue)) == 0
    assert len(readings.rows) == 50
    assert client.xlen(QUEUE) == 0


def test_what_the_store_refuses_stays_queued(client: redis.Redis):
    fill(client, 300)
    readings = InMemoryReadings(fail_after=2)
    with pytest.raises(RuntimeError):
        drain_usage(ports(readings, RedisUsageQueue(client)), batch=100)
    assert len(readings.rows) == 200
    assert client.xlen(QUEUE) == 100


def test_one_call_is_bounded(client: redis.Redis, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flow, "MAX_BATCHES", 3)
    fill(client, 100)
    assert drain_usage(ports(InMemoryReadings(), RedisUsageQueue(client)), batch=10) == 30
    assert client.xlen(QUEUE) == 70


GOOD = ["e", "s", "a", 1, 5, 0, 0, 0, 0]


def entry(*values: object, **changed: object) -> dict[str, object]:
    return {"e": msgspec.msgpack.encode(values or GOOD), "v": 0, "w": 200_000, **changed}


@pytest.mark.parametrize(
    "bad",
    [
        {"e": b"rubbish", "v": 0, "w": 1},
        {"e": b"", "v": 0, "w": 1},
        {"other": 1},
        entry(v=""),
        entry(v=7),
        entry(v=-1),
        entry(w="wide"),
        entry(w=0),
        entry(w=10**12),
        entry(*GOOD[:5]),
        entry("", *GOOD[1:]),
        entry("x" * 201, *GOOD[1:]),
        entry("a\0b", *GOOD[1:]),
        entry("e", "s", "a", 2**31, 5, 0, 0, 0, 0),
        entry("e", "s", "a", 1, -5, 0, 0, 0, 0),
        entry("e", "s", "a", 1, 5, 0, 10**10, 0, 0),
        entry("e", "s", None, 1, 5, 0, 0, 0, 0),
    ],
)
def test_an_entry_nobody_can_read_is_set_aside_and_blocks_nothing(
    client: redis.Redis, caplog: pytest.LogCaptureFixture, bad: dict[str, object]
):
    client.xadd(QUEUE, bad)
    fill(client, 5)
    client.xadd(QUEUE, bad)
    queue, readings = RedisUsageQueue(client), InMemoryReadings()
    assert drain_usage(ports(readings, queue), batch=1) == 5
    assert queue.set_aside == 2
    assert client.xlen(QUEUE) == 0
    assert client.llen(KEYS.unreadable(0)) == 2
    assert caplog.text.count("set aside") == 2
    kept = client.lindex(KEYS.unreadable(0), 0)
    assert all((value if isinstance(value, bytes) else str(value).encode()) in kept for value in bad.values())


def test_only_unreadable_entries_end_the_drain_and_only_the_newest_are_kept(client: redis.Redis):
    with client.pipeline() as pipeline:
        for n in range(UNREADABLE_KEPT + 50):
            pipeline.xadd(QUEUE, {"n": n})
        pipeline.execute()
    assert drain_usage(ports(InMemoryReadings(), RedisUsageQueue(client)), batch=100) == 0
    assert client.xlen(QUEUE) == 0
    assert client.llen(KEYS.unreadable(0)) == UNREADABLE_KEPT
    assert msgspec.msgpack.decode(client.lindex(KEYS.unreadable(0), -1))[1] == ["n", str(UNREADABLE_KEPT + 49)]


def test_two_drains_at_once_store_each_event_once(client: redis.Redis):
    fill(client, 40)
    one, other, readings = RedisUsageQueue(client), RedisUsageQueue(client), InMemoryReadings()
    first, second = one.read(40), other.read(40)
    assert first == second
    assert readings.add([r for _, r in first]) + readings.add([r for _, r in second]) == 40
    one.drop([queue_id for queue_id, _ in first])
    other.drop([queue_id for queue_id, _ in second])
    assert queued(client) == []


def test_no_redis_is_queue_unavailable():
    with connect(f"redis://127.0.0.1:{free_port()}/0") as nowhere:
        queue = RedisUsageQueue(nowhere)
        with pytest.raises(QueueUnavailableError):
            queue.read(1)
        with pytest.raises(QueueUnavailableError):
            queue.drop(["0:1-1"])
