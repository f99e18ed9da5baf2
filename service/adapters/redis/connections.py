"""Connections to Redis or Valkey, sync and async, for a single server and for a Cluster."""

from typing import Any

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.errors import QueueUnavailableError

CONNECT_SECONDS = 1.0
ANSWER_SECONDS = 2.0
"""An agent waits for its verdict: a server that does not answer is reported, not waited for."""

SyncClient = redis.Redis | redis.RedisCluster
AsyncClient = redis.asyncio.Redis | redis.asyncio.RedisCluster

_OPTIONS: dict[str, Any] = {
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": ANSWER_SECONDS,
    "socket_keepalive": True,
    "protocol": 3,
}


def connect(url: str, *, shards: int = 1) -> SyncClient:
    """A sync client. With more than one shard the server is asked whether it is a Cluster.

    One immediate retry: every call of ours may be repeated, and a pooled connection that died while idle is then
    never an error. Raises QueueUnavailableError (only when it has to ask).
    """
    client = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 1), **_OPTIONS)
    if shards == 1:
        return client
    try:
        if not is_cluster(client.info("cluster")):
            return client
        client.close()
        return redis.RedisCluster.from_url(url, retry=Retry(NoBackoff(), 1), **_OPTIONS)
    except (redis.RedisError, redis.exceptions.RedisClusterException, OSError) as error:
        client.close()
        raise unavailable(error) from error


async def connect_async(url: str, *, shards: int = 1) -> AsyncClient:
    """An asyncio client; otherwise like `connect`, but redis errors are the caller's to translate."""
    client = redis.asyncio.Redis.from_url(url, retry=AsyncRetry(NoBackoff(), 1), **_OPTIONS)
    if shards == 1:
        return client
    try:
        clustered = is_cluster(await client.info("cluster"))
    except BaseException:
        await client.aclose()
        raise
    if not clustered:
        return client
    await client.aclose()
    return redis.asyncio.RedisCluster.from_url(url, retry=AsyncRetry(NoBackoff(), 1), **_OPTIONS)


def is_cluster(info: Any) -> bool:
    return bool(info.get("cluster_enabled"))


def unavailable(error: Exception) -> QueueUnavailableError:
    return QueueUnavailableError(f"Redis did not answer: {error or type(error).__name__}")
