"""How far a session's spool has been shipped: the one small file beside its journal."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from carryforward_client import files
from carryforward_client.journal import Position


@dataclass(frozen=True)
class State:
    """Everything before (`segment`, `offset`) was taken by the service, or set aside.

    `seq` is our number of the first record behind that place. `shift` is what to add to our numbers to get the
    service's: not 0 where the session had records this spool never saw, or the service lost some.
    """

    segment: int = 1
    offset: int = 0
    seq: int = 0
    shift: int = 0

    @property
    def position(self) -> Position:
        return Position(self.segment, self.offset)


def load(path: Path) -> State | None:
    """None where there is none, or none that can be read: then all that is there is shipped again."""
    try:
        stored = json.loads(path.read_bytes())
        state = State(**{key: stored[key] for key in ("segment", "offset", "seq", "shift")})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return state if all(type(value) is int for value in asdict(state).values()) else None


def save(path: Path, state: State) -> None:
    """Raises OSError."""
    files.write_whole(path, json.dumps(asdict(state)).encode())
