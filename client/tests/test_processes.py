"""Killed, forked, doubled, exiting, on a full disk: real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import scripted_service as scripted

SOURCE = Path(__file__).parents[1] / "src"

PREAMBLE = """
import os, sys, time
sys.path.insert(0, {source!r})
from carryforward_client import Carryforward
client = Carryforward("ops-7", "s-1", url={url!r}, spool_dir={spool_dir!r}, timeout_seconds=0.4)
"""


@pytest.fixture
def start(service, spool_dir):
    """Starts a host process that runs some lines with a client."""
    started = []

    def start(lines: str) -> subprocess.Popen[bytes]:
        script = PREAMBLE.format(source=str(SOURCE), url=service.url, spool_dir=str(spool_dir)) + lines
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_killed_process_loses_nothing(service, start, open_client):
    service.stop()
    process = start("for n in range(1000): client.append({'n': n})\nprint('done', flush=True)\ntime.sleep(60)")
    assert process.stdout.readline() == b"done\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    service.start()
    client = open_client()
    assert client.flush(5)
    assert [json.loads(line)["n"] for line in service.lines("s-1")] == list(range(1000))


def test_a_process_killed_while_it_appends_leaves_a_beginning(service, start, open_client):
    process = start("print('go', flush=True)\nn = 0\nwhile True:\n    client.append({'n': n})\n    n += 1")
    process.stdout.readline()
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    client = open_client()
    client.append({"n": "last"})
    assert client.flush(5)
    *before, last = [json.loads(line)["n"] for line in service.lines("s-1")]
    assert len(before) > 100
    assert before == list(range(len(before)))
    assert last == "last"


def test_processes_on_one_session_do_not_disturb_each_other(service, start):
    lines = "for n in range(300): client.append({'who': %d, 'n': n})\nprint(client.flush(8), client.last_problem)"
    processes = [start(lines % who) for who in range(3)]
    assert [process.communicate()[0] for process in processes] == [b"True None\n"] * 3
    records = [json.loads(line) for line in service.lines("s-1")]
    assert len(records) == 900
    for who in range(3):
        assert [record["n"] for record in records if record["who"] == who] == list(range(300))


def test_a_process_that_just_ends_has_shipped(service, start):
    assert start("client.append([b'{}'] * 10)").wait(5) == 0
    assert len(service.lines("s-1")) == 10


def test_a_dead_service_does_not_hold_the_exit(service, start):
    service.always = scripted.hang(30)
    started = time.monotonic()
    process = start("client.append(b'{}')\nprint(time.time(), flush=True)")
    process.wait(10)
    assert time.monotonic() - started < 4
    assert process.returncode == 0


def test_a_forked_child_may_go_on(service, start):
    lines = """
client.append({'by': 'parent'})
pid = os.fork()
if not pid:
    client.append({'by': 'child'})
    print(client.flush(5), client.usage(gauge_tokens=1).reached, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
client.append({'by': 'parent again'})
print(client.flush(5), client.usage(gauge_tokens=1).reached)
"""
    assert start(lines).communicate()[0] == b"True True\nTrue True\n"
    assert [json.loads(line)["by"] for line in service.lines("s-1")] == ["parent", "child", "parent again"]


def test_a_full_disk_is_survived(service, start):
    """A limit on file sizes: the write that meets it is a short one, as on a full disk."""
    lines = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
for n in range(100): assert client.append({'n': n, 'x': 'x' * 60}) == range(n, n + 1)
print(client.last_problem.code, client.pending.records, flush=True)
sys.stdin.readline()
"""
    service.stop()
    script = lines.replace("sys.stdin.readline()", "time.sleep(0.5)\nprint(client.flush(8), flush=True)")
    process = start(script)
    assert process.stdout.readline() == b"spool_unwritable 100\n"
    service.start()
    assert process.stdout.readline() == b"True\n"
    assert [json.loads(line)["n"] for line in service.lines("s-1")] == list(range(100))
