"""A whole running service on each pair of engines."""

from collections.abc import Iterator

import pytest

from service import wiring
from service.cli.supervisor import Stack
from service.settings import Settings


@pytest.fixture
def service_url(pair: Settings) -> Iterator[str]:
    """API, worker and beat as real processes."""
    wiring.migrate(pair)
    with Stack(pair, quiet=True) as url:
        yield url
