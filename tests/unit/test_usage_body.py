"""What POST /v1/usage takes and what it refuses, field and index named."""

import json

import pytest

from service.api.usage_body import MAX_EVENTS, decode_usage
from service.domain.gauge import MAX_SEQ, MAX_TOKENS, UsageTokens
from service.errors import InvalidInputError, TooLargeError

GOOD = {"event_id": "msg_1", "session_id": "s-1", "agent_id": "a-1", "seq": 41, "gauge_tokens": 141_000}
BILL = {
    "input_tokens": 2,
    "cache_read_input_tokens": 130_000,
    "cache_creation_input_tokens": 9_000,
    "output_tokens": 310,
}


def without(field: str) -> dict[str, object]:
    return {name: value for name, value in GOOD.items() if name != field}


def refused(body: object) -> InvalidInputError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(InvalidInputError) as caught:
        decode_usage(raw)
    assert caught.value.body()["error"]["code"] == "invalid_input"
    return caught.value


def test_the_documented_event_is_taken():
    (event,), many = decode_usage(json.dumps({**GOOD, "usage": BILL, "window_tokens": 200_000}).encode())
    assert not many
    assert event.usage == UsageTokens(2, 130_000, 9_000, 310)
    assert (event.seq, event.gauge_tokens, event.window_tokens) == (41, 141_000, 200_000)


def test_the_apis_own_usage_object_is_taken_as_it_is():
    usage = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": None, "service_tier": "standard"}
    (event,), _ = decode_usage(json.dumps({**without("gauge_tokens"), "usage": usage}).encode())
    assert event.usage == UsageTokens(5, None, 0, 7)


def test_an_array_keeps_its_order_and_an_empty_one_is_no_error():
    events, many = decode_usage(json.dumps([{**GOOD, "seq": n} for n in (3, 1, 2)]).encode())
    assert many
    assert [event.seq for event in events] == [3, 1, 2]
    assert decode_usage(b"[]") == ([], True)


@pytest.mark.parametrize(
    ("field", "body"),
    [
        *[(name, without(name)) for name in ("event_id", "session_id", "agent_id", "seq")],
        *[(name, {**GOOD, name: ""}) for name in ("event_id", "session_id", "agent_id")],
        *[(name, {**GOOD, name: "x" * 201}) for name in ("event_id", "session_id", "agent_id")],
        *[(name, {**GOOD, name: "a\0b"}) for name in ("event_id", "session_id", "agent_id")],
        *[(name, {**GOOD, name: None}) for name in ("event_id", "seq")],
        *[("seq", {**GOOD, "seq": value}) for value in (-1, MAX_SEQ + 1, 1.0, 1.5, "1", True, [], 10**30)],
        *[("gauge_tokens", {**GOOD, "gauge_tokens": value}) for value in (-1, MAX_TOKENS + 1, 1.0, "1", False, {})],
        *[("window_tokens", {**GOOD, "window_tokens": value}) for value in (0, -1, MAX_TOKENS + 1, 1.5, "200000")],
        ("gauge_tokens", without("gauge_tokens")),
        ("gauge_tokens", {**GOOD, "gauge_tokens": None, "usage": None}),
        ("usage", {**GOOD, "usage": 5}),
        ("usage.input_tokens", {**GOOD, "usage": {}}),
        *[(f"usage.{name}", {**GOOD, "usage": {**BILL, name: -1}}) for name in BILL],
        *[(f"usage.{name}", {**GOOD, "usage": {**BILL, name: "9"}}) for name in BILL],
        ("window_token", {**GOOD, "window_token": 200_000}),
        ("tokens", {**GOOD, "tokens": 1}),
    ],
)
def test_a_bad_event_is_refused_by_the_name_of_its_field_alone_and_in_an_array(field: str, body: dict[str, object]):
    alone = refused(body)
    assert alone.details == {"field": field}
    assert field.split(".")[-1] in alone.message
    in_array = refused([GOOD, GOOD, body, GOOD])
    assert in_array.details == {"field": field, "index": 2}
    assert "Event 2" in in_array.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nope",
        b"\xff\xfe",
        b'{"event_id":"\xff"}',
        b'[{"event_id":"\\ud800"}]',
        b"[" * 200_000,
        b"{}{}",
        b"NaN",
    ],
)
def test_what_is_no_json_is_refused(body: bytes):
    refused(body)


@pytest.mark.parametrize("body", [3, "event", None, True])
def test_json_that_is_neither_object_nor_array_is_refused(body: object):
    assert refused(body).details == {}


@pytest.mark.parametrize("element", [3, None, [], "x"])
def test_an_element_that_is_no_object_is_named_by_its_index(element: object):
    assert refused([GOOD, element]).details == {"index": 1}


def test_a_backslash_before_u0000_is_text_not_a_nul():
    (event,), _ = decode_usage(json.dumps({**GOOD, "event_id": "\\u0000"}).encode())
    assert event.event_id == "\\u0000"


def test_too_many_events_are_too_large_not_invalid():
    one = json.dumps(GOOD).encode()
    assert len(decode_usage(b"[" + b",".join([one] * MAX_EVENTS) + b"]")[0]) == MAX_EVENTS
    with pytest.raises(TooLargeError) as caught:
        decode_usage(b"[" + b",".join([one] * (MAX_EVENTS + 1)) + b"]")
    assert caught.value.status == 413
