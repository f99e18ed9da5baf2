"""Is the service worth a try, what went wrong last, and one warning an outage instead of one an event."""

import logging
import random
import threading
import time

from carryforward_client.types import Problem

logger = logging.getLogger("carryforward")

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 5.0


class Health:
    """Shared by everything one client does on the network. Thread-safe."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._lock = threading.Lock()
        self._outage: Problem | None = None
        self._failures_in_a_row = 0
        self._failed_at = float("-inf")  # monotonic, as the next
        self._next_try_at = 0.0
        self._warned: set[str] = set()
        self.failures = 0  # ever; grows with every try that failed
        self.last_problem: Problem | None = None

    @property
    def pause_seconds(self) -> float:
        """How long nobody should try the network; 0 when it may be tried now."""
        return max(0.0, self._next_try_at - time.monotonic())

    @property
    def failed_seconds_ago(self) -> float:
        """Since the last failure."""
        return time.monotonic() - self._failed_at

    def failed(self, problem: Problem) -> None:
        """An outage begins or goes on: no network for a while, doubling from 0.5 s to 5 s."""
        with self._lock:
            began = self._outage is None
            self._outage = self.last_problem = problem
            # Scattered, so that a fleet does not come back in one wave.
            pause = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** min(self._failures_in_a_row, 8))
            self._failed_at = time.monotonic()
            self._next_try_at = self._failed_at + pause * random.uniform(0.8, 1.0)  # noqa: S311
            self._failures_in_a_row += 1
            self.failures += 1
        if began:
            logger.warning(
                "session %s: %s (%s); records and events are kept and sent later",
                self._session_id,
                problem.message,
                problem.code,
            )

    def succeeded(self) -> None:
        """The service took something: the outage, if there was one, is over."""
        if self._outage is None:
            return
        with self._lock:
            over, self._outage = self._outage, None
            self._failures_in_a_row, self._next_try_at = 0, 0.0
            if self.last_problem is over:
                self.last_problem = None
        logger.info("session %s: the service answers again", self._session_id)

    def note(self, problem: Problem) -> None:
        """Something went wrong that waiting does not heal. Each code is warned of once."""
        with self._lock:
            self.last_problem = problem
            new = problem.code not in self._warned
            self._warned.add(problem.code)
        if new:
            logger.warning("session %s: %s (%s)", self._session_id, problem.message, problem.code)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
