"""The HTTP server: /v1/messages (streamed or not), /v1/messages/count_tokens, /v1/models."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from tests.endpoint.request import MessagesRequest
from tests.endpoint.script import Script
from tests.endpoint.sse import events


class Endpoint:
    """Serves a script on a free loopback port while its `with` lasts. `requests` are all that were asked, in order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[MessagesRequest] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Endpoint:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    @property
    def _endpoint(self) -> Endpoint:
        return self.server.endpoint

    def do_GET(self) -> None:
        if self.path.startswith("/v1/models"):
            self._json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})
        else:
            self._error(404, "not_found_error", f"no {self.path}")

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))))
        except ValueError:
            self._error(400, "invalid_request_error", "the body is not JSON")
            return
        if not isinstance(body, dict):
            self._error(400, "invalid_request_error", "the body is not an object")
            return
        request = MessagesRequest(path, body)
        self._endpoint.requests.append(request)
        if path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": len(json.dumps(body)) // 4})
        elif path == "/v1/messages":
            self._answer(request)
        else:
            self._error(404, "not_found_error", f"no {path}")

    def _answer(self, request: MessagesRequest) -> None:
        reply = self._endpoint.script.reply(request)
        if request.streamed:
            self._stream(events(reply, request.model))
        else:
            self._json(200, reply.message(request.model))

    def _stream(self, pieces: Iterator[bytes]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _json(self, status: int, body: object) -> None:
        written = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def _error(self, status: int, kind: str, message: str) -> None:
        self._json(status, {"type": "error", "error": {"type": kind, "message": message}})

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Quiet: what was asked is in `requests`."""
