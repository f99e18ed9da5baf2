"""The client and the API share no code: what one writes, the other must read."""

from pathlib import Path

import pytest

from carryforward_client import AsyncCarryforward, Carryforward
from service.flows.prepare_handoff import prepare_handoff
from service.ports import Ports
from tests.contract.test_http_api import LINES


def client(url: str, spool: Path, session_id: str = "host/1", **more: object) -> Carryforward:
    return Carryforward(
        "host",
        session_id,
        url=url,
        format="anthropic-messages",
        window_tokens=1000,
        spool_dir=str(spool),
        **more,  # type: ignore[arg-type]
    )


def test_a_host_lives_through_one_handoff(url: str, ports: Ports, tmp_path: Path) -> None:
    with client(url, tmp_path) as host:
        host.append(LINES[:2])
        assert str(host.usage("e1", usage={"input_tokens": 10, "cache_read_input_tokens": 690})) == "prepare"
        prepare_handoff(ports, "host/1", owner="w-1") if host.flush(10) else pytest.fail("not shipped")
        host.append(LINES[2:])
        host.turn_ended()
        handoff = host.claim("host/2", wait=5)
        assert host.last_problem is None
    assert handoff is not None
    assert (handoff.generation, handoff.next_generation, tuple(handoff.degraded)) == (1, 2, ())
    assert [line.encode() for line in handoff.kept_tail] == LINES[len(LINES) - len(handoff.kept_tail) :]
    assert "ORD-17" in handoff.seed


def test_a_declared_interrupt_reaches_the_ledger(url: str, ports: Ports, tmp_path: Path) -> None:
    with client(url, tmp_path) as host:
        host.append(LINES[:2])
        with host.interrupting("backstop", ["t1"]):
            pass
        handoff = host.claim("host/2", wait=0)
    assert handoff is not None
    with ports.units.read() as unit:
        assert [declared.tool_use_ids for declared in unit.interrupts.of("host/1")] == [("t1",)]
        stored = unit.ledgers.latest("host/1")
    assert stored is not None
    assert "unknown_outcome" in {entry.kind for entry in stored.ledger.entries}


def test_odd_session_ids_and_bytes_survive_the_way(url: str, ports: Ports, tmp_path: Path) -> None:
    odd = "../Łódź/東京 ?#%2F😀"
    line = '{"role": "user", "content": "emoji 😀 and \\ud83d"}'
    with client(url, tmp_path, odd) as host:
        host.append([line])
        assert host.flush(10)
    with ports.units.read() as unit:
        assert list(unit.records.read(odd, 0)) == [(0, line.encode())]


async def _async_host(url: str, spool: Path) -> object:
    async with AsyncCarryforward(
        "host", "host/1", url=url, format="anthropic-messages", window_tokens=1000, spool_dir=str(spool)
    ) as host:
        await host.append(LINES)
        verdict = await host.usage(gauge_tokens=720)
        await host.turn_ended()
        return verdict, await host.claim("host/2", wait=0)


def test_the_async_client_does_the_same(url: str, tmp_path: Path) -> None:
    import asyncio

    verdict, handoff = asyncio.run(_async_host(url, tmp_path))  # type: ignore[misc]
    assert str(verdict) == "prepare"
    assert handoff is not None
