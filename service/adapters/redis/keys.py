"""Every Redis key of ours is built here, and nowhere else.

A session's shard is its one hash tag, `{N}`: its own key, its shard's usage queue and its shard's crossings share a
Cluster slot, so one function call may carry many sessions of a shard. With one shard that is every session.
"""

import re
import zlib
from dataclasses import dataclass
from typing import Literal

PREFIX = "cf:"


@dataclass(frozen=True, slots=True)
class KeyKind:
    """One row of the table of keys. `expires` says whether its keys carry a TTL or stay until they are emptied."""

    pattern: str
    type: Literal["hash", "stream", "list", "zset"]
    expires: bool
    holds: str

    def matches(self, key: str) -> bool:
        return re.fullmatch(self.pattern, key, re.DOTALL) is not None


TABLE = (
    KeyKind(
        r"cf:\{\d+\}:session:.+",
        "hash",
        True,
        "a session: g its gauge, m its marks, agent, and one e… field for each event id seen; "
        "gone session_ttl_seconds (to 17/16 of it) after its last event",
    ),
    KeyKind(r"cf:\{\d+\}:usage", "stream", False, "accepted usage events on their way into SQL; emptied by the drain"),
    KeyKind(r"cf:\{\d+\}:usage:unreadable", "list", False, "queue entries nobody could read; the newest 1,000 stay"),
    KeyKind(r"cf:\{\d+\}:crossings", "zset", False, "session id by time (ms) of a crossing no worker has taken yet"),
)


class Keys:
    """Keys for a number of shards, which is the same in every process for as long as the data lives."""

    def __init__(self, shards: int = 1) -> None:
        self.shards = shards
        self._session_prefixes = tuple(f"{PREFIX}{{{shard}}}:session:" for shard in range(shards))

    def shard_of(self, session_id: str) -> int:
        """Stable over processes and versions, which Python's `hash` is not."""
        return zlib.crc32(session_id.encode()) % self.shards if self.shards > 1 else 0

    def session_prefix(self, shard: int) -> str:
        return self._session_prefixes[shard]

    def session(self, session_id: str) -> str:
        return self._session_prefixes[self.shard_of(session_id)] + session_id

    def usage_queue(self, shard: int) -> str:
        return f"{PREFIX}{{{shard}}}:usage"

    def unreadable(self, shard: int) -> str:
        return f"{PREFIX}{{{shard}}}:usage:unreadable"

    def crossings(self, shard: int) -> str:
        return f"{PREFIX}{{{shard}}}:crossings"
