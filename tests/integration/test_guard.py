"""A guarded command ends with its parent, however the parent ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from service.adapters.engine.guarded import GUARD, GuardedProcess, start_guarded
from tests.processes import alive, descendants, until_gone
from tests.waiting import wait_until

SLEEPER = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
STUBBORN = [
    *(sys.executable, "-S", "-c"),
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
]
FAMILY = ["/bin/sh", "-c", "sleep 60 & sleep 60 & wait"]
PARENT = """
import sys, time
from service.adapters.engine.guarded import start_guarded
guarded = start_guarded([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
print(guarded.pid, flush=True)
{end}
"""
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's help is Linux's own")


def command_of(guarded: GuardedProcess) -> int:
    """The pid of what it guards."""
    return wait_until(lambda: descendants(guarded.pid), message="the command runs")[0]


@pytest.mark.parametrize(
    ("end", "sent"),
    [
        ("time.sleep(60)", signal.SIGKILL),
        ("time.sleep(60)", signal.SIGTERM),
        ("time.sleep(60)", signal.SIGINT),
        ("sys.exit()", None),
        ("raise RuntimeError", None),
    ],
)
def test_a_command_ends_with_its_parent(end: str, sent: signal.Signals | None) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(end=end)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with parent:
        assert parent.stdout is not None
        guard = int(parent.stdout.readline())
        if sent is not None:
            pids = wait_until(lambda: descendants(guard), message="the command runs")
            parent.send_signal(sent)
        else:
            pids = descendants(guard)
        parent.wait(5)
    until_gone([guard, *pids], 2)


@LINUX
def test_a_command_ends_when_its_guard_is_killed() -> None:
    guarded = start_guarded(SLEEPER)
    command = command_of(guarded)
    os.kill(guarded.pid, signal.SIGKILL)
    guarded.wait(2)
    until_gone([command], 1)


def test_a_command_started_in_a_thread_outlives_that_thread() -> None:
    started: list[GuardedProcess] = []
    thread = threading.Thread(target=lambda: started.append(start_guarded(SLEEPER)))
    thread.start()
    thread.join()
    command = command_of(started[0])
    time.sleep(0.2)  # nothing to wait for: the point is that nothing happens
    assert alive(command)
    assert started[0].stop() == 128 + signal.SIGTERM


def test_a_deaf_command_is_killed_when_its_grace_is_over() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end) as words:
        guarded = start_guarded(STUBBORN, output=write_end, grace_seconds=0.3)
        os.close(write_end)
        assert words.readline() == "deaf\n"
        began = time.monotonic()
        assert guarded.stop() == 128 + signal.SIGKILL
    assert 0.2 < time.monotonic() - began < 3


def test_what_a_command_started_ends_with_it() -> None:
    guarded = start_guarded(FAMILY)
    wait_until(lambda: len(descendants(guarded.pid)) == 3, message="the shell has its two children")
    family = descendants(guarded.pid)
    guarded.kill()
    guarded.wait(2)
    until_gone(family, 1)


def test_the_stop_signal_of_choice_is_sent(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(7))\n"
        f"open({str(tmp_path / 'ready')!r}, 'w').close()\n"
        "time.sleep(60)"
    )
    guarded = start_guarded([sys.executable, "-S", "-c", code], stop_signal=signal.SIGINT)
    wait_until((tmp_path / "ready").exists)
    assert guarded.stop() == 7


def test_the_commands_own_exit_status_is_passed_on() -> None:
    assert start_guarded([sys.executable, "-S", "-c", "raise SystemExit(9)"]).wait(5) == 9


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+b") as log:
        assert start_guarded(["/no/such/program"], output=log).wait(5) == 127
        log.seek(0)
        assert b"cannot run /no/such/program" in log.read()


def test_a_guard_called_wrongly_says_how() -> None:
    told = subprocess.run([sys.executable, GUARD, "command"], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "usage" in told.stderr
