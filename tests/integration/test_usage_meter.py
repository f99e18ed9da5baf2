"""The meter: callers share calls, outages are told quickly and end by themselves, nothing acked is lost."""

import asyncio
import os
import random
import signal
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import redis

from models.kinds import Crossing
from service.adapters.redis import connections, lane, pipe
from service.adapters.redis.usage_call import Defaults
from service.adapters.redis.usage_meter import UsageMeter
from service.domain.gauge import UsageEvent, VerdictAnswer
from service.errors import QueueUnavailableError
from tests.integration.redis_server import RedisServer, free_port, running
from tests.integration.usage_state import event, pending, queued
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    yield from running()


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as opened:
        opened.flushall()
        opened.config_resetstat()
        yield opened


def run(url: str, use: Callable[[UsageMeter], Awaitable[None]], *, shards: int = 1, defaults: Defaults | None = None):
    async def with_meter() -> None:
        meter = UsageMeter(url, shards=shards, defaults=defaults)
        try:
            await use(meter)
        finally:
            await meter.close()
            await asyncio.sleep(0)  # an aborted transport closes in the loop's next turn

    asyncio.run(with_meter())


def calls(client: redis.Redis) -> int:
    return client.info("commandstats").get("cmdstat_fcall", {"calls": 0})["calls"]


def test_callers_of_one_turn_share_a_call_and_get_their_own_answers(server: RedisServer, client: redis.Redis):
    async def use(meter: UsageMeter) -> None:
        await meter.report([event("first", 0, 0)])
        before = calls(client)
        groups = [[event(f"{n}-{k}", k, 1_000 * n, session=f"s{n}") for k in range(n % 3 + 1)] for n in range(60)]
        found = await asyncio.gather(*(meter.report(group) for group in groups))
        assert calls(client) - before <= len(groups) / 3
        for group, answers in zip(groups, found, strict=True):
            assert [a.event_id for a in answers] == [e.event_id for e in group]
            assert [a.used_tokens for a in answers] == [e.used_tokens for e in group]

    run(server.url, use)


@pytest.mark.parametrize("shards", [1, 16])
def test_a_long_array_is_judged_in_order_in_bounded_calls(server: RedisServer, client: redis.Redis, shards: int):
    async def use(meter: UsageMeter) -> None:
        events = [event(f"e{n}", n, 100 * n, session=f"s{n % 40}") for n in range(1_900)]
        answers = await meter.report(events)
        assert [a.event_id for a in answers] == [e.event_id for e in events]
        assert calls(client) >= len(events) / lane.GROUP_EVENTS
        crossed = [(n % 40, a.crossed) for n, a in enumerate(answers) if a.crossed]
        assert crossed == [(n % 40, which) for n, which in crossed]
        assert {n: which for n, which in crossed if which == Crossing.THRESHOLD}.keys() == set(range(40))
        again = await meter.report(events)
        assert all(a.duplicate for a in again)

    run(server.url, use, shards=shards)


def test_no_events_no_call(server: RedisServer, client: redis.Redis):
    async def use(meter: UsageMeter) -> None:
        assert list(await meter.report([])) == []

    run(server.url, use)
    run(server.url, use, shards=16)


