"""What is on disk survives what may happen to it."""

import fcntl
import os
import stat
import time

import pytest

from carryforward_client import entries, journal, overflow
from carryforward_client.entries import Damaged, Entry


def numbered(*numbers):
    return [b'{"n": %d}' % number for number in numbers]


@pytest.fixture
def left(service, open_client):
    """A spool with three records in it that nobody has shipped: its directory."""
    service.stop()
    client = open_client()
    client.append(numbered(0, 1, 2))
    client.close(0)
    client._shipper.stop(5)  # its last try must not meet the service that is back
    service.start()
    return client._spool.directory


@pytest.fixture
def newest(left):
    return left / "00000001.journal"


@pytest.mark.parametrize("payload", [b"{}", b"", b"\xff\x00 r 1 00000000 x", b"x" * 100_000])
def test_an_entry_is_read_back_as_it_was(payload):
    entry = Entry(entries.RECORD, 57, payload)
    line = entries.encode(entry)
    assert entries.decode(line.removesuffix(b"\n")) == entry
    for cut in (0, 1, 5, len(line) - 2):
        assert isinstance(entries.decode(line[:cut]), Damaged)
    flipped = bytes([*line[:-2], line[-2] ^ 1])
    assert isinstance(entries.decode(flipped), Damaged)


def test_what_a_process_left_the_next_one_ships_by_itself(service, open_client, left, wait_until):
    client = open_client()
    wait_until(lambda: service.lines("s-1") == numbered(0, 1, 2))
    assert client.append(numbered(3)) == range(3, 4)


def test_a_torn_last_line_costs_only_itself(service, open_client, newest):
    newest.write_bytes(newest.read_bytes()[:-5])
    client = open_client()
    assert client.append(numbered(3)) == range(2, 3)
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 3)
    assert client.last_problem.code == "spool_corrupt"
    assert b"spool_corrupt" in client._spool.rejected_path.read_bytes()


def test_a_last_line_that_lacks_only_its_newline_is_whole(service, open_client, newest):
    newest.write_bytes(newest.read_bytes()[:-1])
    client = open_client()
    client.append(numbered(3))
    assert client.flush(5)
    assert [line for line in service.lines("s-1") if line == numbered(2)[0]] == numbered(2)


def test_damage_in_the_middle_costs_only_its_line(service, open_client, newest):
    lines = newest.read_bytes().splitlines(keepends=True)
    lines[1] = b"\x00" * 100 + b"\n"
    newest.write_bytes(b"".join(lines))
    client = open_client()
    client.append(numbered(3))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 2, 3)


def test_a_journal_of_garbage_is_set_aside(service, open_client, newest):
    newest.write_bytes(os.urandom(5000) + b"\n")
    client = open_client()
    client.append(numbered(3))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(3)


@pytest.mark.parametrize("content", [b"", b"{", b'{"segment": "x"}', b"[]", b"\xff", b"[" * 100_000])
def test_an_unreadable_state_ships_all_again_and_stores_nothing_twice(service, open_client, left, content):
    client = open_client()
    assert client.flush(5)
    client._shipper.stop(1)
    (left / "state.json").write_bytes(content)
    client = open_client()
    client.append(numbered(3))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3)


def test_what_was_shipped_leaves_the_disk(service, open_client, monkeypatch):
    monkeypatch.setattr(journal, "SEGMENT_BYTES", 2000)
    client = open_client()
    for number in range(50):
        client.append([b'{"secret": "%s"}' % (b"x" * 200)] * 5)
        assert client.flush(5)
        assert sum(path.stat().st_size for path in client._spool.directory.iterdir()) < 6000, number
    client.close()
    assert not [path for path in client._spool.directory.iterdir() if b"secret" in path.read_bytes()]
    assert len(service.lines("s-1")) == 250
    assert open_client().append(b"{}") == range(250, 251)


def test_only_the_owner_may_read_it(open_client, left):
    client = open_client()
    assert client.flush(5)
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in left.iterdir()} == {0o600}


def test_a_directory_that_cannot_be_made_is_replaced_by_memory(service, open_client, spool_dir):
    spool_dir.write_text("a file is in the way")
    service.stop()
    client = open_client()
    assert client.append(numbered(0, 1)) == range(2)
    assert client.usage("msg_1", gauge_tokens=1) == "continue"
    with client.interrupting("shutdown"):
        pass
    assert (client.pending.records, client.pending.events) == (2, 2)
    service.start()
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1)
    assert "msg_1" in service.events
    client.append(numbered(2))
    assert client.last_problem.code == "spool_unwritable"
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2)


def test_memory_goes_to_disk_when_the_disk_is_back(service, open_client, spool_dir):
    spool_dir.write_text("a file is in the way")
    service.stop()
    client = open_client()
    client.append(numbered(0, 1))
    spool_dir.unlink()
    client.append(numbered(2))
    client.close(0)
    service.start()
    assert open_client().flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2)


def test_memory_is_bounded(service, open_client, spool_dir, monkeypatch):
    monkeypatch.setattr(overflow, "MEMORY_BYTES", 1000)
    spool_dir.write_text("a file is in the way")
    service.stop()
    client = open_client()
    for _ in range(20):
        client.append(b"x" * 100)
    assert client.last_problem.code == "spool_full"
    assert client.append(b"x" * 100) == range(10, 10)
    service.start()
    assert client.flush(5)
    assert len(service.lines("s-1")) == 10


def test_a_directory_removed_while_in_use_is_made_again(service, open_client, left):
    client = open_client()
    assert client.flush(5)
    for path in left.iterdir():
        path.unlink()
    left.rmdir()
    assert client.append(numbered(3)) == range(3, 4)
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3)


def test_a_stopped_process_that_holds_the_lock_does_not_stop_us(service, open_client, left):
    client = open_client()
    assert client.flush(5)
    with (left / "append.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        started = time.monotonic()
        assert client.append(numbered(3)) == range(3, 4)
        assert time.monotonic() - started < 1.5
        assert client.flush(5)
    client.append(numbered(4))
    assert client.flush(5)
    assert service.lines("s-1") == numbered(0, 1, 2, 3, 4)


def test_leftovers_of_other_sessions_are_shipped_on_request(service, open_client, left):
    client = open_client("s-2")
    assert not client.ship_leftovers(5)
    assert service.lines("s-1") == numbered(0, 1, 2)
    assert left.exists()
    week = time.time() - 8 * 24 * 3600
    for path in left.glob("*.journal"):
        os.utime(path, (week, week))
    client.ship_leftovers(5)
    assert not left.exists()


def test_leftovers_wait_for_the_service(service, open_client, left):
    service.stop()
    client = open_client("s-2")
    assert client.ship_leftovers(1).records == 3
    service.start()
    assert not client.ship_leftovers(5)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"session_id": 1, "agent_id": "a"}'])
def test_leftovers_whose_session_is_unreadable_stay(service, open_client, left, content):
    (left / "session.json").write_bytes(content)
    client = open_client("s-2")
    client.ship_leftovers(5)
    assert client.last_problem.code == "spool_corrupt"
    assert (left / "00000001.journal").stat().st_size
