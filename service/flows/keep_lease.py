"""Keep a compaction's lease while it is worked on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog

from service.ports import CompactionStatus, Ports

log = structlog.get_logger()


@contextmanager
def keep_lease(ports: Ports, compaction: CompactionStatus) -> Iterator[None]:
    """Renew every third of the lease's time, from a thread of its own: the work may be one long computation."""
    done = threading.Event()
    thread = threading.Thread(target=_renew, args=(ports, compaction, done), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(ports: Ports, compaction: CompactionStatus, done: threading.Event) -> None:
    while not done.wait(ports.lease_seconds / 3):
        try:
            until = ports.clock.now() + timedelta(seconds=ports.lease_seconds)
            with ports.units.write() as unit:
                if not unit.compactions.renew_lease(compaction.compaction_id, fence=compaction.fence, until=until):
                    return  # lost: the fence stops what we still write
        except Exception:
            # A database that is away for a moment: the next try may still be in time, and the fence holds anyway.
            log.warning("lease not renewed", compaction_id=compaction.compaction_id, exc_info=True)
