"""The background thread that ships one session's spool while the host's loop goes on."""

import logging
import threading
from collections.abc import Callable

from carryforward_client.deadline import Deadline
from carryforward_client.delivery import CHUNK_ENTRIES, Delivery
from carryforward_client.health import Health
from carryforward_client.http import UnreachableError
from carryforward_client.spool import Mark, Spool
from carryforward_client.types import Problem

logger = logging.getLogger("carryforward")

_LINGER_SECONDS = 0.05  # how long the first entry of a batch waits for others
_IDLE_SECONDS = 5.0  # then the thread ends; the next entry starts another
_PATIENT_PAUSE_SECONDS = 0.25  # between tries while someone waits through an outage
_POLL_SECONDS = 0.05  # how soon it is seen that another process has shipped


class Shipper:
    """Thread-safe. The thread is a daemon, starts with the first entry, and ends when there was none for a while."""

    def __init__(self, spool: Spool, delivery: Delivery, health: Health, on_idle: Callable[[], None]) -> None:
        self._spool = spool
        self._delivery = delivery
        self._health = health
        self._on_idle = on_idle
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._progress = threading.Condition()
        self._work = threading.Event()  # something was appended
        self._hurry = threading.Event()  # do not linger: the batch is full, or someone waits
        self._retry = threading.Event()  # do not wait for the end of an outage's pause
        self._fresh_entries = 0
        self._thread: threading.Thread | None = None
        self._stopping = False

    def wake(self, entries: int = 1) -> None:
        """There is something to ship. Never blocks on the network, never raises."""
        self._fresh_entries += entries
        if self._fresh_entries >= CHUNK_ENTRIES:
            self._hurry.set()
        with self._lock:
            self._work.set()
            if self._thread is None and not self._stopping:
                thread = threading.Thread(target=self._run, name="carryforward-shipper", daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # the interpreter is going down; the next process ships
                    self._health.note(Problem("internal", f"no thread to ship with: {error}"))
                    return
                self._thread = thread

    def wait(self, mark: Mark, seconds: float, *, patient: bool) -> bool:
        """Ship now; whether everything up to the mark was, in that time.

        `patient`: try on, at short intervals, through an outage's pauses. Otherwise a pause, or a try that fails,
        ends the wait: a dead service costs the host's loop nothing.
        """
        if self._spool.passed(mark):
            return True
        deadline = Deadline(seconds)
        failures = self._health.failures
        self._hurry.set()
        self.wake(0)
        with self._progress:
            while not self._spool.passed(mark):
                if patient and self._health.failed_seconds_ago > _PATIENT_PAUSE_SECONDS:
                    self._retry.set()
                given_up = not patient and (self._health.pause_seconds or self._health.failures != failures)
                if given_up or self._stopping or not deadline.remaining_seconds:
                    return False
                self._progress.wait(min(deadline.remaining_seconds, _POLL_SECONDS))
        return True

    def stop(self, seconds: float) -> None:
        """End the thread; what was not shipped stays in the spool. For good."""
        with self._lock:
            self._stopping = True
            thread = self._thread
        for event in (self._work, self._hurry, self._retry):
            event.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def after_fork(self) -> None:
        """The parent's thread is not in the child."""
        self._reset()

    def _run(self) -> None:
        while not self._stopping:
            idle = not self._work.wait(_IDLE_SECONDS)
            with self._lock:
                if idle and not self._work.is_set():
                    self._thread = None
                    break
            self._hurry.wait(_LINGER_SECONDS)
            self._work.clear()
            self._hurry.clear()
            self._fresh_entries = 0
            self._ship()
        self._on_idle()

    def _ship(self) -> None:
        """Until all is shipped, or the client is closed."""
        while not self._stopping:
            try:
                more = self._delivery.ship_next()
            except UnreachableError as error:
                self._pause(error.problem)
                continue
            except Exception as error:  # a defect of ours, or a disk that cannot be read: the host must not notice
                logger.debug("shipping failed", exc_info=True)
                self._pause(Problem("internal", f"{type(error).__name__}: {error}"))
                continue
            if more:
                self._health.succeeded()
                self._tell()
            elif self._spool.passed(self._spool.mark()):
                self._tell()
                return
            else:  # another process is shipping
                self._retry.wait(_POLL_SECONDS)
                self._retry.clear()

    def _pause(self, problem: Problem) -> None:
        self._health.failed(problem)
        self._tell()
        self._retry.wait(self._health.pause_seconds)
        self._retry.clear()

    def _tell(self) -> None:
        with self._progress:
            self._progress.notify_all()
