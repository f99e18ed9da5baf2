"""What a host's loop does all day, with a service that is up."""

import asyncio
import json
import time

import pytest

from carryforward_client import AsyncCarryforward, Carryforward, Handoff, TurnEnd, Verdict


def test_records_arrive_byte_for_byte_in_order(service, open_client):
    client = open_client()
    assert client.append([b'{"a": 1}', '{"b": "\u00e9"}\n', {"c": "\u65e5", "n": [1, 2]}]) == range(3)
    assert client.append(b'{"one":"record"}') == range(3, 4)
    assert client.append({"another": 1}) == range(4, 5)
    assert client.append(["", " \n", b""]) == range(5, 5)
    assert client.flush(5)
    assert service.lines("s-1") == [
        b'{"a": 1}',
        '{"b": "\u00e9"}'.encode(),
        '{"c":"\u65e5","n":[1,2]}'.encode(),
        b'{"one":"record"}',
        b'{"another":1}',
    ]
    assert not client.pending


def test_a_wrong_record_is_the_callers_error_and_keeps_nothing(open_client):
    client = open_client()
    with pytest.raises(TypeError):
        client.append([b"{}", 7])
    with pytest.raises(ValueError, match="one line"):
        client.append([b"{}\n{}"])
    assert client.append(b"{}") == range(1)


def test_text_that_is_no_unicode_is_kept(service, open_client):
    client = open_client()
    client.append([b'{"x": "\xff"}'.decode(errors="surrogateescape"), {"half": "\ud83d"}])
    assert client.flush(5)
    assert service.lines("s-1") == [b'{"x": "\xff"}', b'{"half":"\\ud83d"}']


def test_many_records_go_in_batches(service, open_client):
    client = open_client()
    client.append([b"{}"] * 1200)
    assert client.flush(5)
    assert service.batches == [500, 500, 200]


def test_records_are_shipped_without_a_flush(service, open_client, wait_until):
    open_client().append(b"{}")
    wait_until(lambda: service.lines("s-1"))


def test_a_verdict_carries_the_numbers_behind_it(service, open_client):
    client = open_client(window_tokens=200_000)
    client.append([b"{}", b"{}"])
    service.verdict = "prepare"
    bill = {"input_tokens": 2, "cache_read_input_tokens": 130_000, "output_tokens": None, "service_tier": "standard"}
    verdict = client.usage("msg_1", usage=bill, gauge_tokens=141_000)
    assert verdict == "prepare" == Verdict.PREPARE
    assert isinstance(verdict, Verdict)
    assert (verdict.used_tokens, verdict.window_tokens, verdict.share) == (141_000, 200_000, 0.705)
    assert (verdict.crossed, verdict.duplicate, verdict.reached) == ("threshold", False, True)
    assert service.events["msg_1"]["seq"] == 1
    assert service.events["msg_1"]["usage"]["input_tokens"] == 2
    assert client.usage("msg_1", gauge_tokens=1).duplicate


def test_a_verdict_is_one_round_trip(service, open_client):
    client = open_client()
    client.usage(gauge_tokens=1)
    before = len(service.requests)
    client.usage(gauge_tokens=2)
    assert service.requests[before:] == [("POST", "/v1/usage")]


def test_a_word_we_do_not_know_is_continue(service, open_client):
    client = open_client()
    service.verdict = "levitate"
    verdict = client.usage(gauge_tokens=1)
    assert verdict == "continue"
    assert not verdict.reached
    assert client.last_problem.code == "unexpected_answer"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, ValueError),
        ({"gauge_tokens": "many"}, TypeError),
        ({"gauge_tokens": -1}, ValueError),
        ({"usage": object()}, TypeError),
        ({"usage": {"input_tokens": 1.5}}, TypeError),
    ],
)
def test_a_wrong_usage_event_is_the_callers_error(open_client, arguments, error):
    with pytest.raises(error):
        open_client().usage(**arguments)


def test_a_turns_end_comes_behind_its_records(service, open_client):
    client = open_client()
    client.append([b"{}"] * 3)
    assert client.turn_ended() == TurnEnd()
    assert service.sessions["s-1"]["turns"] == [3]
    service.verdict = "prepare"
    assert client.turn_ended() == TurnEnd("h-1", "sealed", ())


