"""One connection that many calls share: commands go out as they come, answers are matched in order.

redis.asyncio takes a connection out of a pool, sends, waits, and puts it back: some 150 us of Python a call, and the
next call can only start beside it on another connection. Here redis-py still makes the connection (URL, TLS,
password, database), then its transport is ours and hiredis does the rest.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import hiredis
from redis.asyncio.connection import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from service.adapters.redis.connections import ANSWER_SECONDS, OPTIONS
from service.adapters.redis.shared_attempt import SharedAttempt

_NOTHING_YET = object()

Command = tuple[str | int | bytes, ...]
OnAnswer = Callable[[Any], None]
"""Called with what the server answered, or with the RedisError it answered or that befell the connection."""


class Pipe:
    """Calls on one server. Connects when first called, and again after the connection was lost."""

    def __init__(self, url: str) -> None:
        # RESP2: there is nothing of RESP3's in an answer of ours, and no push message between two answers.
        self._pool = ConnectionPool.from_url(url, **{**OPTIONS, "protocol": 2, "retry": Retry(NoBackoff(), 0)})
        self._opening = SharedAttempt(self._open)
        self._wire: _Wire | None = None

    def send(self, command: Command, on_answer: OnAnswer) -> bool:
        """Send now, be called with the answer. False, and nothing sent, when there is no connection: use `call`."""
        wire = self._wire
        if wire is None or wire.lost:
            return False
        wire.send(command, on_answer)
        return True

    async def call(self, *command: str | int | bytes) -> Any:
        """The answer to one command. RedisError or OSError when it is an error, is late, or the connection breaks."""
        wire = self._wire
        if wire is None or wire.lost:
            wire = await self._opening.outcome()
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        wire.send(command, partial(_settle, answered))
        return await answered

    async def load(self, source: str) -> None:
        """Load a function library, over an older one of the same name."""
        await self.call("FUNCTION", "LOAD", "REPLACE", source)

    async def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    async def _open(self) -> "_Wire":
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
        self._waiting: deque[tuple[OnAnswer, asyncio.TimerHandle]] = deque()
        self._writer, connection._writer, connection._reader = connection._writer, None, None
        self._transport: asyncio.Transport = self._writer.transport
        self._transport.set_protocol(self)

    @property
    def lost(self) -> bool:
        """Broken, closed, or left over from an event loop that has ended."""
        return self._lost or self._loop.is_closed()

    def send(self, command: Command, on_answer: OnAnswer) -> None:
        # The oldest command's clock runs out first, and with it go all behind it.
        self._waiting.append((on_answer, self._loop.call_later(ANSWER_SECONDS, self._late)))
        packed = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub says a tuple of one
        self._transport.write(packed)

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
            on_answer, timer = self._waiting.popleft()
            timer.cancel()
            on_answer(answer)

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(RedisConnectionError(f"the connection was lost: {error or 'closed by the server'}"))

    def _late(self) -> None:
        self._fail(RedisConnectionError(f"no answer within {ANSWER_SECONDS:g} s"))

    def _fail(self, error: RedisError) -> None:
        self._lost = True
        self._transport.abort()
        while self._waiting:
            on_answer, timer = self._waiting.popleft()
            timer.cancel()
            on_answer(error)


def _settle(answered: asyncio.Future[Any], answer: Any) -> None:
    if answered.done():  # its caller was cancelled
        return
    if isinstance(answer, RedisError):
        answered.set_exception(answer)
    else:
        answered.set_result(answer)
