"""One process of the stack: guarded, logged to a file, started again when it ends."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from service.adapters.engine.guarded import GuardedProcess, start_guarded

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
STEADY_SECONDS = 30.0
"""A child that ran this long had started well: its next end is a new problem, with the first pause again."""

Say = Callable[[str], None]


class Child:
    """One process of the stack and its restarts."""

    def __init__(self, name: str, command: Sequence[str], log: Path, folder: Path) -> None:
        self.name = name
        self.log = log
        self._command = command
        self._folder = folder
        self._process: GuardedProcess | None = None
        self._started_at = 0.0
        self._pause = FIRST_PAUSE_SECONDS
        self._start_again_at: float | None = None

    def start(self, environment: Mapping[str, str]) -> None:
        self._start_again_at = None
        self._started_at = time.monotonic()
        with self.log.open("ab") as output:
            self._process = start_guarded(self._command, env=environment, cwd=self._folder, output=output)

    def ended(self) -> int | None:
        """Its exit status; None while it runs."""
        return None if self._process is None else self._process.poll()

    def keep_running(self, environment: Mapping[str, str], say: Say) -> None:
        """Start it again if it ended, after a pause that doubles while it keeps ending."""
        status, now = self.ended(), time.monotonic()
        if status is None:
            return
        if self._start_again_at is None:
            if now - self._started_at > STEADY_SECONDS:
                self._pause = FIRST_PAUSE_SECONDS
            say(f"{self.name} ended ({describe(status)}); starting it again in {self._pause:g} s. Its log: {self.log}")
            self._start_again_at = now + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE_SECONDS)
        elif now >= self._start_again_at:
            self.start(environment)

    def terminate(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def wait(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None

    def last_words(self, lines: int = 8) -> str:
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""


def describe(status: int) -> str:
    return f"killed by signal {status - 128}" if status > 128 else f"exit status {status}"
