"""Say why you interrupt, before you do."""

import asyncio
import uuid
from collections.abc import Callable, Iterable

from carryforward_client.types import INTERRUPT_CAUSES


class Interrupting:
    """For `with` and `async with`: declares on the way in, so that the body may interrupt.

    The declaration is on disk before the body runs. `declared` tells whether the service has confirmed it; where it
    has not, it gets it before any later record.
    """

    def __init__(self, cause: str, tool_use_ids: Iterable[str], declare: Callable[[dict[str, object]], bool]) -> None:
        if cause not in INTERRUPT_CAUSES:
            raise ValueError(f"cause is one of {', '.join(INTERRUPT_CAUSES)}, not {cause!r}")
        if isinstance(tool_use_ids, (str, bytes)):
            raise TypeError("tool_use_ids is a sequence of ids, not one id")
        ids = list(tool_use_ids)
        if not all(isinstance(tool_use_id, str) for tool_use_id in ids):
            raise TypeError("tool_use_ids are strings")
        self.interrupt_id = f"i-{uuid.uuid4()}"
        self.cause = str(cause)
        self.tool_use_ids = tuple(ids)
        self.declared = False
        self._declare = declare

    def __enter__(self) -> "Interrupting":
        self.declared = self._declare(
            {"interrupt_id": self.interrupt_id, "cause": self.cause, "tool_use_ids": list(self.tool_use_ids)}
        )
        return self

    def __exit__(self, *exc_info: object) -> None:
        return None

    async def __aenter__(self) -> "Interrupting":
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(self, *exc_info: object) -> None:
        return None
