"""Accepted usage events on their way into SQL: a stream a shard, read from its old end, dropped after the commit.

There is no consumer group: two workers that read the same entries store them once (by event id), and a worker that
dies between commit and drop only makes the next one read them again.
"""

import logging
from collections.abc import Sequence
from typing import Any

import redis
from redis.exceptions import RedisClusterException

from service.adapters.redis import functions
from service.adapters.redis.connections import SyncClient, unavailable
from service.adapters.redis.keys import Keys
from service.adapters.redis.usage_entry import decode_entry
from service.ports import QueuedReading

UNREADABLE_KEPT = 1_000

logger = logging.getLogger(__name__)


class RedisUsageQueue:
    """Implements `service.ports.UsageQueue`. Methods raise QueueUnavailableError when Redis cannot be reached."""

    def __init__(self, client: SyncClient, *, shards: int = 1) -> None:
        self._client = client
        self._keys = Keys(shards)
        self._first_shard = 0
        self.set_aside = 0
        """Entries this instance could not read and moved out of the way."""

    def read(self, limit: int) -> Sequence[tuple[str, QueuedReading]]:
        """The oldest entries, at most `limit`; shards take turns at being first. Empty only when every queue is.

        An entry that cannot be read is logged, moved to the shard's list of unreadable ones, and not returned.
        """
        found: list[tuple[str, QueuedReading]] = []
        for step in range(self._keys.shards):
            found += self._read_shard((self._first_shard + step) % self._keys.shards, limit - len(found))
            if len(found) >= limit:
                break
        self._first_shard = (self._first_shard + 1) % self._keys.shards
        return found

    def drop(self, queue_ids: Sequence[str]) -> None:
        """Remove entries that are stored. Ids that are gone already are no error."""
        by_shard: dict[int, list[str]] = {}
        for queue_id in queue_ids:
            shard, entry_id = queue_id.split(":", 1)
            by_shard.setdefault(int(shard), []).append(entry_id)
        try:
            for number, entry_ids in by_shard.items():
                self._client.xdel(self._keys.usage_queue(number), *entry_ids)
        except (redis.RedisError, RedisClusterException, OSError) as error:
            raise unavailable(error) from error

    def _read_shard(self, shard: int, limit: int) -> list[tuple[str, QueuedReading]]:
        found: list[tuple[str, QueuedReading]] = []
        while not found:
            entries = self._oldest(shard, limit)
            if not entries:
                break
            unreadable = []
            for entry_id, fields in entries:
                try:
                    found.append((f"{shard}:{entry_id.decode()}", decode_entry(entry_id, fields or {})))
                except ValueError as error:
                    logger.error("usage entry %s of shard %d is unreadable and set aside: %s", entry_id, shard, error)
                    unreadable.append(entry_id)
            if unreadable:
                self._set_aside(shard, unreadable)
        return found

    def _set_aside(self, shard: int, entry_ids: list[bytes]) -> None:
        queue, unreadable = self._keys.usage_queue(shard), self._keys.unreadable(shard)
        self.set_aside += functions.call(
            self._client, functions.SET_ASIDE, [queue, unreadable], [UNREADABLE_KEPT, *entry_ids]
        )

    def _oldest(self, shard: int, limit: int) -> Any:
        try:
            return self._client.xrange(self._keys.usage_queue(shard), count=limit)
        except (redis.RedisError, RedisClusterException, OSError) as error:
            raise unavailable(error) from error
