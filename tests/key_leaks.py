"""Which keys a test left behind that would stay forever."""

import redis
from kombu.transport.redis import Channel

from models.kinds import Queue
from service.adapters.redis.keys import TABLE

BROKER_KEYS = {
    # Celery's own: as many as there are queues, not as there are sessions.
    *(queue.value for queue in Queue),
    *(Channel.keyprefix_queue % name for name in ("celery.pidbox", "celeryev", "reply.celery.pidbox")),
    Channel.unacked_key,
    Channel.unacked_index_key,
}


def leaked_keys(client: redis.Redis) -> list[str]:
    leaked = []
    for key in client.scan_iter(count=500):
        name = key.decode(errors="backslashreplace")
        permanent = (
            name in BROKER_KEYS
            or name.startswith("_kombu.")
            or any(kind.matches(name) and not kind.expires for kind in TABLE)
        )
        if not permanent and client.ttl(key) == -1:
            leaked.append(name)
    return sorted(leaked)
