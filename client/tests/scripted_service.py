"""A real HTTP server that keeps docs/http.md's word, and breaks it when told to."""

import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Handler = BaseHTTPRequestHandler
Trouble = Callable[[BaseHTTPRequestHandler], None]


class ServiceError(Exception):
    def __init__(self, status: int, code: str, **details: object) -> None:
        super().__init__(code)
        self.status = status
        self.body = {"error": {"code": code, "message": f"it is {code}", "hint": "a hint", **details}}


class ScriptedService:
    """State as the service has it: per session its lines, by which everything else is judged.

    `trouble` is run instead of the next requests, one each (or on every one, with `always`).
    """

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.events: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self.batches: list[int] = []
        self.trouble: list[Trouble] = []
        self.always: Trouble | None = None
        self.verdict = "continue"
        self.largest_batch = 10_000
        self.refused_lines: set[bytes] = set()
        self.port = 0
        self._connections: list[socket.socket] = []
        self._server: ThreadingHTTPServer | None = None
        self._lock = threading.Lock()

    # Life

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        service = self

        class RequestHandler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                service._connections.append(self.request)

            def do_POST(self) -> None:
                service._answer(self)

            def log_message(self, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: object) -> None:
                pass  # a client that has gone away

        self._server = Server(("127.0.0.1", self.port), RequestHandler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """As a killed process: open connections end."""
        server, self._server = self._server, None
        if server is None:
            return
        server.shutdown()
        server.server_close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._connections.clear()

    def lose_everything(self) -> None:
        self.sessions.clear()
        self.events.clear()

    def lines(self, session_id: str) -> list[bytes]:
        return list(self.sessions.get(session_id, {}).get("lines", []))

    # Requests

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length", 0))
        body = handler.rfile.read(length)
        if len(body) < length:
            return  # the client died in the middle: like any server, take nothing of half a request
        with self._lock:
            trouble = self.trouble.pop(0) if self.trouble else self.always
            self.requests.append((handler.command, handler.path))
        if trouble is not None:
            trouble(handler)
            return
        try:
            with self._lock:
                status, answer = 200, self._route(handler.path, body)
        except ServiceError as error:
            status, answer = error.status, error.body
        reply(handler, status, json.dumps(answer).encode())

    def _route(self, target: str, body: bytes) -> dict[str, Any]:
        url = urlsplit(target)
        if url.path == "/v1/sessions":
            return self._open(json.loads(body))
        if url.path == "/v1/usage":
            found = json.loads(body)
            many = isinstance(found, list)
            verdicts = [self._usage(event) for event in (found if many else [found])]
            return {"verdicts": verdicts} if many else verdicts[0]
        match = re.fullmatch(r"/v1/sessions/([^/]+)/(records|turn-end|interrupts|claim)", url.path)
        session_id = unquote(match[1]) if match else ""
        if match is None or session_id not in self.sessions:
            raise ServiceError(404, "not_found")
        session = self.sessions[session_id]
        if match[2] == "records":
            return self._append(session, int(parse_qs(url.query)["first_seq"][0]), body)
        if match[2] == "turn-end":
            session["turns"].append(len(session["lines"]))
            sealed = {"handoff_id": "h-1", "state": "sealed", "degraded": []} if self.verdict == "prepare" else None
            return {"session_id": session_id, "handoff": sealed}
        details = json.loads(body)
        if match[2] == "interrupts":
            declared = session["interrupts"].setdefault(
                details["interrupt_id"], {**details, "after_seq": len(session["lines"]) - 1}
            )
            return {"interrupt_id": details["interrupt_id"], "after_seq": declared["after_seq"]}
        return self._claim(session, details)

    def _open(self, body: dict[str, Any]) -> dict[str, Any]:
        fresh = {**body, "lines": [], "interrupts": {}, "turns": [], "claimed_by": None}
        session = self.sessions.setdefault(body["session_id"], fresh)
        if session["agent_id"] != body["agent_id"]:
            raise ServiceError(409, "session_conflict")
        return {"session_id": body["session_id"], "generation": 1, "next_seq": len(session["lines"])}

    def _append(self, session: dict[str, Any], first_seq: int, body: bytes) -> dict[str, Any]:
        lines, stored = body.removesuffix(b"\n").split(b"\n"), session["lines"]
        if len(lines) > self.largest_batch:
            raise ServiceError(413, "too_large")
        if self.refused_lines & set(lines):
            raise ServiceError(422, "invalid_input")
        if first_seq > len(stored):
            raise ServiceError(409, "records_missing", next_seq=len(stored))
        for offset, line in enumerate(lines[: len(stored) - first_seq]):
            if stored[first_seq + offset] != line:
                raise ServiceError(409, "record_conflict", seq=first_seq + offset, next_seq=len(stored))
        duplicates = min(len(lines), len(stored) - first_seq)
        stored.extend(lines[duplicates:])
        self.batches.append(len(lines))
        return {"stored": len(lines) - duplicates, "duplicates": duplicates, "next_seq": len(stored)}

    def _usage(self, event: dict[str, Any]) -> dict[str, Any]:
        if set(event) - {"event_id", "session_id", "agent_id", "seq", "gauge_tokens", "usage", "window_tokens"}:
            raise ServiceError(422, "invalid_input")
        bill = event.get("usage") or {}
        used = max(event.get("gauge_tokens") or 0, sum(bill.values()))
        window = event.get("window_tokens") or 200_000
        duplicate = event["event_id"] in self.events
        self.events.setdefault(event["event_id"], event)
        return {
            "event_id": event["event_id"],
            "verdict": self.verdict,
            "used_tokens": used,
            "window_tokens": window,
            "share": used / window,
            "crossed": "threshold" if self.verdict == "prepare" and not duplicate else None,
            "duplicate": duplicate,
        }

    def _claim(self, session: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        lines = session["lines"]
        if not lines:
            raise ServiceError(409, "nothing_to_hand_off")
        if session["claimed_by"] not in (None, body["claimed_by"]):
            raise ServiceError(409, "already_claimed", claimed_by=session["claimed_by"])
        session["claimed_by"] = body["claimed_by"]
        tail = lines[-2:]
        return {
            "handoff_id": "h-1",
            "agent_id": session["agent_id"],
            "session_id": session["session_id"],
            "generation": 1,
            "claimed_by": body["claimed_by"],
            "next_generation": 2,
            "ledger_version": 1,
            "covers_through": len(lines) - len(tail) - 1,
            "seed": "Carried forward.",
            "kept_tail": {
                "first_seq": len(lines) - len(tail),
                "last_seq": len(lines) - 1,
                "records": [line.decode() for line in tail],
            },
            "degraded": ["not_prepared"],
        }


def reply(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


# Troubles


def status(code: int, body: bytes = b'{"error": {"code": "internal", "message": "broken"}}', **headers: str) -> Trouble:
    return lambda handler: reply(handler, code, body, **headers)


def hang(seconds: float) -> Trouble:
    def trouble(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return trouble


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A byte of a valid answer every now and then: no single wait is long."""
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    for _ in range(100):
        handler.wfile.write(b" ")
        time.sleep(0.05)


def break_off(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"verdict": ')
