"""The hot route's side of Redis: concurrent callers share one function call (group commit)."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from redis.exceptions import RedisError, ResponseError

from service.adapters.redis import functions
from service.adapters.redis.cluster_calls import ClusterCalls
from service.adapters.redis.connections import unavailable
from service.adapters.redis.keys import Keys
from service.adapters.redis.pipe import Pipe
from service.adapters.redis.usage_call import Defaults, JudgeCall
from service.domain.gauge import UsageEvent, VerdictAnswer

GROUP_EVENTS = 256
"""Most events in one call: the server does nothing else meanwhile, and this many take it some 4 ms."""

_Answered = asyncio.Future[Sequence[VerdictAnswer]]
_Waiting = tuple[Sequence[UsageEvent], _Answered]
_Judge = Callable[[Sequence[UsageEvent]], Awaitable[Sequence[VerdictAnswer]]]


class UsageMeter:
    """Implements `service.ports.Meter`. Connects on first use; an instance belongs to one event loop."""

    def __init__(self, url: str, *, shards: int = 1, defaults: Defaults | None = None) -> None:
        self._url = url
        self._keys = Keys(shards)
        self._shape = JudgeCall(self._keys, defaults or Defaults())
        self._lanes = [_Lane(self._judge_of(shard)) for shard in range(shards)]
        self._calls: Pipe | ClusterCalls | None = None
        self._connecting = asyncio.Lock()

    async def report(self, events: Sequence[UsageEvent]) -> Sequence[VerdictAnswer]:
        """Answers in the order of the events. Each event is atomic; if it raises QueueUnavailableError, some of them
        may have been judged, and sending all of them again is right."""
        if self._keys.shards == 1:
            lane = self._lanes[0]
            return await (lane.wait(events) if len(events) <= GROUP_EVENTS else lane.judge(events))
        by_shard: dict[int, list[int]] = {}
        for position, event in enumerate(events):
            by_shard.setdefault(self._keys.shard_of(event.session_id), []).append(position)
        parts = await asyncio.gather(
            *(self._lanes[shard].judge([events[at] for at in positions]) for shard, positions in by_shard.items())
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

    def _judge_of(self, shard: int) -> _Judge:
        async def judge(events: Sequence[UsageEvent]) -> Sequence[VerdictAnswer]:
            try:
                command, used = self._shape.command(shard, events)
                reply = await self._call(command)
            except (RedisError, OSError) as error:
                raise unavailable(error) from error
            return self._shape.answers(events, used, reply)

        return judge

    async def _call(self, command: tuple[str | int | bytes, ...]) -> Any:
        calls = self._calls or await self._connect()
        try:
            return await calls.call(*command)
        except ResponseError as error:
            if not functions.is_unknown(error):
                raise
            await calls.load(functions.SOURCE)
            return await calls.call(*command)

    async def _connect(self) -> Pipe | ClusterCalls:
        async with self._connecting:
            if self._calls is None:
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


class _Lane:
    """One shard's waiting line: who comes within one turn of the loop, or while a call is under way, goes together.

    One call at a time: measured against two, the groups are larger and the processor is spent on fewer calls.
    """

    def __init__(self, judge: _Judge) -> None:
        self._judge = judge
        self._waiting: deque[_Waiting] = deque()
        self._running: asyncio.Task[None] | None = None

    async def judge(self, events: Sequence[UsageEvent]) -> Sequence[VerdictAnswer]:
        answers: list[VerdictAnswer] = []
        for start in range(0, len(events), GROUP_EVENTS):  # one after the other: events are judged in order
            answers += await self.wait(events[start : start + GROUP_EVENTS])
        return answers

    def wait(self, events: Sequence[UsageEvent]) -> _Answered:
        """A future of the answers of at most GROUP_EVENTS events."""
        loop = asyncio.get_running_loop()
        future: _Answered = loop.create_future()
        self._waiting.append((events, future))
        if self._running is None:
            self._running = loop.create_task(self._run())  # begins in the loop's next turn
        return future

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._answer(self._next_group())
        finally:
            self._running = None

    def _next_group(self) -> list[_Waiting]:
        group = [self._waiting.popleft()]
        size = len(group[0][0])
        while self._waiting and size + len(self._waiting[0][0]) <= GROUP_EVENTS:
            group.append(self._waiting.popleft())
            size += len(group[-1][0])
        return group

    async def _answer(self, group: list[_Waiting]) -> None:
        try:
            answers = await self._judge([event for events, _ in group for event in events])
        except BaseException as error:
            for _, future in group:
                if not future.done():  # a caller that went away has cancelled its own
                    future.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        at = 0
        for events, future in group:
            if not future.done():
                future.set_result(answers[at : at + len(events)])
            at += len(events)
