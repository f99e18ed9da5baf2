"""Runs one command and ends it when the parent ends, however the parent ends. Standard library only.

    python -I -S guard.py PARENT_FD STOP_SIGNAL GRACE_SECONDS -- COMMAND...

PARENT_FD is the reading end of a pipe whose other end only the parent holds: end of file means that the parent is gone
(SIGKILL included, on every Unix). The command runs in a session of its own, so a Ctrl-C at the terminal reaches it only
through its parent, in the parent's order. When the parent is gone, or the guard is sent SIGTERM, SIGINT or SIGHUP, the
command gets STOP_SIGNAL (or the signal that came), GRACE_SECONDS to end, then SIGKILL with its whole process group.
SIGQUIT skips the grace. On Linux the kernel kills the command if the guard itself is killed.

Exit status: the command's; 128 + n if signal n ended it; 127 if it cannot be run.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

PR_SET_PDEATHSIG = 1
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
HANDLED = (*STOPPING, signal.SIGQUIT, signal.SIGCHLD)


def _parent_death_signal() -> Callable[[], None]:
    """A call that makes the kernel kill the calling process when the *thread* that forked it ends.

    That thread is the guard's only one, which is why a guard can use this where a threaded program cannot.
    """
    if not sys.platform.startswith("linux"):
        return lambda: None
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return lambda: None
    return lambda: prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def _spawn(command: list[str]) -> int:
    die_with_guard = _parent_death_signal()
    guard = os.getpid()
    # Blocked over the fork: a signal in between would be swallowed by the guard's own handlers in the child.
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        return child
    try:
        os.setsid()
        die_with_guard()
        if os.getppid() != guard:  # killed before the line above took effect
            os._exit(128 + signal.SIGKILL)
        for number in (*HANDLED, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        os.execvp(command[0], command)  # noqa: S606 (running what it is given is its purpose)
    except OSError as error:
        os.write(2, f"guard: cannot run {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _signal_group(child: int, number: int) -> None:
    try:
        os.killpg(child, number)
    except (ProcessLookupError, PermissionError):
        # Between its fork and its setsid the child leads no group yet; at its end there is nobody left.
        _signal_leader(child, number)


def _signal_leader(child: int, number: int) -> None:
    with suppress(ProcessLookupError):  # gone already, which is what the caller wants
        os.kill(child, number)


def guard(parent_fd: int, stop_signal: int, grace_seconds: float, command: list[str]) -> int:
    """Run `command` to its end; its exit status."""
    os.set_inheritable(parent_fd, False)
    wake, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    for number in HANDLED:
        signal.signal(number, lambda *_: None)

    child = _spawn(command)
    watched = [wake, parent_fd]
    kill_at: float | None = None

    while True:
        timeout = None if kill_at is None else max(0.0, kill_at - time.monotonic())
        ready, _, _ = select.select(watched, [], [], timeout)
        received = os.read(wake, 64) if wake in ready else b""

        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _signal_group(child, signal.SIGKILL)  # what it left running
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code

        stop = next((number for number in received if number in STOPPING), None)
        if parent_fd in ready:
            watched.remove(parent_fd)
            stop = stop_signal
        if stop is not None:
            # To the leader alone: it stops its own children in its own order (a worker finishes their tasks first).
            _signal_leader(child, stop_signal if stop == signal.SIGTERM else stop)
            kill_at = kill_at or time.monotonic() + grace_seconds
        if signal.SIGQUIT in received or (kill_at is not None and time.monotonic() >= kill_at):
            _signal_group(child, signal.SIGKILL)
            kill_at = time.monotonic() + 1  # looks again should the kernel be slow to let it go


def main(arguments: list[str]) -> int:
    try:
        parent_fd, stop_signal, grace_seconds = int(arguments[0]), int(arguments[1]), float(arguments[2])
        if arguments[3] != "--" or not arguments[4:]:
            raise ValueError
    except (IndexError, ValueError):
        sys.stderr.write("usage: guard.py PARENT_FD STOP_SIGNAL GRACE_SECONDS -- COMMAND...\n")
        return 2
    return guard(parent_fd, stop_signal, grace_seconds, arguments[4:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
