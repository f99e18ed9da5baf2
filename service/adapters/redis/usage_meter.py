"""The hot route's side of Redis: concurrent callers share function calls."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from redis.exceptions import RedisError, ResponseError

from service.adapters.redis import functions
from service.adapters.redis.cluster_calls import ClusterCalls
from service.adapters.redis.connections import unavailable
from service.adapters.redis.keys import Keys
from service.adapters.redis.lane import GROUP_EVENTS, Done, Lane
from service.adapters.redis.pipe import Command, Pipe
from service.adapters.redis.shared_attempt import SharedAttempt
from service.adapters.redis.usage_call import Defaults, JudgeCall
from service.domain.gauge import UsageEvent, VerdictAnswer


class UsageMeter:
    """Implements `service.ports.Meter`. Connects on first use; an instance belongs to one event loop."""

    def __init__(self, url: str, *, shards: int = 1, defaults: Defaults | None = None) -> None:
        self._url = url
        self._keys = Keys(shards)
        self._shape = JudgeCall(self._keys, defaults or Defaults())
        self._lanes = [Lane(partial(self._judge, shard)) for shard in range(shards)]
        self._calls: Pipe | ClusterCalls | None = None
        self._connecting = SharedAttempt(self._connect)
        self._running: set[asyncio.Task[None]] = set()

    async def report(self, events: Sequence[UsageEvent]) -> Sequence[VerdictAnswer]:
        """Answers in the order of the events. Each event is atomic; if it raises QueueUnavailableError, some of them
        may have been judged, and sending all of them again is right."""
        if self._keys.shards == 1:
            lane = self._lanes[0]
            return await (lane.wait(events) if len(events) <= GROUP_EVENTS else lane.wait_for_all(events))
        by_shard: dict[int, list[int]] = {}
        for position, event in enumerate(events):
            by_shard.setdefault(self._keys.shard_of(event.session_id), []).append(position)
        parts = await asyncio.gather(
            *(
                self._lanes[shard].wait_for_all([events[at] for at in positions])
                for shard, positions in by_shard.items()
            )
        )
        placed = [
            (at, answer)
            for positions, part in zip(by_shard.values(), parts, strict=True)
            for at, answer in zip(positions, part, strict=True)
        ]
        placed.sort(key=lambda pair: pair[0])
        return [answer for _, answer in placed]

    async def close(self) -> None:
        calls, self._calls = self._calls, None
        if calls is not None:
            with suppress(RedisError, OSError):
                await calls.close()

    def _judge(self, shard: int, events: Sequence[UsageEvent], done: Done) -> None:
        """One call: straight onto the connection where there is one, else by a task that makes one."""
        command, used = self._shape.command(shard, events)
        calls = self._calls

        def answered(reply: Any) -> None:
            if isinstance(reply, list):
                done(self._shape.answers(events, used, reply))
            elif isinstance(reply, ResponseError) and functions.is_unknown(reply):
                self._spawn(slowly())
            else:
                done(unavailable(reply))

        async def slowly() -> None:
            try:
                reply = await self._call(command)
            except (RedisError, OSError) as error:
                done(unavailable(error))
            except BaseException as error:
                done(unavailable(RuntimeError(f"{type(error).__name__}: {error}")))
                raise
            else:
                done(self._shape.answers(events, used, reply))

        if not (isinstance(calls, Pipe) and calls.send(command, answered)):
            self._spawn(slowly())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(self._running.discard)

    async def _call(self, command: Command) -> Any:
        calls = self._calls or await self._connecting.outcome()
        try:
            return await calls.call(*command)
        except ResponseError as error:
            if not functions.is_unknown(error):
                raise
            await calls.load(functions.SOURCE)
            return await calls.call(*command)

    async def _connect(self) -> Pipe | ClusterCalls:
        # Only who set shards can be on a Cluster: one shard is one node of it.
        clustered = self._keys.shards > 1 and await self._is_cluster()
        self._calls = ClusterCalls(self._url) if clustered else Pipe(self._url)
        return self._calls

    async def _is_cluster(self) -> bool:
        pipe = Pipe(self._url)
        try:
            return b"cluster_enabled:1" in await pipe.call("INFO", "cluster")
        finally:
            await pipe.close()
