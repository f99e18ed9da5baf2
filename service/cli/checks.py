"""What `doctor` looks at: one function a subject, each answering with what it saw and, if it is bad, what to do."""

import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import redis
from kombu import Connection
from kombu.exceptions import OperationalError

from models.kinds import Queue
from service import wiring
from service.cli import api_address
from service.errors import CarryforwardError
from service.settings import Settings

LEAST_FREE_BYTES = 1 << 30
LONG_QUEUE = 1_000
OLDEST_ENGINE = 7
TIMEOUT_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """`warn` is worth knowing and fails nothing."""

    subject: str
    state: Literal["ok", "warn", "fail"]
    seen: str
    hint: str = ""


def ok(subject: str, seen: str) -> Finding:
    return Finding(subject, "ok", seen)


def python(_settings: Settings) -> Iterator[Finding]:
    """An older one than 3.11 could not read this file; which one answers is still the first thing to ask."""
    yield ok("python", f"{platform.python_version()}, {sys.executable}")


def data_dir(settings: Settings) -> Iterator[Finding]:
    folder = settings.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        free = shutil.disk_usage(folder).free
    except OSError as error:
        hint = "Set CARRYFORWARD_DATA_DIR to a folder you can write to."
        yield Finding("data directory", "fail", f"{folder}: {error.strerror}", hint)
        return
    yield ok("data directory", f"{folder}, writable")
    if free < LEAST_FREE_BYTES:
        yield Finding("disk", "warn", f"{free >> 20} MiB free", "Make room: transcripts are kept whole.")
    else:
        yield ok("disk", f"{free >> 30} GiB free")


def engine(settings: Settings) -> Iterator[Finding]:
    try:
        url = wiring.running_urls(settings).redis_url
        with _redis(url) as client:
            info: dict[str, Any] = client.info()
            client.function_list()
    except (CarryforwardError, redis.exceptions.RedisError) as error:
        yield Finding("engine", "fail", *_words(error, "Check CARRYFORWARD_REDIS_URL; Redis or Valkey 7+ is needed."))
        return
    kind = "by url" if settings.redis_url else "embedded"
    name = f"valkey {info['valkey_version']}" if "valkey_version" in info else f"redis {info['redis_version']}"
    if int(str(info["redis_version"]).split(".")[0]) < OLDEST_ENGINE:
        yield Finding("engine", "fail", f"{name}, {kind}", f"Version {OLDEST_ENGINE} or newer is needed (functions).")
    else:
        yield ok("engine", f"{name}, {kind}, takes functions")
    if info.get("maxmemory_policy") == "noeviction":
        yield ok("eviction", "none")
    else:
        hint = "Set maxmemory-policy noeviction: an evicted key is a lost gauge or task."
        yield Finding("eviction", "fail", str(info.get("maxmemory_policy")), hint)
    if info.get("aof_enabled"):
        yield ok("append-only file", "on")
    else:
        hint = "Set appendonly yes, or a restart forgets gauges and queued events."
        yield Finding("append-only file", "warn", "off", hint)


def database(settings: Settings) -> Iterator[Finding]:
    try:
        wiring.check_database(settings)
    except CarryforwardError as error:
        yield Finding("database", "fail", *_words(error, ""))
    else:
        yield ok("database", f"{'PostgreSQL' if settings.database_url else 'SQLite'}, up to date")


def broker(settings: Settings) -> Iterator[Finding]:
    """The broker, its queues, and who takes from them: a Celery worker waits for its queues in BRPOP."""
    try:
        url = wiring.running_urls(settings).broker_url
        with Connection(url, connect_timeout=TIMEOUT_SECONDS) as connection:
            connection.ensure_connection(max_retries=1, timeout=TIMEOUT_SECONDS)
    except (CarryforwardError, OperationalError) as error:
        yield Finding("broker", "fail", *_words(error, "Check CARRYFORWARD_BROKER_URL."))
        return
    yield ok("broker", "reachable")
    if not url.startswith(("redis://", "rediss://")):
        return
    with _redis(url) as client:
        waiting = sum(row.get("cmd") == "brpop" for row in client.client_list())
        depths = {queue.value: int(client.llen(queue.value)) for queue in Queue}
    if waiting:
        yield ok("worker", f"{waiting} waiting for tasks")
    else:
        yield Finding("worker", "fail", "none takes tasks", "Start `carryforward worker` (or `carryforward up`).")
    told = ", ".join(f"{name} {depth}" for name, depth in depths.items())
    if max(depths.values()) > LONG_QUEUE:
        yield Finding("queues", "warn", told, "Workers do not keep up: start more of them.")
    else:
        yield ok("queues", told)


def api(settings: Settings) -> Iterator[Finding]:
    """Of this data directory; else, where one may run in another container, at the settings' address."""
    url = api_address.announced(settings) or api_address.url_of(settings.host, settings.port)
    known = not url.endswith(":0")
    answer = api_address.get(url, "/readyz", TIMEOUT_SECONDS) if known else None
    if answer is None:
        seen = f"{url} does not answer" if known else "none is announced in the data directory"
        yield Finding("api", "fail", seen, "Start `carryforward api` (or `carryforward up`).")
    elif answer[0] != 200:
        seen = f"{url} is not ready: {answer[1].decode(errors='replace')}"
        yield Finding("api", "fail", seen, "See what it misses above, and its log.")
    else:
        yield ok("api", f"{url} is ready")


CHECKS: tuple[Callable[[Settings], Iterator[Finding]], ...] = (python, data_dir, engine, database, broker, api)


def _redis(url: str) -> "redis.Redis":
    return redis.from_url(url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS)


def _words(error: Exception, otherwise: str) -> tuple[str, str]:
    if isinstance(error, CarryforwardError):
        return error.message, error.hint
    return str(error) or type(error).__name__, otherwise
