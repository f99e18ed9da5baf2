"""The API and its ports on each pair of engines."""

from collections.abc import Iterator

import pytest

from service import wiring
from service.ports import Ports
from service.settings import Settings
from tests.contract.api_server import api_server


@pytest.fixture
def url(pair: Settings) -> Iterator[str]:
    wiring.migrate(pair)
    with api_server(pair) as url:
        yield url


@pytest.fixture
def ports(url: str, pair: Settings) -> Iterator[Ports]:
    """For what a worker would do: no worker runs in these tests."""
    with wiring.runtime(pair) as running:
        yield running.ports
