"""Connections to Redis or Valkey: their limits in time, the sync client, and what a failure is called."""

from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.errors import QueueUnavailableError

CONNECT_SECONDS = 1.0
ANSWER_SECONDS = 2.0
"""An agent waits for its verdict: a server that does not answer is reported, not waited for."""

SyncClient = redis.Redis | redis.RedisCluster

OPTIONS: dict[str, Any] = {
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": ANSWER_SECONDS,
    "protocol": 3,
}


def connect(url: str, *, shards: int = 1) -> SyncClient:
    """A sync client. With more than one shard the server is asked whether it is a Cluster.

    One immediate retry: every call of ours may be repeated, and a pooled connection that died while idle is then
    never an error. Raises QueueUnavailableError (only when it has to ask).
    """
    client = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 1), **OPTIONS)
    if shards == 1:
        return client
    try:
        if not client.info("cluster").get("cluster_enabled"):
            return client
        client.close()
        return redis.RedisCluster.from_url(url, retry=Retry(NoBackoff(), 1), **OPTIONS)
    except (redis.RedisError, redis.exceptions.RedisClusterException, OSError) as error:
        client.close()
        raise unavailable(error) from error


def unavailable(error: Exception) -> QueueUnavailableError:
    return QueueUnavailableError(f"Redis did not answer: {error or type(error).__name__}")
