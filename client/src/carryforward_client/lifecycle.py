"""The end of the interpreter, and its doubling by a fork."""

import atexit
import contextlib
import os
import weakref
from typing import Protocol

from carryforward_client.deadline import Deadline

EXIT_SECONDS = 2.0  # for all clients together


class _Client(Protocol):
    def _at_exit(self, seconds: float) -> None: ...
    def _after_fork(self) -> None: ...


_clients: "weakref.WeakSet[_Client]" = weakref.WeakSet()


def register(client: _Client) -> None:
    """Flush this client, within bounds, when the interpreter ends; make it usable in forked children."""
    _clients.add(client)


def _end_all() -> None:
    deadline = Deadline(EXIT_SECONDS)
    for client in list(_clients):
        with contextlib.suppress(Exception):
            client._at_exit(deadline.remaining_seconds)


def _reset_all() -> None:
    for client in list(_clients):
        with contextlib.suppress(Exception):
            client._after_fork()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
