"""The function library in the server: its source, its names, loading it, and calling it from sync code.

The version in every name is a digest of the source. Processes of two releases can share a server, and a changed
function is never called under an old one's name.
"""

import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any

from redis.exceptions import RedisClusterException, RedisError, ResponseError

from service.adapters.redis.connections import SyncClient, unavailable

_TEMPLATE = resources.files(__package__).joinpath("functions.lua").read_text("utf-8")

VERSION = hashlib.sha256(_TEMPLATE.encode()).hexdigest()[:12]
SOURCE = _TEMPLATE.replace("@VERSION@", VERSION)

JUDGE = f"carryforward_{VERSION}_judge"
DECLARE = f"carryforward_{VERSION}_declare"
PENDING = f"carryforward_{VERSION}_pending"
SET_ASIDE = f"carryforward_{VERSION}_set_aside"


def is_unknown(error: ResponseError) -> bool:
    """Whether the server does not know the library: a fresh one, or one that came back without its data."""
    return "function not found" in str(error).lower()


def load(client: SyncClient) -> None:
    """REPLACE: several processes may find it missing at the same time. A Cluster's client loads it on every primary."""
    client.function_load(SOURCE, replace=True)


def call(client: SyncClient, name: str, keys: Sequence[str], args: Sequence[Any]) -> Any:
    """Call a function of ours, loading the library if need be. QueueUnavailableError when the server cannot answer."""
    try:
        try:
            return client.fcall(name, len(keys), *keys, *args)
        except ResponseError as error:
            if not is_unknown(error):
                raise
            load(client)
            return client.fcall(name, len(keys), *keys, *args)
    except (RedisError, RedisClusterException, OSError) as error:
        raise unavailable(error) from error
