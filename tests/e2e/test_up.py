"""`carryforward up`, the stack it runs, and `doctor`, as a person meets them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from click.testing import Result
from typer.testing import CliRunner

from service.adapters.engine.announcement import Announcement
from service.cli import api_address, processes, supervisor
from service.cli.children import child_environment
from service.cli.main import app
from service.cli.supervisor import Stack
from service.errors import DatabaseOutOfDateError, EngineError
from service.settings import get_settings
from tests.pairs import settings
from tests.processes import descendants, until_gone
from tests.waiting import wait_until

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`run("doctor", "--json")`: a command on this test's data directory, in this process (a new one takes seconds)."""
    monkeypatch.setenv("CARRYFORWARD_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("CARRYFORWARD_PORT", "0")
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Result:
        get_settings.cache_clear()
        return CliRunner().invoke(app, arguments)

    yield run
    get_settings.cache_clear()


@contextmanager
def up(data_dir: Path) -> Iterator["subprocess.Popen[str]"]:
    with (data_dir / "up.err").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", "up"],
            env={**os.environ, "CARRYFORWARD_DATA_DIR": str(data_dir), "CARRYFORWARD_PORT": "0"},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def url_of(process: "subprocess.Popen[str]", data_dir: Path) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("Carryforward is up: http://"), line + (data_dir / "up.err").read_text()
    assert str(data_dir) in line
    return line.split()[3]


def pid_of(*words: str) -> int | None:
    """The process below us (not its guard) whose command line has these words."""
    for process in psutil.Process().children(recursive=True):
        try:
            line = process.cmdline()
        except psutil.Error:
            continue
        if "--" not in line and all(word in " ".join(line) for word in words):
            return process.pid
    return None


def test_it_comes_up_tells_where_and_stops_clean(tmp_path: Path, run: Run) -> None:
    with up(tmp_path) as process:
        url = url_of(process, tmp_path)
        assert api_address.get(url, "/readyz") == (200, b'{"status":"ok","missing":[]}')

        # Up means that hosts are answered; the worker, which nobody waits for, may take its queues a moment later.
        wait_until(lambda: run("doctor", "--json").exit_code == 0, timeout=20, message="all is well")
        well = run("doctor", "--json")
        assert {check["subject"] for check in json.loads(well.stdout)["checks"]} >= {
            *("python", "data directory", "disk", "engine", "database", "broker", "worker", "queues", "api")
        }
        second = run("up")
        assert isinstance(second.exception, EngineError)
        assert f"it is running already, on {url}" in second.exception.message

        pids = descendants(process.pid)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
        assert time.monotonic() - began < 10
        until_gone(pids, 0.5)
    assert not (tmp_path / "engine.json").exists()
    assert not (tmp_path / "api.json").exists()


def test_nothing_is_left_when_it_is_killed(tmp_path: Path) -> None:
    with up(tmp_path) as process:
        url_of(process, tmp_path)
        pids = descendants(process.pid)
        assert len(pids) >= 8  # engine, api, worker and beat, each with its guard
        process.kill()
        process.wait()
        until_gone(pids, 5)


def test_what_ends_is_started_again_where_it_was(tmp_path: Path) -> None:
    told: list[str] = []
    before = descendants(os.getpid())

    def ready_again(url: str) -> None:
        wait_until(lambda: (api_address.get(url, "/readyz") or (0,))[0] == 200, 40, "the API is ready again")

    with Stack(settings(tmp_path), say=told.append) as url:
        api = wait_until(lambda: pid_of("service.cli.main api"))
        os.kill(api, signal.SIGKILL)
        wait_until(lambda: pid_of("service.cli.main api") not in (None, api), 10, "another API")
        ready_again(url)
        announced = Announcement.read(tmp_path)
        assert announced is not None
        for server in descendants(announced.pid):
            os.kill(server, signal.SIGKILL)
        wait_until(lambda: len(told) == 2, 5, "it is noticed")
        ready_again(url)
    assert told == [
        f"api ended (killed by signal 9); starting it again in 0.2 s. Its log: {tmp_path / 'logs/api.log'}",
        "the engine ended; starting it and everything else again",
    ]
    assert descendants(os.getpid()) == before


def test_a_child_that_ends_while_it_starts_ends_the_stack_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = descendants(os.getpid())
    monkeypatch.setattr(
        supervisor, "api_command", lambda: [sys.executable, "-c", "raise SystemExit('no leg to stand on')"]
    )
    with pytest.raises(EngineError, match=r"api ended while it started \(exit status 1\)") as refused:
        Stack(settings(tmp_path), quiet=True).start()
    assert "no leg to stand on" in refused.value.hint
    assert descendants(os.getpid()) == before


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EngineError, match=f"cannot listen on 127.0.0.1:{port}"):
            processes.listen("127.0.0.1", port)


@pytest.mark.parametrize("command", ["api", "worker", "beat"])
def test_a_process_refuses_what_is_not_ready_and_says_what_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    refused = run(command)
    assert isinstance(refused.exception, EngineError)
    assert "no engine is running" in refused.exception.message
    monkeypatch.setenv("CARRYFORWARD_REDIS_URL", "redis://127.0.0.1:1/0")
    refused = run(command)
    assert isinstance(refused.exception, DatabaseOutOfDateError)
    assert "carryforward migrate" in refused.exception.hint


def test_doctor_names_what_is_wrong_and_what_to_do(run: Run) -> None:
    ill = run("doctor")
    assert ill.exit_code == 1
    for words in ("no engine is running", "carryforward up", "carryforward migrate", "CARRYFORWARD_REDIS_URL"):
        assert words in ill.stdout


def test_a_child_sees_every_setting_whatever_its_folders_dotenv_says(tmp_path: Path) -> None:
    ours = settings(tmp_path, redis_url="redis://a/0", database_url="postgresql+psycopg://b/c")
    variables = child_environment(ours, {"PATH": "/bin", "CARRYFORWARD_BROKER_URL": "redis://stale/0"})
    assert variables["PATH"] == "/bin"
    assert variables["CARRYFORWARD_REDIS_URL"] == "redis://a/0"
    assert "CARRYFORWARD_BROKER_URL" not in variables
    assert variables["CARRYFORWARD_THRESHOLD"] == "0.7"
