"""The meter's calls on a Redis Cluster: redis-py's own client, which knows which node holds which shard."""

from typing import Any

from redis.asyncio import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException, RedisError

from service.adapters.redis.connections import OPTIONS


class ClusterCalls:
    """Like `Pipe`, for many servers. Each call borrows a pooled connection, so it costs more than a pipe's."""

    def __init__(self, url: str) -> None:
        self._client = RedisCluster.from_url(url, **{**OPTIONS, "retry": Retry(NoBackoff(), 1)})

    async def call(self, *command: str | int | bytes) -> Any:
        """The answer to one command, from the node its first key lives on. RedisError or OSError when it failed."""
        try:
            return await self._client.execute_command(*command)
        except RedisClusterException as error:  # not a RedisError in redis-py
            raise RedisError(str(error)) from error

    async def load(self, source: str) -> None:
        """Load a function library on every primary."""
        await self._client.function_load(source, replace=True)

    async def close(self) -> None:
        await self._client.aclose()