def test_an_interrupt_is_declared_before_the_body_and_behind_its_records(service, open_client):
    client = open_client()
    client.append([b"{}"] * 3)
    with client.interrupting("backstop", ["toolu_1"]) as interrupt:
        declared = service.sessions["s-1"]["interrupts"][interrupt.interrupt_id]
        assert declared == {
            "interrupt_id": interrupt.interrupt_id,
            "cause": "backstop",
            "tool_use_ids": ["toolu_1"],
            "after_seq": 2,
        }
    assert interrupt.declared


def test_a_wrong_interrupt_is_the_callers_error(open_client):
    client = open_client()
    with pytest.raises(ValueError, match="backstop, preflight"):
        client.interrupting("boredom")
    with pytest.raises(TypeError):
        client.interrupting("person", "toolu_1")


def test_what_the_body_raises_is_the_hosts(open_client):
    with pytest.raises(KeyError), open_client().interrupting("operator"):
        raise KeyError


def test_a_claim_ships_the_rest_first(service, open_client):
    client = open_client()
    client.append([json.dumps({"n": n}) for n in range(4)])
    handoff = client.claim("s-2", wait=2)
    assert isinstance(handoff, Handoff)
    assert handoff.kept_tail == ('{"n": 2}', '{"n": 3}')
    assert (handoff.kept_first_seq, handoff.kept_last_seq, handoff.covers_through) == (2, 3, 1)
    assert (handoff.seed, handoff.degraded, handoff.next_generation) == ("Carried forward.", ("not_prepared",), 2)
    assert client.claim("s-2", wait=2) == handoff


def test_a_fresh_process_claims_and_writes_nothing(service, open_client, spool_dir, tmp_path):
    open_client(spool_dir=tmp_path / "elsewhere").append(b"{}")
    assert open_client(spool_dir=tmp_path / "elsewhere").flush(5)
    before = len(service.requests)
    assert open_client("s-1").claim("s-2", wait=1).kept_tail == ("{}",)
    assert [path for _, path in service.requests[before:]] == ["/v1/sessions/s-1/claim"]
    assert not spool_dir.exists()


@pytest.mark.parametrize(
    ("session_id", "code"), [("empty", "nothing_to_hand_off"), ("taken", "already_claimed"), ("unknown", "not_found")]
)
def test_a_claim_without_a_handoff_is_none_with_the_reason(service, open_client, session_id, code):
    open_client("empty").usage(gauge_tokens=1)
    open_client("taken").append(b"{}")
    assert open_client("taken").claim("s-8", wait=2)
    client = open_client(session_id)
    started = time.monotonic()
    assert client.claim("s-9", wait=2) is None
    assert time.monotonic() - started < 1
    assert (client.last_problem.code, client.last_problem.hint) == (code, "a hint")


def test_ids_may_hold_anything(service, open_client, spool_dir):
    for session_id in ("../../etc/passwd", "..", "a b/c?d#e", "\u65e5\u672c", "S-1", "s-1", "x" * 150):
        client = open_client(session_id)
        client.append({"id": session_id})
        assert client.flush(5)
        assert json.loads(service.lines(session_id)[0]) == {"id": session_id}
    assert len(list(spool_dir.iterdir())) == 7
    assert [path.name for path in spool_dir.parent.iterdir()] == ["spool"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("", "s"), ValueError),
        (("a", None), TypeError),
        (("a", "\ud83d"), ValueError),
    ],
)
def test_wrong_ids_are_the_callers_error(arguments, error):
    with pytest.raises(error):
        Carryforward(*arguments)


def test_asyncio_is_the_same(service, spool_dir):
    async def loop() -> None:
        async with AsyncCarryforward("ops-7", "s-1", url=service.url, spool_dir=spool_dir) as client:
            assert await client.append([b"{}", b"{}"]) == range(2)
            assert await client.usage("msg_1", gauge_tokens=5) == "continue"
            async with client.interrupting("shutdown", ["toolu_9"]) as interrupt:
                assert interrupt.declared
            assert await client.turn_ended() == TurnEnd()
            assert await client.flush(2)
            assert (await client.claim("s-2")).kept_tail == ("{}", "{}")
            assert not client.pending
            assert client.last_problem is None

    asyncio.run(loop())
    assert service.sessions["s-1"]["turns"] == [2]
