import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for scripted_service: no tests/ here is a package

from scripted_service import ScriptedService

from carryforward_client import Carryforward


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    service = ScriptedService()
    service.start()
    yield service
    service.stop()


@pytest.fixture
def spool_dir(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def open_client(service: ScriptedService, spool_dir: Path) -> Iterator[Callable[..., Carryforward]]:
    """Opens clients of the scripted service, and closes them."""
    opened: list[Carryforward] = []

    def open_client(session_id: str = "s-1", **options: Any) -> Carryforward:
        options = {"url": service.url, "spool_dir": spool_dir, "timeout_seconds": 0.4, **options}
        opened.append(Carryforward("ops-7", session_id, **options))
        return opened[-1]

    yield open_client
    for client in opened:
        client.close(0.5)


@pytest.fixture
def wait_until() -> Callable[[Callable[[], object]], None]:
    def wait_until(condition: Callable[[], object], seconds: float = 5.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "it did not happen in time"
            time.sleep(0.01)

    return wait_until
