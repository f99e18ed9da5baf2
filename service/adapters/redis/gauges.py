"""Sessions' gauges, as flows and tasks use them: marks declared, crossings found and taken."""

from collections.abc import Sequence

import redis
from redis.exceptions import RedisClusterException

from service.adapters.redis import functions
from service.adapters.redis.connections import SyncClient, unavailable
from service.adapters.redis.keys import Keys
from service.domain.gauge import parts_per_million
from service.ports import SessionMarks


class RedisGauges:
    """Implements `service.ports.Gauges`. Every method raises QueueUnavailableError when Redis cannot be reached."""

    def __init__(self, client: SyncClient, *, shards: int = 1, session_ttl_seconds: int = 7 * 86_400) -> None:
        self._client = client
        self._keys = Keys(shards)
        self._ttl_seconds = session_ttl_seconds
        self._first_shard = 0

    def declare(self, marks: SessionMarks) -> None:
        """Set a session's window and marks. Its next event is judged by them; what was crossed stays crossed."""
        functions.call(
            self._client,
            functions.DECLARE,
            [self._keys.session(marks.session_id)],
            [
                marks.agent_id,
                marks.window_tokens or 0,
                parts_per_million(marks.threshold),
                parts_per_million(marks.backstop),
                self._ttl_seconds,
            ],
        )

    def pending_crossings(self, *, older_than_seconds: float, limit: int) -> Sequence[str]:
        """Session ids, oldest crossing first within a shard; at most `limit`. Shards take turns at being first."""
        found: list[str] = []
        for step in range(self._keys.shards):
            shard = (self._first_shard + step) % self._keys.shards
            ids = functions.call(
                self._client,
                functions.PENDING,
                [self._keys.crossings(shard)],
                [round(older_than_seconds * 1000), limit - len(found)],
            )
            found += [session_id.decode() for session_id in ids]
            if len(found) >= limit:
                break
        self._first_shard = (self._first_shard + 1) % self._keys.shards
        return found

    def crossing_taken(self, session_id: str) -> None:
        """Forget a pending crossing: the database knows of it now. The session stays crossed."""
        try:
            self._client.zrem(self._keys.crossings(self._keys.shard_of(session_id)), session_id)
        except (redis.RedisError, RedisClusterException, OSError) as error:
            raise unavailable(error) from error
