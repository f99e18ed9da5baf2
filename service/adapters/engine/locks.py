"""Two locks on an embedded engine's data directory, both let go by the kernel when their holder ends.

`engine.lock` is held by the server itself, through a descriptor it inherits: the directory is free only when nothing
appends to its file any more. Valkey has no lock of its own; two servers would write into one file. `owner.lock` is held
by the process that started the server and by nothing else: where it is free, the server is about to end, and nobody
should begin to use it.
"""

import fcntl
import os
from pathlib import Path


def try_server_lock(data_dir: Path) -> int | None:
    """An open descriptor that holds the lock, to be inherited by the server; None while one runs."""
    descriptor = _open(data_dir / "engine.lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def take_owner_lock(data_dir: Path) -> int:
    """For the holder of the server's lock; waits only for somebody who just looks."""
    descriptor = _open(data_dir / "owner.lock")
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def has_owner(data_dir: Path) -> bool:
    try:
        descriptor = os.open(data_dir / "owner.lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
