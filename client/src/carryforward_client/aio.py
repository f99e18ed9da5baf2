"""The same client for asyncio."""

import asyncio
import os
from collections.abc import Iterable, Mapping

from carryforward_client.client import Carryforward
from carryforward_client.interrupts import Interrupting
from carryforward_client.records import Record
from carryforward_client.types import Handoff, Pending, Problem, TurnEnd, Verdict


class AsyncCarryforward:
    """`Carryforward` with awaitable methods: same names, same promises. Its work is done in threads, off the loop.

    Await one `append` before the next one: that is the order of the records.
    """

    def __init__(
        self,
        agent_id: str,
        session_id: str,
        *,
        url: str | None = None,
        format: str = "claude-code",  # noqa: A002 (the wire's word)
        window_tokens: int | None = None,
        threshold: float | None = None,
        backstop: float | None = None,
        system: str | None = None,
        parent_session_id: str | None = None,
        spool_dir: str | os.PathLike[str] | None = None,
        timeout_seconds: float = 1.0,
    ) -> None:
        """See `Carryforward`."""
        self._sync = Carryforward(
            agent_id,
            session_id,
            url=url,
            format=format,
            window_tokens=window_tokens,
            threshold=threshold,
            backstop=backstop,
            system=system,
            parent_session_id=parent_session_id,
            spool_dir=spool_dir,
            timeout_seconds=timeout_seconds,
        )
        self.agent_id = agent_id
        self.session_id = session_id

    async def append(self, records: Record | Iterable[Record]) -> range:
        return await asyncio.to_thread(self._sync.append, records)

    async def usage(
        self,
        event_id: str | None = None,
        *,
        gauge_tokens: int | None = None,
        usage: Mapping[str, object] | None = None,
        window_tokens: int | None = None,
        seq: int | None = None,
    ) -> Verdict:
        return await asyncio.to_thread(
            self._sync.usage, event_id, gauge_tokens=gauge_tokens, usage=usage, window_tokens=window_tokens, seq=seq
        )

    async def turn_ended(self) -> TurnEnd | None:
        return await asyncio.to_thread(self._sync.turn_ended)

    def interrupting(self, cause: str, tool_use_ids: Iterable[str] = ()) -> Interrupting:
        """For `async with`."""
        return self._sync.interrupting(cause, tool_use_ids)

    async def claim(self, claimed_by: str, wait: float = 5.0) -> Handoff | None:
        return await asyncio.to_thread(self._sync.claim, claimed_by, wait)

    async def flush(self, timeout: float = 5.0) -> bool:
        return await asyncio.to_thread(self._sync.flush, timeout)

    async def ship_leftovers(self, timeout: float = 10.0) -> Pending:
        return await asyncio.to_thread(self._sync.ship_leftovers, timeout)

    async def close(self, timeout: float = 2.0) -> None:
        await asyncio.to_thread(self._sync.close, timeout)

    @property
    def pending(self) -> Pending:
        return self._sync.pending

    @property
    def last_problem(self) -> Problem | None:
        return self._sync.last_problem

    async def __aenter__(self) -> "AsyncCarryforward":
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()
