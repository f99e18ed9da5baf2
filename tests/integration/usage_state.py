"""What the usage tests send and what they look at in the server."""

import struct
from collections.abc import Sequence

import redis

from service.adapters.redis import functions
from service.adapters.redis.keys import Keys
from service.adapters.redis.usage_call import Defaults, JudgeCall
from service.adapters.redis.usage_queue import RedisUsageQueue
from service.domain.gauge import UsageEvent, VerdictAnswer
from service.ports import QueuedReading

KEYS = Keys()
DEFAULTS = Defaults()


def event(event_id: str, seq: int, used: int, *, session: str = "s", window: int | None = None) -> UsageEvent:
    return UsageEvent(event_id, session, "a", seq, used, None, window)


def judge(
    client: redis.Redis, *events: UsageEvent, defaults: Defaults = DEFAULTS, keys: Keys = KEYS
) -> list[VerdictAnswer]:
    """All events in one call of the function; they must share a shard."""
    shape = JudgeCall(keys, defaults)
    (_, name, count, *rest), used = shape.command(keys.shard_of(events[0].session_id), events)
    reply = functions.call(client, str(name), rest[: int(count)], rest[int(count) :])
    return shape.answers(events, used, reply)


def gauge(client: redis.Redis, session: str) -> tuple[int, int, int, int]:
    """(seq, used tokens, window the event named or 0, level) as stored."""
    seq, used, named, level, _ = struct.unpack("<dddBd", client.hget(KEYS.session(session), "g"))
    return int(seq), int(used), int(named), level


def queued(client: redis.Redis, *, shards: int = 1) -> list[QueuedReading]:
    """Everything in the queues; it stays there."""
    readings = []
    for shard in range(shards):
        stream = RedisUsageQueue(client, shards=shards)
        readings += [reading for _, reading in stream._read_shard(shard, 1_000_000)]
    return readings


def pending(client: redis.Redis) -> Sequence[str]:
    return [member.decode() for member in client.zrange(KEYS.crossings(0), 0, -1)]
