"""Waiting for a condition instead of sleeping."""

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")


def wait_until(
    condition: Callable[[], Seen], timeout: float = 10, message: str = "the condition holds", interval: float = 0.01
) -> Seen:
    """Call `condition` until it answers something true, and return that; fail with the last thing seen."""
    deadline = time.monotonic() + timeout
    while True:
        seen = condition()
        if seen:
            return seen
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {timeout:g} s until {message}; last seen: {seen!r}")
        time.sleep(interval)
