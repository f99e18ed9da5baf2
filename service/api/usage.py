"""The hot route, POST /v1/usage, answered in front of the application.

It is called once for each message of each agent, everything else once a turn or less: so this one route does without
routing, dependency injection and response models, and costs a third of what they would.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from service.api.usage_body import check_size, decode_usage
from service.errors import CarryforwardError
from service.ports import Meter

PATH = "/v1/usage"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

logger = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


class UsageDoor:
    """ASGI: answers POST /v1/usage through the meter; everything else, lifespan included, is the app's.

    `on_crossed(session_id)` runs in a thread for each event that crossed; the answer does not wait for it, and what it
    raises is logged (a sweep finds the crossing later). The meter is the caller's to close.
    """

    def __init__(self, app: AsgiApp, meter: Meter, on_crossed: Callable[[str], None]) -> None:
        self._app = app
        self._meter = meter
        self._on_crossed = on_crossed
        self._running: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        # Flat on purpose: hundreds of these wait for their verdict at once, and every frame and object of a waiting one
        # is cold memory when it goes on.
        status = 200
        try:
            message = await receive()
            body = message.get("body", b"")
            if message.get("more_body", False):
                body = await _rest(body, receive)
            events, many = decode_usage(body)
            answers = await self._meter.report(events) if events else []
            for event, answer in zip(events, answers, strict=True):
                if answer.crossed is not None:
                    self._crossed(event.session_id)
            payload = _encode({"verdicts": answers} if many else answers[0])
        except CarryforwardError as error:
            status, payload = error.status, _encode(error.body())
        except Exception:
            logger.exception("POST %s failed", PATH)
            status, payload = 500, _encode(CarryforwardError("The usage event could not be judged.").body())
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(payload))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": payload})

    def _crossed(self, session_id: str) -> None:
        task = asyncio.get_running_loop().create_task(self._tell(session_id))
        self._running.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(self._running.discard)

    async def _tell(self, session_id: str) -> None:
        try:
            await asyncio.to_thread(self._on_crossed, session_id)
        except Exception:
            logger.exception("session %s crossed, but its preparation could not be sent; the sweep will", session_id)


async def _rest(first: bytes, receive: Receive) -> bytes:
    """The whole body, of several messages. TooLargeError as soon as it is too large.

    From a client that goes away it is cut short: no JSON any more, and nobody reads the answer.
    """
    parts, size, more = [first], len(first), True
    while more:
        message = await receive()
        part, more = message.get("body", b""), message.get("more_body", False)
        parts.append(part)
        size += len(part)
        check_size(size)
    return b"".join(parts)
