"""`carryforward up` and `doctor` as a person runs them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from service.cli import api_address
from service.cli.supervisor import Stack
from service.errors import EngineError
from tests.pairs import settings
from tests.processes import descendants, until_gone
from tests.waiting import wait_until

COMMAND = [sys.executable, "-m", "service.cli.main"]


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "CARRYFORWARD_DATA_DIR": str(data_dir), "CARRYFORWARD_PORT": "0", "COLUMNS": "200", **more}


def run(data_dir: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *arguments], env=environment(data_dir, **more), capture_output=True, text=True, check=False
    )


@contextmanager
def up(data_dir: Path) -> Iterator["subprocess.Popen[str]"]:
    with (data_dir / "up.err").open("w") as errors:
        process = subprocess.Popen(
            [*COMMAND, "up"], env=environment(data_dir), stdout=subprocess.PIPE, stderr=errors, text=True
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
        if "--" not in line and all(word in line for word in words):
            return process.pid
    return None


def test_it_comes_up_tells_where_and_stops_clean(tmp_path: Path) -> None:
    with up(tmp_path) as process:
        url = url_of(process, tmp_path)
        assert api_address.get(url, "/readyz") == (200, b'{"status":"ok","missing":[]}')

        well = run(tmp_path, "doctor", "--json")
        assert well.returncode == 0, well.stdout
        assert {check["subject"] for check in json.loads(well.stdout)["checks"]} >= {
            *("python", "data directory", "disk", "engine", "database", "broker", "worker", "queues", "api")
        }
        second = run(tmp_path, "up")
        assert second.returncode == 1
        assert f"it is running already, on {url}" in second.stderr

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


def test_a_child_that_ends_is_started_again_where_it_was(tmp_path: Path) -> None:
    told: list[str] = []
    stack = Stack(settings(tmp_path), say=told.append)
    with stack as url:
        first = wait_until(lambda: pid_of("service.cli.main", "api"))
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: pid_of("service.cli.main", "api") not in (None, first), 10, "another API")
        wait_until(lambda: (api_address.get(url, "/readyz") or (0,))[0] == 200, 20, "the API is ready again")
    assert told == [f"api ended (killed by signal 9); starting it again in 0.2 s. Its log: {tmp_path / 'logs/api.log'}"]


def test_an_engine_that_ends_is_started_again_with_everything(tmp_path: Path) -> None:
    told: list[str] = []
    stack = Stack(settings(tmp_path), say=told.append)
    with stack as url:
        engine = next(
            process for process in psutil.Process().children(recursive=True) if process.name().startswith("valkey")
        )
        engine.kill()
        wait_until(lambda: told, 5, "it is noticed")
        wait_until(lambda: (api_address.get(url, "/readyz") or (0,))[0] == 200, 30, "the API is ready again")
    assert told == ["the engine ended; starting it and everything else again"]


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        stack = Stack(settings(tmp_path).model_copy(update={"port": port}), quiet=True)
        with pytest.raises(EngineError, match="api ended while it started") as refused:
            stack.start()
    assert f"cannot listen on 127.0.0.1:{port}" in refused.value.hint
    assert descendants(os.getpid()) == []


@pytest.mark.parametrize("command", ["api", "worker", "beat"])
def test_a_process_refuses_what_is_not_ready_and_says_what_to_do(tmp_path: Path, command: str) -> None:
    refused = run(tmp_path, command)
    assert refused.returncode == 1
    assert "no engine is running" in refused.stderr
    refused = run(tmp_path, command, CARRYFORWARD_REDIS_URL="redis://127.0.0.1:1/0")
    assert refused.returncode == 1
    assert "carryforward migrate" in refused.stderr


def test_doctor_names_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    ill = run(tmp_path, "doctor")
    assert ill.returncode == 1
    for words in ("no engine is running", "carryforward up", "carryforward migrate", "CARRYFORWARD_REDIS_URL"):
        assert words in ill.stdout
