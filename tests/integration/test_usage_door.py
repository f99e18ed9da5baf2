"""POST /v1/usage from the first byte to the last: answers, refusals, crossings told, everything else passed on."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from fastapi import FastAPI

from models.kinds import Crossing, Verdict
from service.adapters.redis.usage_meter import UsageMeter
from service.api.usage import UsageDoor
from service.api.usage_body import MAX_BODY_BYTES
from service.api.usage_openapi import usage_route
from service.domain.gauge import UsageEvent, VerdictAnswer
from service.errors import QueueUnavailableError
from tests.integration.redis_server import RedisServer, running
from tests.waiting import wait_until

EVENT = {"event_id": "e1", "session_id": "s-1", "agent_id": "a", "seq": 1, "gauge_tokens": 141_000}


class ScriptedMeter:
    """Answers each event with the next of its script: a crossing, None, or an error to raise."""

    def __init__(self, *script: Crossing | Exception | None) -> None:
        self.script = list(script)

    async def report(self, events: Sequence[UsageEvent]) -> Sequence[VerdictAnswer]:
        answers = []
        for event in events:
            step = self.script.pop(0) if self.script else None
            if isinstance(step, Exception):
                raise step
            answers.append(VerdictAnswer(event.event_id, Verdict.PREPARE, event.used_tokens, 200_000, 0.5, step))
        return answers

    async def close(self) -> None: ...


def door(meter: Any = None, on_crossed: Callable[[str], None] = lambda session_id: None) -> UsageDoor:
    async def behind(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "behind", "scope": scope})

    return UsageDoor(behind, meter or ScriptedMeter(), on_crossed)


async def post(
    app: UsageDoor, *parts: bytes, method: str = "POST", path: str = "/v1/usage", kind: str = "http"
) -> tuple[int, Any]:
    """(status, JSON) of a request whose body comes in these parts; (0, message) when the app behind answered."""
    waiting = [{"type": "http.request", "body": p, "more_body": n < len(parts) - 1} for n, p in enumerate(parts)]
    sent: list[Any] = []

    async def receive() -> Any:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app({"type": kind, "method": method, "path": path, "headers": []}, receive, send)
    if sent[0]["type"] != "http.response.start":
        return 0, sent[0]
    start, body = sent
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"application/json"
    assert int(headers[b"content-length"]) == len(body["body"])
    return start["status"], json.loads(body["body"])


def ask(app: UsageDoor, body: object, **request: Any) -> tuple[int, Any]:
    return asyncio.run(post(app, body if isinstance(body, bytes) else json.dumps(body).encode(), **request))


def test_one_event_one_verdict_in_the_documented_shape():
    assert ask(door(ScriptedMeter(Crossing.THRESHOLD)), EVENT) == (
        200,
        {
            "event_id": "e1",
            "verdict": "prepare",
            "used_tokens": 141_000,
            "window_tokens": 200_000,
            "share": 0.5,
            "crossed": "threshold",
            "duplicate": False,
        },
    )


def test_an_array_is_answered_in_its_order():
    status, answer = ask(door(), [{**EVENT, "event_id": f"e{n}"} for n in (3, 1, 2)])
    assert status == 200
    assert [verdict["event_id"] for verdict in answer["verdicts"]] == ["e3", "e1", "e2"]
    assert ask(door(), []) == (200, {"verdicts": []})
    assert len(ask(door(), [EVENT])[1]["verdicts"]) == 1


def test_a_body_in_many_parts_is_one_body():
    raw = json.dumps(EVENT).encode()
    status, _ = asyncio.run(post(door(), *[raw[n : n + 7] for n in range(0, len(raw), 7)], b""))
    assert status == 200


def test_bad_input_is_422_in_the_error_shape():
    status, answer = ask(door(), [EVENT, {**EVENT, "seq": -1}])
    assert status == 422
    error = answer["error"]
    assert (error["code"], error["field"], error["index"]) == ("invalid_input", "seq", 1)
    assert error["message"]
    assert error["hint"]
    assert ask(door(), b"nope")[0] == 422


def test_a_client_that_goes_away_in_its_body_reports_nothing():
    async def cut() -> tuple[int, Any]:
        raw = json.dumps(EVENT).encode()
        waiting = [{"type": "http.request", "body": raw[:20], "more_body": True}, {"type": "http.disconnect"}]
        sent: list[Any] = []

        async def receive() -> Any:
            return waiting.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        meter = ScriptedMeter(AssertionError("reported"))
        await door(meter)({"type": "http", "method": "POST", "path": "/v1/usage", "headers": []}, receive, send)
        return sent[0]["status"], None

    assert asyncio.run(cut())[0] == 422


def test_a_large_body_is_413_before_it_is_all_there():
    parts = [b" " * 1_000_000] * (MAX_BODY_BYTES // 1_000_000 + 2)
    status, answer = asyncio.run(post(door(), *parts))
    assert (status, answer["error"]["code"]) == (413, "too_large")
    assert asyncio.run(post(door(), b" " * (MAX_BODY_BYTES + 1)))[0] == 413
    status, answer = ask(door(), [EVENT] * 10_001)
    assert (status, answer["error"]["code"]) == (413, "too_large")


def test_no_redis_is_503_and_a_defect_is_500_without_its_inside(caplog: pytest.LogCaptureFixture):
    status, answer = ask(door(ScriptedMeter(QueueUnavailableError("Redis did not answer"))), EVENT)
    assert (status, answer["error"]["code"]) == (503, "queue_unavailable")
    status, answer = ask(door(ScriptedMeter(ValueError("the inside"))), EVENT)
    assert (status, answer["error"]["code"]) == (500, "internal")
    assert "the inside" not in json.dumps(answer)
    assert "the inside" in caplog.text


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "GET"},
        {"method": "OPTIONS"},
        {"path": "/v1/usage/"},
        {"path": "/v1/sessions"},
        {"kind": "websocket"},
        {"kind": "lifespan"},
    ],
)
def test_everything_else_is_the_apps(request_: dict[str, str]):
    status, message = ask(door(), EVENT, **request_)
    assert (status, message["type"]) == (0, "behind")


def test_crossings_are_told_in_a_thread_and_the_answer_does_not_wait():
    told: list[tuple[str, bool]] = []
    released = threading.Event()

    def on_crossed(session_id: str) -> None:
        assert released.wait(5)
        told.append((session_id, threading.current_thread() is threading.main_thread()))

    async def use() -> None:
        app = door(ScriptedMeter(Crossing.THRESHOLD, None, Crossing.BACKSTOP), on_crossed)
        body = json.dumps([{**EVENT, "session_id": f"s{n}"} for n in range(3)]).encode()
        assert (await post(app, body))[0] == 200
        assert told == []
        released.set()
        await asyncio.to_thread(wait_until, lambda: len(told) == 2)

    asyncio.run(use())
    assert sorted(told) == [("s0", False), ("s2", False)]


def test_a_crossing_that_cannot_be_told_is_logged_and_the_answer_stands(caplog: pytest.LogCaptureFixture):
    def on_crossed(session_id: str) -> None:
        raise QueueUnavailableError("no broker")

    async def use() -> int:
        status, _ = await post(door(ScriptedMeter(Crossing.THRESHOLD), on_crossed), json.dumps(EVENT).encode())
        await asyncio.to_thread(wait_until, lambda: "no broker" in caplog.text)
        return status

    assert asyncio.run(use()) == 200
    assert "s-1" in caplog.text


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    yield from running()


def test_with_the_real_meter_the_same_event_twice(server: RedisServer):
    told: list[str] = []

    async def use() -> list[Any]:
        meter = UsageMeter(server.url)
        app = door(meter, told.append)
        body = json.dumps(EVENT).encode()
        found = [await post(app, body), await post(app, body)]
        await meter.close()
        await asyncio.to_thread(wait_until, lambda: told)
        return found

    (_, first), (_, second) = asyncio.run(use())
    assert (first["verdict"], first["share"], first["crossed"], first["duplicate"]) == (
        "prepare",
        0.705,
        "threshold",
        False,
    )
    assert (second["verdict"], second["crossed"], second["duplicate"]) == ("prepare", None, True)
    assert told == ["s-1"]


def test_openapi_tells_the_truth_about_the_route():
    app = FastAPI()
    usage_route(app)
    post_ = app.openapi()["paths"]["/v1/usage"]["post"]
    event, array = post_["requestBody"]["content"]["application/json"]["schema"]["oneOf"]
    assert set(event["required"]) == {"event_id", "session_id", "agent_id", "seq"}
    assert set(event["properties"]) == {*EVENT, "usage", "window_tokens"}
    assert event["additionalProperties"] is False
    assert array["maxItems"] == 10_000
    answer, answers = post_["responses"]["200"]["content"]["application/json"]["schema"]["oneOf"]
    _, found = ask(door(), EVENT)
    assert set(answer["properties"]) == set(found)
    assert answers["properties"]["verdicts"]["items"] == answer
    assert {"413", "422", "503"} < set(post_["responses"])
    assert "$ref" not in json.dumps(post_["requestBody"])
