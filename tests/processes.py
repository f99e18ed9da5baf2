"""Looking at processes that a test expects to be gone."""

import contextlib
import os
import signal

import psutil

from tests.waiting import wait_until


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def descendants(pid: int) -> list[int]:
    try:
        return [process.pid for process in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def until_gone(pids: list[int], timeout: float = 3) -> None:
    """Fails when one of them is still there; kills it then, so that a failed test leaves nothing either."""
    try:
        wait_until(lambda: not any(alive(pid) for pid in pids), timeout, message=f"{pids} are gone")
    finally:
        for pid in pids:
            if alive(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