def test_a_caller_that_goes_away_disturbs_nobody(server: RedisServer, client: redis.Redis):
    async def use(meter: UsageMeter) -> None:
        tasks = [asyncio.create_task(meter.report([event(f"e{n}", n, 1, session=f"s{n}")])) for n in range(10)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(found[3], asyncio.CancelledError)
        assert [answers[0].event_id for n, answers in enumerate(found) if n != 3] == [
            f"e{n}" for n in range(10) if n != 3
        ]

    run(server.url, use)


def test_a_unix_socket_works_too(tmp_path: Path):
    server = RedisServer(unix_socket=tmp_path / "s.sock")
    server.start()
    try:

        async def use(meter: UsageMeter) -> None:
            (answer,) = await meter.report([event("e", 1, 150_000)])
            assert answer.crossed == Crossing.THRESHOLD

        run(f"unix://{tmp_path}/s.sock?db=0", use)
    finally:
        server.close()


def test_a_wrong_password_and_another_database_are_the_connections_business(server: RedisServer, client: redis.Redis):
    async def use(meter: UsageMeter) -> None:
        await meter.report([event("e", 1, 1)])

    run(server.url.replace("/0", "/3"), use)
    assert client.dbsize() == 0
    client.config_set("requirepass", "secret")
    try:
        with pytest.raises(QueueUnavailableError, match="uthentication") as caught:
            run(server.url, use)
        with pytest.raises(QueueUnavailableError):
            run(server.url.replace("redis://", "redis://:wrong@"), use)
        assert "wrong" not in caught.value.message
        run(server.url.replace("redis://", "redis://:secret@"), use)
    finally:
        client.config_set("requirepass", "")


def test_a_server_that_is_not_there_is_told_at_once():
    async def use(meter: UsageMeter) -> None:
        started = time.perf_counter()
        with pytest.raises(QueueUnavailableError):
            await meter.report([event("e", 1, 1)])
        assert time.perf_counter() - started < 0.5

    run(f"redis://127.0.0.1:{free_port()}/0", use)
    run("redis://127.0.0.1:1/0", use, shards=16)


@pytest.mark.parametrize("shards", [1, 16])
def test_a_server_that_accepts_and_never_answers_is_told_to_all_at_once(monkeypatch: pytest.MonkeyPatch, shards: int):
    monkeypatch.setitem(connections.OPTIONS, "socket_timeout", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:

        async def use(meter: UsageMeter) -> None:
            started = time.perf_counter()
            groups = [[event(f"{n}-{k}", 1, 1, session=f"s{k}") for k in range(20)] for n in range(30)]
            found = await asyncio.gather(*(meter.report(group) for group in groups), return_exceptions=True)
            assert all(isinstance(error, QueueUnavailableError) for error in found)
            assert time.perf_counter() - started < 1.5

        run(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", use, shards=shards)


def test_a_server_that_hangs_is_told_in_time_and_used_again_when_it_goes_on(
    server: RedisServer, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pipe, "ANSWER_SECONDS", 0.2)
    pid = client.info("server")["process_id"]

    async def use(meter: UsageMeter) -> None:
        await meter.report([event("e1", 1, 1)])
        os.kill(pid, signal.SIGSTOP)
        try:
            started = time.perf_counter()
            found = await asyncio.gather(
                *(meter.report([event(f"x{n}", n, 1)]) for n in range(5)), return_exceptions=True
            )
            assert all(isinstance(error, QueueUnavailableError) for error in found)
            assert time.perf_counter() - started < 1
        finally:
            os.kill(pid, signal.SIGCONT)
        monkeypatch.setattr(pipe, "ANSWER_SECONDS", 2.0)
        answers = await meter.report([event("e2", 2, 1), event("e1", 1, 1)])
        assert [answer.duplicate for answer in answers] == [False, True]

    run(server.url, use)


def test_a_refusing_server_is_unavailable_and_the_connection_stays(server: RedisServer, client: redis.Redis):
    async def use(meter: UsageMeter) -> None:
        await meter.report([event("e1", 1, 1)])
        client.config_set("maxmemory", "1")
        with pytest.raises(QueueUnavailableError, match="OOM"):
            await meter.report([event("e2", 2, 1)])
        client.config_set("maxmemory", "0")
        await meter.report([event("e2", 2, 1)])

    try:
        run(server.url, use)
    finally:
        client.config_set("maxmemory", "0")


def test_connections_dropped_by_the_server_and_lost_functions_are_made_good(server: RedisServer, client: redis.Redis):
    async def use(meter: UsageMeter) -> None:
        await meter.report([event("e1", 1, 1)])
        client.client_kill_filter(_type="normal", skipme=True)
        client.function_flush()
        await asyncio.sleep(0.05)  # an idle connection's end is seen before the next call needs it
        (answer,) = await meter.report([event("e1", 1, 1)])
        assert answer.duplicate

    run(server.url, use)


def test_a_server_killed_in_the_middle_loses_nothing_acked_and_crosses_nothing_twice():
    sessions = [f"s{n}" for n in range(30)]
    events = [event(f"e{seq}", seq, seq * 10_000, session=s) for seq in range(20) for s in sessions]
    acked: dict[tuple[str, str], int] = Counter()
    crossed: list[tuple[str, Crossing]] = []
    outages = 0

    def note(sent: UsageEvent, answer: VerdictAnswer) -> None:
        acked[sent.session_id, sent.event_id] += 1
        if answer.crossed:
            crossed.append((sent.session_id, answer.crossed))

    async def host(meter: UsageMeter, number: int) -> None:
        """Sends all events, each until it is acked, as a client's spool does."""
        nonlocal outages
        mine = list(events)
        random.Random(number).shuffle(mine)
        for start in range(0, len(mine), 5):
            group = mine[start : start + 5]
            while True:
                try:
                    for sent, answer in zip(group, await meter.report(group), strict=True):
                        note(sent, answer)
                    break
                except QueueUnavailableError:
                    outages += 1
                    await asyncio.sleep(0.02)

    async def use(meter: UsageMeter) -> None:
        hosts = [asyncio.create_task(host(meter, number)) for number in range(4)]
        for share in (0.2, 0.6):
            await asyncio.to_thread(wait_until, lambda share=share: len(acked) >= share * len(events), interval=0.001)
            server.kill()
            known = set(acked)
            await asyncio.sleep(0.05)
            await asyncio.to_thread(server.start)
            with redis.Redis.from_url(server.url) as client:
                assert known <= {(r.session_id, r.event_id) for r in queued(client)}
        await asyncio.gather(*hosts)

    # With `everysec` an answer may be out up to two seconds before its log line has left the server's memory: Redis
    # holds writes back while an fsync is under way. `always` is what makes an ack a promise, even to kill -9.
    server = RedisServer(fsync="always")
    server.start()
    try:
        run(server.url, use)
        with redis.Redis.from_url(server.url) as client:
            readings = Counter((r.session_id, r.event_id) for r in queued(client))
            assert sorted(pending(client)) == sorted(sessions)
    finally:
        server.close()
    assert outages > 0
    assert set(acked.values()) == {4}
    assert readings == Counter({(e.session_id, e.event_id): 1 for e in events})
    assert set(Counter(crossed).values()) == {1}


def test_sessions_of_sixteen_shards_on_a_cluster():
    server = RedisServer(cluster=True)
    server.start()
    try:

        async def use(meter: UsageMeter) -> None:
            events = [event(f"e{n}", n, 150_000, session=f"s{n}") for n in range(200)]
            answers = await meter.report(events)
            assert [a.event_id for a in answers] == [e.event_id for e in events]
            assert all(a.crossed == Crossing.THRESHOLD for a in answers)
            with redis.Redis.from_url(server.url) as client:
                client.function_flush()
            assert all(a.duplicate for a in await meter.report(events))

        run(server.url, use, shards=16)
    finally:
        server.close()
