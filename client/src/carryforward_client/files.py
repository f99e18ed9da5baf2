"""Files several processes share: names, locks, whole-or-nothing writes."""

import contextlib
import hashlib
import os
import re
import threading
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such lock on this platform: keep to one process a session there
    fcntl = None  # type: ignore[assignment]


def safe_name(identifier: str) -> str:
    """A directory name for any id: readable, never a path, never the same for two ids (nor on a caseless disk)."""
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", identifier)[:48]
    digest = hashlib.sha256(identifier.encode()).hexdigest()[:20]
    return f"{readable}-{digest}"


def is_directory(path: Path) -> bool:
    """Never raises, unlike `Path.is_dir` where a parent may not be entered."""
    try:
        return path.is_dir()
    except OSError:
        return False


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file's content; readers see the old or the new, never a half. Raises OSError."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def append_line(path: Path, line: bytes) -> None:
    """Raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(line + b"\n")


class FileLock:
    """A lock between threads, and (flock, advisory) between processes. The file is opened for each hold."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._fd: int | None = None

    def acquire(self, timeout_seconds: float) -> bool:
        """False when another holder kept it for that long. Raises OSError where the file cannot be opened."""
        deadline = time.monotonic() + timeout_seconds
        if not self._threads.acquire(timeout=timeout_seconds):
            return False
        try:
            self._fd = self._open_locked(deadline)
        finally:
            if self._fd is None:
                self._threads.release()
        return self._fd is not None

    def release(self) -> None:
        """Only by the holder."""
        fd, self._fd = self._fd, None
        if fd is not None:
            if fcntl is not None:
                # Not left to close: a forked child may hold a copy of the descriptor.
                fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)
            self._threads.release()

    def after_fork(self) -> None:
        """In the child: close the copy without unlocking what the parent holds."""
        fd, self._fd = self._fd, None
        self._threads = threading.Lock()
        if fd is not None:
            os.close(fd)

    def _open_locked(self, deadline: float) -> int | None:
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while not _try_lock(fd):
                if time.monotonic() >= deadline:
                    os.close(fd)
                    return None
                time.sleep(0.002)
        except OSError:
            os.close(fd)
            raise
        return fd


def _try_lock(fd: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
