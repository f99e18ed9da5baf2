"""A worker killed in mid-preparation delays that handoff by less than 30 s, and the handoff is stored once."""

import json
import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from carryforward_client import Carryforward
from models.kinds import CompactionState
from service import wiring
from service.cli.supervisor import Stack
from service.settings import Settings
from tests.made_session import made_session
from tests.waiting import wait_until

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]

TAKEOVER_SECONDS = 30


def worker_pids() -> list[int]:
    """Worker processes of this test's stack: they are our descendants."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            command = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if "tasks.app" in command and "worker" in command and "guard" not in command:
            found.append(process.pid)
    return found


def test_a_worker_killed_in_mid_preparation_is_taken_over(pair: Settings, tmp_path: Path) -> None:
    wiring.migrate(pair)
    with Stack(pair, quiet=True) as url, wiring.stored(pair) as units:

        def status() -> tuple[CompactionState, int] | None:
            with units.read() as unit:
                compaction = unit.compactions.of("big/1")
            return (compaction.state, compaction.fence) if compaction else None

        with Carryforward(
            "big",
            "big/1",
            url=url,
            format="anthropic-messages",
            window_tokens=1_000_000,
            spool_dir=str(tmp_path),
            timeout_seconds=10,  # what is measured is the takeover, not this machine
        ) as client:
            client.append([json.dumps(message) for message in made_session(4_000)])
            assert client.flush(60)
            assert client.usage(gauge_tokens=750_000).crossed == "threshold"
            wait_until(lambda: status() == (CompactionState.PREPARING, 1), timeout=20, message="preparing")
            killed_at = time.monotonic()
            for pid in worker_pids():
                os.kill(pid, signal.SIGKILL)
            wait_until(lambda: (status() or (None, 0))[1] >= 2, timeout=TAKEOVER_SECONDS, message="taken over")
            took_over = time.monotonic() - killed_at
            wait_until(
                lambda: status() == (CompactionState.PREPARED, 2), timeout=60, message="prepared by the next worker"
            )
            print(f"takeover after {took_over:.1f} s")
            client.turn_ended()
            handoff = client.claim("big/2", wait=5)
        assert handoff is not None
        assert tuple(handoff.degraded) == ()
        with units.read() as unit:
            assert len(unit.handoffs.find(session_id="big/1", agent_id=None, limit=9)) == 1
        assert took_over < TAKEOVER_SECONDS
