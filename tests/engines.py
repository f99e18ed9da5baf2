"""Real servers for the tests, each under our guard: they end with the test run, even when it is killed."""

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT

import psycopg
import pytest
import redis
from sqlalchemy import make_url

from service.adapters.engine.binary import find_binary
from service.adapters.engine.guarded import GuardedProcess, start_guarded
from tests.waiting import wait_until

UNPRIVILEGED = ("postgres", "nobody")
"""Users to run PostgreSQL as when we are root, which it refuses to be."""


@contextmanager
def external_redis(folder: Path) -> Iterator[str]:
    """A server as somebody else would run it: over TCP, no password, nothing kept. Yields its url."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [str(find_binary()), "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder)]
    with (folder / "redis.log").open("wb") as log:
        server = start_guarded(command, env={**os.environ, "LC_ALL": "C"}, output=log)
    url = f"redis://127.0.0.1:{port}/0"
    try:
        wait_until(lambda: _answers(url), message="the redis of the tests answers")
        yield url
    finally:
        server.stop()


def _answers(url: str) -> bool:
    with redis.from_url(url) as client:
        try:
            return bool(client.ping())
        except redis.exceptions.ConnectionError:
            return False


class PostgresCluster:
    """A cluster of the test run's own, on a unix socket, with no regard for power cuts."""

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._owner = owner
        self._databases = 0

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://{self._owner}@/{database}?host={self._folder}"

    def create(self) -> str:
        """A new database's url."""
        self._databases += 1
        name = f"test_{self._databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Whoever is still connected is thrown out."""
        self.execute(f"DROP DATABASE IF EXISTS {make_url(url).database} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        with psycopg.connect(
            host=str(self._folder), user=self._owner, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement.encode())

    def accepts(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def postgres_cluster() -> Iterator[PostgresCluster]:
    """Skips the test where PostgreSQL's programs are missing or may not run."""
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server programs are not installed (initdb, postgres)")
    user = _unprivileged_user() if os.geteuid() == 0 else None
    if os.geteuid() == 0 and (user is None or shutil.which("setpriv") is None):
        pytest.skip("PostgreSQL refuses to run as root, and there is no other user or no setpriv to become one")
    # Not under pytest's own folder: root's is closed to the user PostgreSQL runs as, and socket paths must be short.
    folder = Path(tempfile.mkdtemp(prefix="carryforward-pg-"))
    owner = user or getpass.getuser()
    if user:
        shutil.chown(folder, user)
    try:
        server = _start_postgres(programs, folder, as_user=user)
        cluster = PostgresCluster(folder, owner)
        try:
            wait_until(cluster.accepts, timeout=30, message="the PostgreSQL of the tests accepts connections")
            yield cluster
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start_postgres(programs: Path, folder: Path, *, as_user: str | None) -> GuardedProcess:
    # The kernel forgets who dies with whom when a process changes its user: setpriv has to ask for it again.
    become = (
        ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--clear-groups", "--pdeathsig=KILL"] if as_user else []
    )
    data = folder / "data"
    subprocess.run(
        [*become, programs / "initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    options = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=100")
    command = [*become, str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-c", "listen_addresses="]
    for option in options:
        command += ["-c", option]
    log = (folder / "postgres.log").open("wb")
    with log:
        return start_guarded(command, cwd=folder, output=log, stop_signal=SIGINT)  # SIGTERM would wait for clients


def _postgres_programs() -> Path | None:
    """The newest version's folder; on the PATH there are often wrappers that do more than we want."""
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    found = shutil.which("postgres")
    if found:
        candidates.append(Path(found).resolve().parent)
    return next((path for path in candidates if (path / "initdb").exists() and (path / "postgres").exists()), None)


def _version(path: Path) -> float:
    try:
        return float(path.parent.name)
    except ValueError:
        return 0.0


def _unprivileged_user() -> str | None:
    import pwd

    for name in UNPRIVILEGED:
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    return None
