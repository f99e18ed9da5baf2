"""The real HTTP application on a real socket, in a thread of the test."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from service.api.app import door
from service.settings import Settings


@contextmanager
def api_server(settings: Settings) -> Iterator[str]:
    config = uvicorn.Config(door(settings), host="127.0.0.1", port=0, log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the API did not start")
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


def call(method: str, url: str, body: object = None, *, raw: bytes | None = None) -> tuple[int, Any]:
    """Status and JSON body (or bytes, where it is no JSON)."""
    data = raw if raw is not None else (json.dumps(body).encode() if body is not None else None)
    kind = "application/x-ndjson" if raw is not None else "application/json"
    request = urllib.request.Request(url, data=data, method=method, headers={"content-type": kind})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, content = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            status, content = error.code, error.read()
    try:
        return status, json.loads(content)
    except ValueError:
        return status, content
