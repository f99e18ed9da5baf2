"""Many agents at once: each crosses its threshold and claims exactly one handoff, legal and byte-exact."""

import json
import os
import urllib.request
from pathlib import Path
from urllib.parse import quote

from service import wiring
from service.settings import Settings
from tests.e2e.fleet import check_tail, run_fleet, scripts
from tests.waiting import wait_until

AGENTS = int(os.environ.get("CARRYFORWARD_TEST_AGENTS", "16"))
"""The default suite's number; the full run is CARRYFORWARD_TEST_AGENTS=200 ./dev test tests/e2e/test_fleet.py."""


def get(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url) as answer:
        body: dict[str, object] = json.load(answer)
        return body


def test_every_agent_of_a_fleet_claims_one_legal_and_exact_handoff(service_url: str, tmp_path: Path) -> None:
    lives = run_fleet(service_url, scripts(AGENTS), tmp_path)
    assert len(lives) == AGENTS
    assert [life.session_id for life in lives if life.handoff is None] == [], [life.problem for life in lives]
    assert [life.session_id for life in lives if not life.crossings] == [], "every one crossed its threshold"
    assert {life.refused for life in lives} == {"already_claimed"}, "and nobody else gets its handoff"
    assert {life.session_id: problems for life in lives if (problems := check_tail(life))} == {}
    assert len({life.handoff.handoff_id for life in lives if life.handoff}) == AGENTS
    for life in lives:
        session = get(f"{service_url}/v1/sessions/{quote(life.session_id, safe='')}")
        assert session["compaction"] == "claimed", "nothing is left preparing"
        assert get(f"{service_url}/v1/handoffs?session_id={life.session_id}")["handoffs"] != []


def test_accepted_usage_reaches_sql(service_url: str, tmp_path: Path, pair: Settings) -> None:
    lives = run_fleet(service_url, scripts(2), tmp_path)

    def readings() -> int:
        with wiring.stored(pair) as units, units.read() as unit:
            return min(len(unit.readings.of(life.session_id)) for life in lives)

    wait_until(lambda: readings() >= 4, timeout=15, message="workers drain the usage queue")
