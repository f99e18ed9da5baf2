"""One connection that many calls share: commands go out as they come, answers are matched in order.

redis.asyncio takes a connection out of a pool, sends, waits, and puts it back: some 150 us of Python a call, and the
next call can only start beside it on another connection. Here redis-py still makes the connection (URL, TLS,
password, database), then its transport is ours and hiredis does the rest.
"""

import asyncio
from collections import deque
from typing import Any

import hiredis
from redis.asyncio.connection import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from service.adapters.redis.connections import ANSWER_SECONDS, OPTIONS

_NOTHING_YET = object()


class Pipe:
    """Calls on one server. Connects when first called, and again after the connection was lost."""

    def __init__(self, url: str) -> None:
        # RESP2: there is nothing of RESP3's in an answer of ours, and no push message between two answers.
        self._pool = ConnectionPool.from_url(url, **{**OPTIONS, "protocol": 2, "retry": Retry(NoBackoff(), 0)})
        self._opening = asyncio.Lock()
        self._wire: _Wire | None = None

    async def call(self, *command: str | int | bytes) -> Any:
        """The answer to one command. RedisError or OSError when it is an error, is late, or the connection breaks."""
        wire = self._wire
        if wire is None or wire.lost:
            wire = await self._open()
        return await wire.send(command)

    async def load(self, source: str) -> None:
        """Load a function library, over an older one of the same name."""
        await self.call("FUNCTION", "LOAD", "REPLACE", source)

    async def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    async def _open(self) -> "_Wire":
        async with self._opening:  # one of the callers connects, the others use what it got
            if self._wire is None or self._wire.lost:
                connection = self._pool.make_connection()  # type: ignore[no-untyped-call]
                await connection.connect()
                self._wire = _Wire(connection)
            return self._wire


class _Wire(asyncio.Protocol):
    """The life of one connection."""

    def __init__(self, connection: Any) -> None:
        self._lost = False
        self._loop = asyncio.get_running_loop()
        self._reader = hiredis.Reader(replyError=ResponseError, notEnoughData=_NOTHING_YET)
        self._waiting: deque[tuple[asyncio.Future[Any], asyncio.TimerHandle]] = deque()
        self._writer, connection._writer, connection._reader = connection._writer, None, None
        self._transport: asyncio.Transport = self._writer.transport
        self._transport.set_protocol(self)

    @property
    def lost(self) -> bool:
        """Broken, closed, or left over from an event loop that has ended."""
        return self._lost or self._loop.is_closed()

    def send(self, command: tuple[str | int | bytes, ...]) -> asyncio.Future[Any]:
        future = self._loop.create_future()
        # The oldest command's clock runs out first, and with it go all behind it.
        self._waiting.append((future, self._loop.call_later(ANSWER_SECONDS, self._late)))
        packed = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub says a tuple of one
        self._transport.write(packed)
        return future

    def close(self) -> None:
        self._fail(RedisConnectionError("the connection was closed"))

    def data_received(self, data: bytes) -> None:
        reader = self._reader
        reader.feed(data)
        while True:
            try:
                answer = reader.gets()
            except hiredis.ProtocolError as error:
                self._fail(RedisConnectionError(f"not the Redis protocol: {error}"))
                return
            if answer is _NOTHING_YET:
                return
            future, timer = self._waiting.popleft()
            timer.cancel()
            if future.done():  # its caller was cancelled
                continue
            if isinstance(answer, RedisError):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(RedisConnectionError(f"the connection was lost: {error or 'closed by the server'}"))

    def _late(self) -> None:
        self._fail(RedisConnectionError(f"no answer within {ANSWER_SECONDS:g} s"))

    def _fail(self, error: RedisError) -> None:
        self._lost = True
        self._transport.abort()
        while self._waiting:
            future, timer = self._waiting.popleft()
            timer.cancel()
            if not future.done():
                future.set_exception(error)
