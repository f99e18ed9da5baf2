"""The service and the spool do not agree: both end up with every record, or the spool says which it set aside."""

import json

from scripted_service import status


def rejected(client):
    path = client._spool.rejected_path
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def numbered(*numbers):
    return [b'{"n": %d}' % number for number in numbers]


def test_a_service_that_lost_everything_gets_all_the_spool_has(service, open_client):
    client = open_client()
    client.append(numbered(0, 1, 2))
    assert client.flush(5)
    service.lose_everything()
    client.append(numbered(3))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3)


def test_a_service_that_lost_what_the_spool_no_longer_has_goes_on_without_a_gap(service, open_client):
    client = open_client()
    client.append(numbered(0, 1, 2))
    client.close()  # which removes what was shipped
    client = open_client()
    service.lose_everything()
    assert client.append(numbered(3, 4)) == range(3, 5)
    assert client.flush(5)
    assert service.lines("s-1") == numbered(3, 4)
    assert client.last_problem.code == "records_missing"
    client.append(numbered(5))
    assert client.usage("msg_1", gauge_tokens=1).reached
    assert client.flush(5)
    assert service.lines("s-1") == numbered(3, 4, 5)
    assert service.events["msg_1"]["seq"] == 2  # the service's number of the last record


def test_a_service_that_lost_its_last_records_gets_them_again(service, open_client):
    client = open_client()
    client.append(numbered(0, 1, 2, 3))
    assert client.flush(5)
    del service.sessions["s-1"]["lines"][2:]
    client.append(numbered(4))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3, 4)
    assert client.last_problem is None


def test_a_verdict_reopens_a_session_the_service_forgot(service, open_client):
    client = open_client()
    client.usage(gauge_tokens=1)
    service.lose_everything()
    not_found = b'{"error": {"code": "not_found", "message": "no session"}}'
    service.trouble = [status(404, not_found)]
    assert client.usage(gauge_tokens=1).reached
    assert "s-1" in service.sessions


def test_a_new_spool_for_an_old_session_goes_behind_its_end(service, open_client, tmp_path):
    old = open_client(spool_dir=tmp_path / "gone")
    old.append(numbered(0, 1, 2))
    old.close()
    client = open_client()
    client.append(numbered(3, 4))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3, 4)
    client.append(numbered(5))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3, 4, 5)
    assert not rejected(client)


def test_a_transcript_played_again_from_the_start_is_stored_once(service, open_client, tmp_path):
    old = open_client(spool_dir=tmp_path / "gone")
    old.append(numbered(0, 1, 2))
    old.close()
    client = open_client()
    client.append(numbered(0, 1, 2, 3))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3)


def test_a_conflict_is_set_aside_and_the_rest_goes_on(service, open_client):
    client = open_client()
    client.append(numbered(0))
    assert client.flush(5)
    service.sessions["s-1"]["lines"].append(b'{"from": "someone else"}')
    client.append(numbered(1, 2, 3))
    assert client.flush(5)
    assert service.lines("s-1") == [*numbered(0), b'{"from": "someone else"}', *numbered(2, 3)]
    assert [(row["code"], row["seq"], row["line"]) for row in rejected(client)] == [("record_conflict", 1, '{"n": 1}')]
    assert client.last_problem.code == "record_conflict"


def test_one_invalid_record_is_found_and_set_aside(service, open_client):
    client = open_client()
    service.refused_lines = set(numbered(37))
    client.append(numbered(*range(100)))
    client.usage(gauge_tokens=1)
    assert client.flush(5)
    assert service.lines("s-1") == numbered(*range(37), *range(38, 100))
    assert [row["line"] for row in rejected(client)] == ['{"n": 37}']
    client.append(numbered(100))
    assert client.flush(5)
    assert service.lines("s-1")[-1:] == numbered(100)


def test_batches_that_are_too_large_get_smaller(service, open_client):
    service.largest_batch = 7
    client = open_client()
    client.append(numbered(*range(50)))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(*range(50))
    assert not rejected(client)


def test_a_refused_usage_event_is_set_aside(service, open_client):
    client = open_client()
    client.usage(gauge_tokens=1)
    service.trouble = [status(422, b'{"error": {"code": "invalid_input", "message": "no"}}')]
    assert client.usage("msg_1", gauge_tokens=2) == "continue"
    assert client.last_problem.code == "invalid_input"
    assert not client.pending
    assert json.loads(rejected(client)[0]["line"])["event_id"] == "msg_1"
