"""What other sessions' processes left in the spool directory when they died."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carryforward_client.api import SessionApi
from carryforward_client.deadline import Deadline
from carryforward_client.delivery import REQUEST_SECONDS, Delivery
from carryforward_client.health import Health
from carryforward_client.http import Http, UnreachableError
from carryforward_client.spool import Spool
from carryforward_client.types import Pending, Problem

_FORGET_SECONDS = 7 * 24 * 3600.0


def ship(root: Path, http: Http, health: Health, *, but: str, deadline: Deadline) -> Pending:
    """Ship every session's spool but one's; what still waits in them. Never raises.

    A session that another process is shipping is left to it. Directories whose entries were all shipped are removed
    after a week without use.
    """
    waiting = Pending()
    reachable = True
    for directory, description in _sessions(root, health):
        session_id = description["session_id"]
        spool = Spool(root, session_id, description, health.note)
        if session_id == but or spool.directory != directory:
            continue
        if reachable:
            reachable = _ship_one(spool, SessionApi(http, description), health, deadline)
        left = spool.pending()
        waiting = Pending(
            waiting.records + left.records,
            waiting.events + left.events,
            waiting.waiting_bytes + left.waiting_bytes,
        )
        if not left:
            spool.tidy()
            _forget_if_unused(spool)
    return waiting


def _ship_one(spool: Spool, api: SessionApi, health: Health, deadline: Deadline) -> bool:
    """False when there is no sense in going on with other sessions."""
    delivery = Delivery(spool, api)
    try:
        while deadline.remaining_seconds and delivery.ship_next(min(REQUEST_SECONDS, deadline.remaining_seconds)):
            health.succeeded()
    except UnreachableError as error:
        health.note(error.problem)
        return error.problem.code != "unreachable"
    except Exception as error:
        health.note(Problem("internal", f"{type(error).__name__}: {error}"))
    return deadline.remaining_seconds > 0


def _forget_if_unused(spool: Spool) -> None:
    with contextlib.suppress(OSError):
        used_at = max(path.stat().st_mtime for path in spool.directory.glob("*.journal"))
        if time.time() - used_at < _FORGET_SECONDS or spool.rejected_path.exists():
            return
        for path in spool.directory.iterdir():
            path.unlink()
        spool.directory.rmdir()


def _sessions(root: Path, health: Health) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(root.glob("*/session.json")):
        try:
            description = json.loads(path.read_bytes())
            if not all(isinstance(description[key], str) for key in ("session_id", "agent_id")):
                raise TypeError("its ids are no strings")
        except (OSError, ValueError, TypeError, KeyError) as error:
            message = f"{path} cannot be read ({error}); the entries beside it stay where they are"
            health.note(Problem("spool_corrupt", message))
            continue
        yield path.parent, description
