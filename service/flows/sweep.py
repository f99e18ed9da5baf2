"""Find what was forgotten and send it again: crossings nobody took, leases that ran out, tasks that were lost."""

from datetime import timedelta

from service.ports import Ports

LIMIT = 500


def sweep(ports: Ports, *, older_than_seconds: float = 2) -> int:
    """How many preparations were sent. Sending one twice is harmless: the lease lets one worker in."""
    now = ports.clock.now()
    with ports.units.read() as unit:
        due = unit.compactions.due(now=now, requested_before=now - timedelta(seconds=older_than_seconds), limit=LIMIT)
    pending = ports.gauges.pending_crossings(older_than_seconds=older_than_seconds, limit=LIMIT)
    forgotten = list(dict.fromkeys([*due, *pending]))
    for session_id in forgotten:
        ports.dispatcher.prepare(session_id)
    return len(forgotten)
