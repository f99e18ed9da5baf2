"""The HTTP contract of docs/http.md, on a real socket."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from service.flows.prepare_handoff import prepare_handoff
from service.ports import Ports
from tests.contract.api_server import call

DOCS = Path(__file__).parents[2] / "docs"
LINES = [
    b'{"role": "user", "content": "Move order ORD-17 to dock 4. Never change its price."}',
    b'{"role": "assistant", "content": '
    b'[{"type": "tool_use", "id": "t1", "name": "move_order", "input": {"order": "ORD-17"}}]}',
    b'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "moved"}]}',
    b'{"role": "assistant", "content": [{"type": "text", "text": "ORD-17 is at dock 4. \xc5\x81"}]}',
]

MARKS_IN_WRONG_ORDER = {"session_id": "s", "agent_id": "a", "threshold": 0.9, "backstop": 0.8}


def open_(url: str, session_id: str = "s-1", **more: object) -> dict[str, object]:
    body = {"session_id": session_id, "agent_id": "a-1", "format": "anthropic-messages"} | more
    status, session = call("POST", f"{url}/v1/sessions", body)
    assert status == 200, session
    return session  # type: ignore[no-any-return]


def append(
    url: str, lines: list[bytes] = LINES, session_id: str = "s-1", first_seq: int | None = None
) -> tuple[int, object]:
    where = "" if first_seq is None else f"?first_seq={first_seq}"
    return call("POST", f"{url}/v1/sessions/s-1/records{where}", raw=b"\n".join(lines) + b"\n")


def event(event_id: str, seq: int, used: int) -> dict[str, object]:
    return {
        "event_id": event_id,
        "session_id": "s-1",
        "agent_id": "a-1",
        "seq": seq,
        "usage": {"input_tokens": 1, "cache_read_input_tokens": used - 1},
    }


def claim(url: str, claimed_by: str, wait: float = 0) -> tuple[int, Any]:
    return call("POST", f"{url}/v1/sessions/s-1/claim", {"claimed_by": claimed_by, "wait_seconds": wait})


def test_a_session_opens_once_and_says_where_to_go_on(url: str) -> None:
    assert open_(url, window_tokens=1000)["next_seq"] == 0
    assert append(url) == (200, {"session_id": "s-1", "stored": 4, "duplicates": 0, "next_seq": 4})
    again = open_(url)
    assert (again["next_seq"], again["window_tokens"], again["generation"]) == (4, 1000, 1)
    status, body = call("POST", f"{url}/v1/sessions", {"session_id": "s-1", "agent_id": "other"})
    assert (status, body["error"]["code"]) == (409, "session_conflict")


def test_records_come_back_byte_exact(url: str) -> None:
    open_(url)
    append(url, first_seq=0)
    assert append(url, first_seq=0)[1] == {"session_id": "s-1", "stored": 0, "duplicates": 4, "next_seq": 4}
    status, body = call("GET", f"{url}/v1/sessions/s-1/records")
    assert (status, body) == (200, b"\n".join(LINES) + b"\n")
    assert append(url, first_seq=9)[1]["error"]["next_seq"] == 4
    status, body = append(url, [b'{"role": "user", "content": "other"}'], first_seq=1)
    assert (status, body["error"]["code"]) == (409, "record_conflict")


def test_usage_is_judged_prepared_sealed_and_claimed(url: str, ports: Ports) -> None:
    open_(url, window_tokens=1000)
    append(url)
    _, verdicts = call("POST", f"{url}/v1/usage", [event("e1", 1, 500), event("e2", 2, 700), event("e3", 3, 800)])
    assert [v["verdict"] for v in verdicts["verdicts"]] == ["continue", "prepare", "end_turn"]
    assert [v["crossed"] for v in verdicts["verdicts"]] == [None, "threshold", "backstop"]
    prepare_handoff(ports, "s-1", owner="w-1")
    _, ended = call("POST", f"{url}/v1/sessions/s-1/turn-end", {})
    assert ended["handoff"]["state"] == "sealed"
    status, handoff = claim(url, "s-2", wait=5)
    assert status == 200
    assert handoff["degraded"] == []
    assert "ORD-17" in str(handoff["seed"])
    assert handoff["kept_tail"]["records"][-1].encode() == LINES[-1]
    assert call("GET", f"{url}/v1/sessions/s-2")[1]["parent_session_id"] == "s-1"
    status, refused = claim(url, "s-3")
    assert (status, refused["error"]["claimed_by"]) == (409, "s-2")


def test_the_same_event_five_times_counts_once(url: str) -> None:
    open_(url, window_tokens=1000)
    answers = [call("POST", f"{url}/v1/usage", event("e1", 1, 720))[1] for _ in range(5)]
    assert [answer["duplicate"] for answer in answers] == [False, True, True, True, True]
    assert [answer["crossed"] for answer in answers] == ["threshold", None, None, None, None]
    assert {answer["verdict"] for answer in answers} == {"prepare"}


def test_a_claim_waits_no_longer_than_it_was_told_to(url: str) -> None:
    open_(url)
    append(url)
    status, handoff = claim(url, "s-2", wait=0.3)  # nobody prepares anything here
    assert (status, handoff["degraded"]) == (200, ["not_prepared"])
    assert claim(url, "s-2", wait=0.3)[1]["seed"] == handoff["seed"]


def test_ledgers_entries_and_handoffs_can_be_looked_up(url: str) -> None:
    open_(url)
    append(url)
    handoff = claim(url, "s-2")[1]
    _, listed = call("GET", f"{url}/v1/ledgers?session_id=s-1")
    _, ledger = call("GET", f"{url}/v1/ledgers/{listed['ledgers'][0]['ledger_id']}")
    assert ledger["entry_count"] == len(ledger["entries"]) > 0
    for entry in ledger["entries"]:
        assert entry["evidence"], "each entry is proven"
    _, rules = call("GET", f"{url}/v1/entries?agent_id=a-1&kind=rule")
    assert [rule["value"] for rule in rules["entries"]] == ["Never change its price."]
    _, shown = call("GET", f"{url}/v1/handoffs/{handoff['handoff_id']}")
    assert (shown["claimed_by"], shown["seed"]) == ("s-2", handoff["seed"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/v1/sessions/none", None, 404, "not_found"),
        ("POST", "/v1/sessions/none/turn-end", {}, 404, "not_found"),
        ("POST", "/v1/sessions/none/claim", {"claimed_by": "x"}, 404, "not_found"),
        ("GET", "/v1/ledgers/none", None, 404, "not_found"),
        ("GET", "/v1/handoffs/none", None, 404, "not_found"),
        ("GET", "/nowhere", None, 404, "not_found"),
        ("POST", "/v1/sessions", {"session_id": "s"}, 422, "invalid_input"),
        ("POST", "/v1/sessions", {"session_id": "s", "agent_id": "a", "threshhold": 1}, 422, "invalid_input"),
        (
            "POST",
            "/v1/sessions",
            {"session_id": "s", "agent_id": "a", "threshold": 0.9, "backstop": 0.8},
            422,
            "invalid_input",
        ),
        ("POST", "/v1/usage", {"event_id": "e"}, 422, "invalid_input"),
        ("POST", "/v1/usage", "text", 422, "invalid_input"),
        ("GET", "/v1/entries?kind=nonsense", None, 422, "invalid_input"),
    ],
)
def test_every_refusal_has_a_code_a_message_and_a_hint(
    url: str, method: str, path: str, body: object, status: int, code: str
) -> None:
    answered, error = call(method, url + path, body)
    assert (answered, error["error"]["code"]) == (status, code)
    assert error["error"]["message"]
    assert error["error"]["hint"]


def test_an_empty_session_has_nothing_to_hand_off(url: str) -> None:
    open_(url)
    status, body = claim(url, "s-2", wait=5)
    assert (status, body["error"]["code"]) == (409, "nothing_to_hand_off")


def test_ready_when_engine_and_database_are(url: str) -> None:
    assert call("GET", f"{url}/readyz") == (200, {"status": "ok", "missing": []})
    assert call("GET", f"{url}/healthz")[0] == 200


def test_the_docs_name_exactly_the_routes_that_openapi_has(url: str) -> None:
    _, openapi = call("GET", f"{url}/openapi.json")
    served = {
        f"{method.upper()} {re.sub(r'{[^}]*}', '{}', path)}"
        for path, methods in openapi["paths"].items()
        for method in methods
    }
    written = re.findall(r"`(GET|POST|PUT|DELETE) (/[^`?]*)", (DOCS / "http.md").read_text())
    assert {f"{method} {re.sub(r'{[^}]*}', '{}', path.split(':')[0])}" for method, path in written} == served


def test_the_docs_examples_are_bodies_the_api_takes(url: str) -> None:
    examples = [
        json.loads(block)
        for block in re.findall(r"```json\n(.*?)```", (DOCS / "http.md").read_text().replace("…", "x"), re.DOTALL)
        if block.strip().startswith("{") and '"…"' not in block
    ]
    opening = next(example for example in examples if "parent_session_id" in example)
    assert call("POST", f"{url}/v1/sessions", opening)[0] == 200
    usage = next(example for example in examples if "gauge_tokens" in example)
    assert call("POST", f"{url}/v1/usage", usage)[1]["verdict"] == "prepare"
