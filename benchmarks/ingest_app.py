"""The server `ingest.py` measures: the real usage door, with a bare no-op route in front of it on the same port.

The no-op is as little as a JSON server can do: read the body, decode the event, answer a constant.
Environment: INGEST_REDIS, the engine's URL.
"""

import os
from collections.abc import Awaitable

import msgspec

from service.adapters.redis.usage_meter import UsageMeter
from service.api.usage import Message, Receive, Scope, Send, UsageDoor
from service.domain.gauge import UsageEvent

_decode = msgspec.json.Decoder(UsageEvent).decode
_ANSWER = (
    b'{"event_id":"none","verdict":"continue","used_tokens":0,"window_tokens":200000,"share":0.0,'
    b'"crossed":null,"duplicate":false}'
)
_HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(_ANSWER))]


async def _nothing_else(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "lifespan":
        raise RuntimeError(f"no route {scope['path']}")
    message: Message = await receive()
    await send({"type": "lifespan.startup.complete"})
    while message["type"] != "lifespan.shutdown":
        message = await receive()
    await _meter.close()
    await send({"type": "lifespan.shutdown.complete"})


_meter = UsageMeter(os.environ["INGEST_REDIS"])
_door = UsageDoor(_nothing_else, _meter, on_crossed=lambda session_id: None)


async def _noop(receive: Receive, send: Send) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    _decode(body)
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": _ANSWER})


def app(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
    """Not a coroutine itself (uvicorn's `--interface asgi3`): neither route pays for the other."""
    if scope["type"] == "http" and scope["path"] == "/noop":
        return _noop(receive, send)
    return _door(scope, receive, send)
