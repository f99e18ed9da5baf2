"""The scripted Messages endpoint."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping

import pytest

from tests.endpoint import Bill, Endpoint, Reply, Scripted, say, think, use

REPLIES = (
    Reply(
        "msg_1", (think("hm", "sig"), say("é" * 900), use("t1", "Bash", {"command": "echo 東京"})), Bill(5, 100, 20, 40)
    ),
    Reply("msg_2", (say("done"),)),
)


def post(url: str, body: object) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {"content-type": "application/json"})) as answer:
        read: bytes = answer.read()
        return read


def conversation(answers: int = 0, **fields: object) -> dict[str, object]:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}] * answers
    return {
        "model": "m",
        "tools": [{"name": "Bash"}],
        "messages": [*messages, {"role": "user", "content": "c"}],
        **fields,
    }


def streamed(raw: bytes) -> list[Mapping[str, object]]:
    return [json.loads(line[6:]) for line in raw.decode().split("\n") if line.startswith("data: ")]


def test_a_stream_puts_the_reply_together_again() -> None:
    with Endpoint(Scripted(REPLIES)) as endpoint:
        events = streamed(post(f"{endpoint.url}/v1/messages", conversation(stream=True)))
    assert [events[0]["type"], events[-1]["type"]] == ["message_start", "message_stop"]
    deltas: dict[str, str] = {}
    for event in events:
        if event["type"] == "content_block_delta":
            delta = event["delta"]
            assert isinstance(delta, dict)
            kind, value = (str(part) for part in delta.values())
            deltas[kind] = deltas.get(kind, "") + value
    assert deltas["thinking_delta"] == "hm"
    assert deltas["signature_delta"] == "sig"
    assert deltas["text_delta"] == "é" * 900
    assert json.loads(deltas["input_json_delta"]) == {"command": "echo 東京"}
    closing = next(event for event in events if event["type"] == "message_delta")
    assert closing["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}
    assert isinstance(closing["usage"], dict)
    assert closing["usage"]["cache_read_input_tokens"] == 100


def test_a_retry_gets_the_same_answer_and_the_next_turn_the_next() -> None:
    with Endpoint(Scripted(REPLIES)) as endpoint:
        url = f"{endpoint.url}/v1/messages?beta=true"
        ids = [json.loads(post(url, conversation(answers)))["id"] for answers in (0, 0, 1, 2)]
        aside = json.loads(post(url, {"model": "m", "messages": []}))["id"]
    assert ids == ["msg_1", "msg_1", "msg_2", "msg_past_the_script"]
    assert aside == "msg_aside"
    assert len(endpoint.requests) == 5


def test_the_other_routes() -> None:
    with Endpoint(Scripted(())) as endpoint:
        assert json.loads(post(f"{endpoint.url}/v1/messages/count_tokens", conversation()))["input_tokens"] > 0
        with urllib.request.urlopen(f"{endpoint.url}/v1/models") as answer:
            assert json.load(answer)["data"] == []
        for path, body, status in (("/v1/other", {}, 404), ("/v1/messages", b"{", 400), ("/v1/messages", [], 400)):
            with pytest.raises(urllib.error.HTTPError) as raised:
                post(endpoint.url + path, body)
            with raised.value as error:
                assert error.code == status
                assert json.load(error)["type"] == "error"
