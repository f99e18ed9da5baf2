"""The service is down, slow, broken, or somebody else: the host's loop goes on, and everything arrives later."""

import logging
import socket
import threading
import time

import pytest
import scripted_service as scripted

from carryforward_client import Carryforward


def test_nothing_is_lost_while_the_service_is_down(service, open_client, wait_until):
    service.stop()
    client = open_client()
    for number in range(20):
        assert client.append({"n": number}) == range(number, number + 1)
        verdict = client.usage(f"msg_{number}", gauge_tokens=number)
        assert verdict == "continue"
        assert not verdict.reached
    with client.interrupting("backstop", ["toolu_1"]) as interrupt:
        assert not interrupt.declared
    client.append({"n": 20})
    assert client.turn_ended() is None
    assert client.last_problem.code == "unreachable"
    assert (client.pending.records, client.pending.events) == (21, 22)
    service.start()
    assert client.flush(5)
    assert [b'{"n":%d}' % number for number in range(21)] == service.lines("s-1")
    assert [event["seq"] for event in service.events.values()] == list(range(20))
    session = service.sessions["s-1"]
    assert session["interrupts"][interrupt.interrupt_id]["after_seq"] == 19  # declared between the records it was
    assert session["turns"] == [21]
    assert client.last_problem is None
    assert not client.pending


def test_it_ships_by_itself_when_the_service_is_back(service, open_client, wait_until):
    service.stop()
    client = open_client()
    client.append(b"{}")
    wait_until(lambda: client.last_problem)
    service.start()
    wait_until(lambda: service.lines("s-1"))


def test_a_dead_service_costs_the_loop_nothing(service, open_client):
    client = open_client()
    service.always = scripted.hang(2)
    started = time.monotonic()
    assert client.usage(gauge_tokens=1) == "continue"
    assert 0.3 < time.monotonic() - started < 0.7  # the one that finds out
    started = time.monotonic()
    for _ in range(20):
        assert client.usage(gauge_tokens=1) == "continue"
        with client.interrupting("operator"):
            pass
    assert client.turn_ended() is None
    assert time.monotonic() - started < 0.3


@pytest.mark.parametrize(
    "trouble",
    [
        scripted.status(500),
        scripted.status(503, b"<html>no backend</html>"),
        scripted.status(502, b""),
        scripted.status(200, b"<html>log in</html>"),
        scripted.status(200, b"[1]"),
        scripted.status(200, b"[" * 100_000),
        scripted.status(200, b"{}"),
        scripted.status(302, b"", Location="http://127.0.0.1:1/elsewhere"),
        scripted.status(404, b"<html>not here</html>"),
        scripted.status(401, b'{"error": {"code": "unauthorized", "message": "who are you?"}}'),
        scripted.status(429),
        scripted.hang_up,
        scripted.break_off,
        scripted.drip,
        scripted.hang(0.6),
    ],
)
def test_whatever_is_answered_the_event_is_kept(service, open_client, trouble):
    client = open_client()
    client.usage(gauge_tokens=1)
    service.trouble = [trouble] * 2
    started = time.monotonic()
    verdict = client.usage("msg_1", gauge_tokens=141_000)
    assert time.monotonic() - started < 0.8
    assert verdict == "continue"
    assert not verdict.reached
    assert client.last_problem
    service.trouble = []
    assert client.flush(5)
    assert "msg_1" in service.events


@pytest.mark.parametrize(
    "trouble", [scripted.status(500), scripted.status(200, b"no"), scripted.hang_up, scripted.break_off]
)
def test_whatever_is_answered_records_arrive_once(service, open_client, trouble):
    client = open_client()
    service.trouble = [trouble, trouble]
    client.append([b'{"n": 0}', b'{"n": 1}'])
    assert client.flush(5)
    assert service.lines("s-1") == [b'{"n": 0}', b'{"n": 1}']


def test_an_answer_lost_on_the_way_stores_nothing_twice(service, open_client):
    client = open_client()
    client.append(b'{"n": 0}')
    assert client.flush(5)

    def answer_is_lost(handler):
        service.sessions["s-1"]["lines"].append(b'{"n": 1}')
        scripted.hang_up(handler)

    service.trouble = [answer_is_lost]
    client.append([b'{"n": 1}'])
    assert client.flush(5)
    assert service.lines("s-1") == [b'{"n": 0}', b'{"n": 1}']


def test_a_connection_the_service_closed_is_replaced_unnoticed(service, open_client):
    client = open_client()
    assert client.usage(gauge_tokens=1).reached
    service.stop()
    service.start()
    assert client.usage(gauge_tokens=1).reached
    assert client.last_problem is None


def test_connections_are_kept(service, open_client):
    client = open_client()
    for _ in range(10):
        assert client.usage(gauge_tokens=1).reached
    assert len(service._connections) == 1


def test_a_claim_gives_up_within_its_wait(service, open_client):
    service.stop()
    client = open_client()
    client.append(b"{}")
    started = time.monotonic()
    assert client.claim("s-2", wait=0.6) is None
    assert time.monotonic() - started < 1.0
    assert client.last_problem.code == "unreachable"


def test_a_claim_outwaits_a_restart(service, open_client, wait_until):
    client = open_client()
    client.append(b"{}")
    assert client.flush(5)
    service.stop()
    threading.Timer(0.3, service.start).start()
    assert client.claim("s-2", wait=3).kept_tail == ("{}",)


def test_a_claim_waits_for_what_the_service_that_is_back_misses(service, open_client, wait_until):
    service.stop()
    client = open_client()
    client.append(b"{}")
    for _ in range(4):  # a long pause is due
        assert not client.flush(0.3)
    threading.Timer(0.3, service.start).start()
    assert client.claim("s-2", wait=3).kept_tail == ("{}",)


@pytest.mark.parametrize("body", [b"{}", b'{"seed": 1, "kept_tail": {"records": []}}', b'{"seed": "", "kept_tail": 7}'])
def test_a_claim_answered_with_nonsense_is_none(service, open_client, body):
    client = open_client()
    service.trouble = [scripted.status(200, body)]
    assert client.claim("s-2", wait=1) is None
    assert client.last_problem.code == "unexpected_answer"


def test_a_name_that_does_not_resolve_in_time_is_left_behind(spool_dir, monkeypatch):
    resolve = socket.getaddrinfo

    def slow(host, *args, **options):
        if host == "slow.invalid":
            if not options.get("flags"):
                time.sleep(1)
            raise socket.gaierror("not found")
        return resolve(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    client = Carryforward("ops-7", "s-1", url="http://slow.invalid", spool_dir=spool_dir, timeout_seconds=0.2)
    started = time.monotonic()
    assert client.usage(gauge_tokens=1) == "continue"
    assert time.monotonic() - started < 0.5
    client.close(0)


def test_one_warning_an_outage(service, open_client, caplog):
    caplog.set_level(logging.INFO, "carryforward")
    service.stop()
    client = open_client()
    for number in range(50):
        client.append({"secret": number})
        client.usage(gauge_tokens=1)
    assert not client.flush(0.8)
    service.start()
    assert client.flush(5)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert "secret" not in caplog.text


def test_a_session_of_another_agent_is_kept_and_told(service, open_client, spool_dir):
    other = Carryforward("someone-else", "s-1", url=service.url, spool_dir=spool_dir / "other")
    other.append(b"{}")
    assert other.flush(5)
    other.close()
    client = open_client()
    client.append([b"{}", b"{}"])
    assert client.usage(gauge_tokens=1) == "continue"
    assert not client.flush(0.3)
    assert client.last_problem.code == "session_conflict"
    assert client.pending.records == 2
