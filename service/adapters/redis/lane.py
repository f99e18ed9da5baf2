"""One shard's waiting line: callers that come close together share a call (group commit)."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from service.domain.gauge import UsageEvent, VerdictAnswer

GROUP_EVENTS = 256
"""Most events in one call: the server does nothing else meanwhile, and this many take it some 4 ms."""

STARTING_EVENTS = 4
"""This many waiting are sent without waiting for the loop's turn to end: the server begins while the rest is read."""

CALLS_IN_FLIGHT = 16
"""Calls of one shard under way. Past it groups grow, which is what a server with too much to do needs."""

Answers = Sequence[VerdictAnswer]
Done = Callable[[Answers | Exception], None]
_Group = list[tuple[Sequence[UsageEvent], "asyncio.Future[Answers]"]]


class Lane:
    """`judge(events, done)` sends one call and calls `done` with its answers, or with the error, when it has them."""

    def __init__(self, judge: Callable[[Sequence[UsageEvent], Done], None]) -> None:
        self._judge = judge
        self._waiting: deque[tuple[Sequence[UsageEvent], asyncio.Future[Answers]]] = deque()
        self._waiting_events = 0
        self._in_flight = 0
        self._due = False

    def wait(self, events: Sequence[UsageEvent]) -> "asyncio.Future[Answers]":
        """A future of the answers of at most GROUP_EVENTS events."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answers] = loop.create_future()
        self._waiting.append((events, future))
        self._waiting_events += len(events)
        if self._waiting_events >= STARTING_EVENTS:
            self._start()
        elif not self._due:
            self._due = True
            loop.call_soon(self._turn_ended)
        return future

    async def wait_for_all(self, events: Sequence[UsageEvent]) -> Answers:
        """Any number of events, one group after the other: they are judged in order."""
        answers: list[VerdictAnswer] = []
        for start in range(0, len(events), GROUP_EVENTS):
            answers += await self.wait(events[start : start + GROUP_EVENTS])
        return answers

    def _turn_ended(self) -> None:
        self._due = False
        self._start()

    def _start(self) -> None:
        while self._waiting and self._in_flight < CALLS_IN_FLIGHT:
            group = [self._waiting.popleft()]
            events = list(group[0][0])
            while self._waiting and len(events) + len(self._waiting[0][0]) <= GROUP_EVENTS:
                group.append(self._waiting.popleft())
                events += group[-1][0]
            self._waiting_events -= len(events)
            self._in_flight += 1
            self._judge(events, partial(self._done, group))

    def _done(self, group: _Group, answers: Answers | Exception) -> None:
        self._in_flight -= 1
        at = 0
        for events, future in group:
            if not future.done():  # a caller that went away has cancelled its own
                if isinstance(answers, Exception):
                    future.set_exception(answers)
                else:
                    future.set_result(answers[at : at + len(events)])
            at += len(events)
        self._start()
