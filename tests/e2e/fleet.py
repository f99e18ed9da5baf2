"""A fleet of played agents: each its own transcript of the corpus, all at the same time, all through the client."""

import gzip
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carryforward_client import Carryforward, Handoff
from tests.made_session import made_session
from tests.shared import find_shared

CALLS_A_SECOND = 150
"""What the whole fleet's models answer: 200 agents that think for more than a second each, on two shared cores."""

LONGEST_CALLS = 40
"""Agents with more to say would only make the run longer."""

FILLS = 0.85
"""Share of its window an agent's transcript ends at: past threshold and backstop, the crossing falls in between."""


@dataclass(frozen=True, slots=True)
class Script:
    """What one agent will live through."""

    name: str
    system: str | None
    messages: Sequence[dict[str, Any]]

    @property
    def lines(self) -> list[bytes]:
        return [json.dumps(message, ensure_ascii=False).encode() for message in self.messages]


@dataclass(slots=True)
class Life:
    """What happened to one agent."""

    session_id: str
    lines: list[bytes]
    crossings: list[str] = field(default_factory=list)
    handoff: Handoff | None = None
    refused: str | None = None
    problem: object | None = None


def scripts(count: int) -> list[Script]:
    """`count` transcripts of the corpus, spread over all of it; where there is no corpus, made-up ones."""
    corpus = find_shared("corpus")
    if corpus is None:
        return [Script(f"made-{number}", None, list(made_session(6, f"A{number}"))) for number in range(count)]
    found = []
    for path in sorted(corpus.glob("*/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                case = json.loads(line)
                if 4 <= sum(message["role"] == "assistant" for message in case["messages"]) <= LONGEST_CALLS:
                    found.append(Script(case["id"], case.get("system_prompt"), case["messages"]))
    step = max(1, len(found) // count)
    chosen = found[::step][:count]
    return chosen + found[: count - len(chosen)]


def run_fleet(url: str, fleet: Sequence[Script], spool_dir: Path, *, wait: float = 30) -> list[Life]:
    """Every agent in a thread of its own, all started together."""
    thinks = len(fleet) / CALLS_A_SECOND
    with ThreadPoolExecutor(len(fleet)) as pool:
        futures = [
            pool.submit(live, url, f"fleet-{number}", script, spool_dir, thinks=thinks, wait=wait)
            for number, script in enumerate(fleet)
        ]
        return [future.result() for future in futures]


def live(url: str, agent_id: str, script: Script, spool_dir: Path, *, thinks: float, wait: float) -> Life:
    """`thinks`: seconds the agent's model takes for an answer."""
    lines = script.lines
    sizes = [len(line) // 4 + 1 for line in lines]
    life = Life(f"{agent_id}/1", lines)
    with Carryforward(
        agent_id,
        life.session_id,
        url=url,
        format="anthropic-messages",
        system=script.system,
        window_tokens=int(sum(sizes) / FILLS),
        spool_dir=str(spool_dir),
        timeout_seconds=10,  # a fleet of threads in one process starves itself, not the service
    ) as client:
        used = 0
        for message, line, size in zip(script.messages, lines, sizes, strict=True):
            client.append([line])
            used += size
            if message["role"] == "assistant" or message is script.messages[-1]:
                time.sleep(thinks)
                verdict = client.usage(gauge_tokens=used)
                if verdict.crossed:
                    life.crossings.append(verdict.crossed)
        client.turn_ended()
        life.handoff = client.claim(f"{agent_id}/2", wait=wait)
        life.problem = client.last_problem
    with Carryforward(
        "thief", life.session_id, url=url, spool_dir=str(spool_dir / "thief"), timeout_seconds=10
    ) as thief:
        if thief.claim(f"{agent_id}/stolen", wait=5) is None and thief.last_problem is not None:
            life.refused = thief.last_problem.code
    return life


def check_tail(life: Life) -> list[str]:
    """What is wrong with the kept tail: not word for word, not to the last record, or a pair cut in two."""
    assert life.handoff is not None
    tail = [line.encode() for line in life.handoff.kept_tail]
    if life.lines[len(life.lines) - len(tail) :] != tail:
        return ["the tail is not the transcript's last lines"]
    if life.handoff.covers_through < len(life.lines) - len(tail) - 1:
        return ["records before the tail are not covered"]
    called: set[str] = set()
    problems = []
    for line in tail:
        content = json.loads(line)["content"]
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                called.add(block["id"])
            elif block["type"] == "tool_result" and block["tool_use_id"] not in called:
                problems.append(f"result of {block['tool_use_id']} without its call")
    return problems
