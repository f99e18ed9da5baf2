"""HTTP/1.1 with keep-alive and one deadline a request. No proxies, no redirects, JSON objects only."""

import http.client
import json
import ssl
import threading
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

from carryforward_client.deadline import Deadline, DeadlineSocket, connect
from carryforward_client.types import Problem

# A kept tail may be large; an answer without an end must not fill the host's memory.
_LONGEST_ANSWER_BYTES = 64 << 20


class UnreachableError(Exception):
    """No usable answer: refused, too slow, broken off, or not Carryforward speaking. Worth a try later."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True)
class Answer:
    """An answer of the service itself. `body` is the JSON object; of an error, what is under `error`."""

    status: int
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.status == 200

    @property
    def code(self) -> str:
        """The error's code; empty where something in between answered in the service's place."""
        return "" if self.ok else str(self.body.get("code", ""))

    @property
    def problem(self) -> Problem:
        return Problem(
            self.code or "unexpected_answer",
            str(self.body.get("message") or f"HTTP status {self.status}"),
            str(self.body.get("hint") or ""),
        )


class Http:
    """Requests to one service. Thread-safe: each request has a connection for itself, idle ones are kept."""

    def __init__(self, url: str) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be http://host:port or https://host:port, not {url!r}")
        self._host = parts.hostname
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        self._prefix = parts.path.rstrip("/")

    def send(self, method: str, path: str, body: bytes, content_type: str, *, seconds: float) -> Answer:
        """One exchange, ended by then whatever the other side does. Raises UnreachableError."""
        deadline = Deadline(seconds)
        headers = {"Content-Type": content_type, "Accept": "application/json"}
        connection = self._take(deadline)
        try:
            try:
                status, content = self._exchange(connection, method, path, body, headers)
            except (http.client.RemoteDisconnected, ConnectionError):
                # The service closes idle connections, and this is how one learns of it. Every call may be repeated.
                if not connection.kept:
                    raise
                connection.close()
                connection = _Connection(self._host, self._port, self._tls, deadline)
                status, content = self._exchange(connection, method, path, body, headers)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            reason = str(error) or type(error).__name__
            raise UnreachableError(
                Problem("unreachable", f"{self._host}:{self._port} gave no answer: {reason}", "Is the service up?")
            ) from error
        except BaseException:  # an interrupted exchange leaves a connection nobody can use
            connection.close()
            raise
        return _parse(status, content)

    def close(self) -> None:
        """Close idle connections; the next request opens a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        self.close()

    def after_fork(self) -> None:
        """A connection shared with the parent would mix two conversations."""
        self._lock = threading.Lock()
        self.close()

    def _take(self, deadline: Deadline) -> "_Connection":
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            return _Connection(self._host, self._port, self._tls, deadline)
        connection.begin(deadline)
        return connection

    def _exchange(
        self, connection: "_Connection", method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        connection.request(method, self._prefix + path, body, headers)
        response = connection.getresponse()
        try:
            content = _read(response)
        except BaseException:
            response.close()
            raise
        if response.will_close:
            connection.close()
        else:
            connection.kept = True
            with self._lock:
                self._idle.append(connection)
        return response.status, content


class _Connection(http.client.HTTPConnection):
    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None, deadline: Deadline) -> None:
        super().__init__(host, port)
        self.kept = False
        self._tls = tls
        self._deadline = deadline

    def begin(self, deadline: Deadline) -> None:
        self._deadline = deadline
        if self.sock is not None:
            cast("DeadlineSocket", self.sock).deadline = deadline

    def connect(self) -> None:
        sock = connect(self.host, self.port, self._deadline)
        if self._tls is not None:
            self._deadline.arm(sock)
            try:
                sock = self._tls.wrap_socket(sock, server_hostname=self.host)
            except BaseException:
                sock.close()
                raise
        self.sock = cast("Any", DeadlineSocket(sock, self._deadline))


def _read(response: http.client.HTTPResponse) -> bytes:
    """The whole body. Raises HTTPException where it breaks off or has no end."""
    content = bytearray()
    while not response.isclosed():
        piece = response.read(1 << 16)
        if not piece:
            break
        content += piece
        if len(content) > _LONGEST_ANSWER_BYTES:
            raise http.client.HTTPException("the answer is too long")
    if response.length:
        raise http.client.HTTPException("the answer broke off")
    response.close()
    return bytes(content)


def _parse(status: int, content: bytes) -> Answer:
    """Raises UnreachableError for a success that is no JSON object: some portal or other server answered."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if status == 200:
        if not isinstance(body, dict):
            raise UnreachableError(
                Problem("unexpected_answer", "the answer is no JSON object", "Does the url point at Carryforward?")
            )
        return Answer(status, body)
    error = body.get("error") if isinstance(body, dict) else None
    return Answer(status, error if isinstance(error, dict) else {})
