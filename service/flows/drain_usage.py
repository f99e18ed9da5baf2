"""Move queued usage events into SQL, for history and fleet views. Verdicts never wait for this."""

from service.ports import Ports

MAX_BATCHES = 200
"""Batches of one call. What is left is the next tick's: a task that never ends is a task nobody can stop."""


def drain_usage(ports: Ports, *, batch: int = 500) -> int:
    """Store what the queue holds, at most 200 batches of `batch` events; how many were new.

    Read, store, drop, in this order: a crash in between repeats a batch, and storing is idempotent by event id.
    Raises QueueUnavailableError, and whatever the store raises; nothing is dropped that is not stored.
    """
    stored = 0
    for _ in range(MAX_BATCHES):
        queued = ports.usage_queue.read(batch)
        if not queued:
            break
        with ports.units.write() as unit:
            stored += unit.readings.add([reading for _, reading in queued])
        ports.usage_queue.drop([queue_id for queue_id, _ in queued])
    return stored
