"""The embedded engine: one Valkey a data directory, append-only file on, gone when the process that started it is."""

import os
import secrets
import socket
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self

from service.adapters.engine.announcement import Announcement
from service.adapters.engine.binary import find_binary
from service.adapters.engine.guarded import GuardedProcess, start_guarded
from service.adapters.engine.locks import has_owner, take_owner_lock, try_server_lock
from service.errors import EngineError

LONGEST_SOCKET_PATH = 100
"""Bytes; the kernels' limits are 104 and 108, the final zero included."""

LOCK_WAIT_SECONDS = 5.0
"""For a server that is just starting or just ending in another process."""

LOAD_WAIT_SECONDS = 60.0
"""For the append-only file to be read back; 100 000 gauges take 1.7 s."""

PORT_TRIES = 5
"""Somebody may take the free port between our look and the server's start."""


class EmbeddedEngine:
    """The engine of `data_dir`: started by whoever comes first, adopted by everyone after. A context manager."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir.absolute()
        self._server: GuardedProcess | None = None
        self._locks: list[int] = []
        self._at: Announcement | None = None

    @property
    def redis_url(self) -> str:
        return self._announcement.redis_url

    @property
    def broker_url(self) -> str:
        return self._announcement.broker_url

    @property
    def adopted(self) -> bool:
        """Whether another process started it (and will stop it)."""
        return self._at is not None and self._server is None

    def start(self) -> Self:
        make_data_dir(self._data_dir)
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        while self._at is None:
            self._at = running_engine(self._data_dir)
            if self._at is not None:
                break
            server_lock = try_server_lock(self._data_dir)
            if server_lock is not None:
                self._locks = [server_lock, take_owner_lock(self._data_dir)]
                self._start_server(server_lock)
            elif time.monotonic() > deadline:
                raise EngineError(
                    f"{self._data_dir} is in use, but its engine does not answer",
                    hint="Another process holds engine.lock. Stop it, or choose another CARRYFORWARD_DATA_DIR.",
                )
            else:
                time.sleep(0.02)
        return self

    def stop(self) -> None:
        """End the server if we started it; returns when it has written everything and is gone."""
        self._at = None
        if self._server is not None:
            Announcement.path(self._data_dir).unlink(missing_ok=True)
            self._server.stop()
            self._server = None
        while self._locks:
            os.close(self._locks.pop())

    def alive(self) -> bool:
        """Whether the server runs (ours) or answers (an adopted one)."""
        if self._server is not None:
            return self._server.poll() is None
        return self._at is not None and self._at.answers()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _announcement(self) -> Announcement:
        if self._at is None:
            raise EngineError("the embedded engine is not started")
        return self._at

    def _start_server(self, lock: int) -> None:
        try:
            binary = find_binary()
            for _ in range(PORT_TRIES):
                self._at = self._try_server(binary, lock)
                if self._at is not None:
                    self._at.write(self._data_dir)
                    return
            raise EngineError("the embedded engine ended while it started", hint=_last_words(self._log))
        except BaseException:
            self.stop()
            raise

    def _try_server(self, binary: Path, lock: int) -> Announcement | None:
        """A server that answers; None when it ended instead."""
        port, password = _free_port(), secrets.token_hex(24)
        unix_socket: Path | None = self._data_dir / "engine.sock"
        if len(os.fsencode(self._data_dir / "engine.sock")) > LONGEST_SOCKET_PATH:
            unix_socket = None
        config = self._data_dir / "engine" / "valkey.conf"
        _write_config(config, port=port, password=password, unix_socket=unix_socket, log=self._log)
        self._server = start_guarded(
            [str(binary), str(config)],
            # A locale that is named but not installed, common in containers, would make the server refuse to start.
            env={**os.environ, "LC_ALL": "C"},
            pass_fds=(lock,),
        )
        announcement = Announcement(
            data_dir=str(self._data_dir),
            port=port,
            password=password,
            pid=self._server.pid,
            unix_socket=str(unix_socket) if unix_socket else None,
        )
        deadline = time.monotonic() + LOAD_WAIT_SECONDS
        while not announcement.answers():
            if self._server.poll() is not None:
                self._server = None
                return None
            if time.monotonic() > deadline:
                raise EngineError(f"the embedded engine did not answer in {LOAD_WAIT_SECONDS:.0f} s")
            time.sleep(0.002)
        return announcement

    @property
    def _log(self) -> Path:
        return self._data_dir / "logs" / "engine.log"


def running_engine(data_dir: Path) -> Announcement | None:
    """The engine that is announced in `data_dir`, if it answers and will go on to."""
    announced = Announcement.read(data_dir)
    if announced is None or not has_owner(Path(announced.data_dir)) or not announced.answers():
        return None
    return announced


def make_data_dir(data_dir: Path) -> None:
    """Make it and its folders, closed to other users; an existing one keeps its mode."""
    for folder in (data_dir, data_dir / "engine", data_dir / "logs"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise EngineError(
                f"cannot make the data directory {folder}: {error.strerror}",
                hint="Set CARRYFORWARD_DATA_DIR to a folder you can write to.",
            ) from error


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _write_config(path: Path, *, port: int, password: str, unix_socket: Path | None, log: Path) -> None:
    """In a file of its owner's: on the command line every user of the machine could read the password."""
    lines = [
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {password}",
        *([f"unixsocket {_quoted(unix_socket)}", "unixsocketperm 700"] if unix_socket else []),
        f"dir {_quoted(path.parent)}",
        f"logfile {_quoted(log)}",
        "daemonize no",
        "appendonly yes",
        # A server killed while an fsync runs may lose up to a second of answered events: some history, and a crossing
        # that the session's next event raises again. `always` would make every verdict wait for the disk.
        "appendfsync everysec",
        'save ""',  # the append-only file is the one record; snapshots beside it would only cost
        "maxmemory-policy noeviction",  # refuse a write rather than forget a gauge or a task
    ]
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _last_words(log: Path) -> str:
    try:
        with log.open(errors="replace") as file:
            words = " | ".join(line.strip() for line in deque(file, maxlen=3))
    except OSError:
        words = "nothing"
    return f"{log} ends with: {words}"
