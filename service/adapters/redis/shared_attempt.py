"""One attempt for all who want the same thing at the same time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SharedAttempt(Generic[T]):
    """Callers that come while an attempt is under way share its outcome, a failure too.

    With a lock instead, each in turn would wait out its own timeout on a server that is not there.
    """

    def __init__(self, attempt: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._attempt = attempt
        self._running: asyncio.Task[T] | None = None

    async def outcome(self) -> T:
        """A caller that is cancelled leaves the attempt to the others."""
        running, loop = self._running, asyncio.get_running_loop()
        if running is None or running.get_loop() is not loop:
            running = self._running = loop.create_task(self._attempt())
            running.add_done_callback(self._ended)
        return await asyncio.shield(running)

    def _ended(self, task: asyncio.Task[T]) -> None:
        self._running = None
        if not task.cancelled():
            task.exception()  # seen, even when every caller has gone
