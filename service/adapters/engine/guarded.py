"""Starts a command under `guard.py`, from any thread, so that it never outlives this process."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

GUARD = Path(__file__).with_name("guard.py")
GRACE_SECONDS = 8.0


class GuardedProcess:
    """A guard and the command it runs. `pid` is the guard's; the command is its one child."""

    def __init__(self, popen: subprocess.Popen[bytes], lifeline: int, grace_seconds: float) -> None:
        self._popen = popen
        self._lifeline: int | None = lifeline
        self._grace_seconds = grace_seconds
        self._asked = False

    @property
    def pid(self) -> int:
        return self._popen.pid

    def poll(self) -> int | None:
        """The command's exit status (128 + n when signal n ended it), None while it runs."""
        code = self._popen.poll()
        if code is not None:
            self._cut_lifeline()
        return code

    def wait(self, timeout: float | None = None) -> int:
        """Like poll, but waits; raises subprocess.TimeoutExpired."""
        code = self._popen.wait(timeout)
        self._cut_lifeline()
        return code

    def terminate(self) -> None:
        """Ask the command to end, once: some take a second request as an order to drop what they do.

        The guard kills it when its grace is over.
        """
        if not self._asked:
            self._asked = True
            self._popen.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the command and its process group at once."""
        self._popen.send_signal(signal.SIGQUIT)

    def stop(self) -> int:
        """Terminate and wait; the exit status. Takes at most the grace and a moment."""
        self.terminate()
        try:
            return self.wait(self._grace_seconds + 2)
        except subprocess.TimeoutExpired:
            self._popen.kill()  # a guard that hangs; on Linux its death takes the command along
            return self.wait()

    def _cut_lifeline(self) -> None:
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None


def start_guarded(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    output: IO[bytes] | int | None = None,
    pass_fds: Sequence[int] = (),
    stop_signal: signal.Signals = signal.SIGTERM,
    grace_seconds: float = GRACE_SECONDS,
) -> GuardedProcess:
    """Start `command` so that it ends when this process does.

    `output` takes both its streams (None: ours). `stop_signal` is what asks it to end. `pass_fds` stay open in it.
    """
    parent_end, lifeline = os.pipe()  # neither is inherited by anything else we start
    try:
        popen = subprocess.Popen(
            [
                sys.executable,
                *("-I", "-S"),  # the guard is standard library only; without site it starts in half the time
                str(GUARD),
                *(str(parent_end), str(int(stop_signal)), str(grace_seconds), "--"),
                *command,
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=env,
            cwd=cwd,
            pass_fds=(parent_end, *pass_fds),
            start_new_session=True,
            umask=0o077,
        )
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(parent_end)
    return GuardedProcess(popen, lifeline, grace_seconds)
