"""A live agent host, played: it appends records, reports usage, ends turns, claims handoffs, all through the client."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from carryforward_client import Carryforward, Handoff, Verdict
from service.cli.played_transcript import Play, Step, conversation_tokens
from service.domain.tokens import estimate_tokens


@dataclass(slots=True)
class TurnReport:
    """What happened in one turn. Shares are ratios; `verdict` is the last one; `crossed` says in which call."""

    number: int
    generation: int
    records: int
    calls: int
    share: float
    verdict: str
    crossed: str | None = None
    crossed_at_call: int | None = None
    handoff: Handoff | None = None
    claim_seconds: float | None = None


@dataclass(slots=True)
class PlayReport:
    turns: list[TurnReport] = field(default_factory=list)
    handoffs: list[tuple[str, Handoff]] = field(default_factory=list)
    """(the session that ended, its handoff)"""


class DemoAgent:
    """Plays one transcript. After a handoff the rest of it runs in the fresh session, whose window holds what the
    transcript's own fixed prefix, the seed and the kept tail take, and grows as the recording did."""

    def __init__(self, url: str, agent_id: str, play: Play, *, spool_dir: str, wait: float = 10) -> None:
        self._url, self._agent_id, self._play, self._spool, self._wait = url, agent_id, play, spool_dir, wait
        self._generation = 1
        self._offset = 0
        self._prefix: int | None = None
        self._used = 0
        self.report = PlayReport()

    def run(self, on_turn: Callable[[TurnReport], None]) -> PlayReport:
        client = self._open()
        try:
            for number, steps in enumerate(self._play.turns, start=1):
                turn = self._turn(client, number, steps)
                client.turn_ended()
                if turn.verdict != "continue":
                    client = self._hand_over(client, turn)
                self.report.turns.append(turn)
                on_turn(turn)
        finally:
            client.close()
        return self.report

    def _turn(self, client: Carryforward, number: int, steps: Sequence[Step]) -> TurnReport:
        turn = TurnReport(number, self._generation, 0, 0, 0.0, "continue")
        for step in steps:
            client.append([step.line])
            turn.records += 1
            if step.used_tokens is None:
                continue
            turn.calls += 1
            self._prefix = step.used_tokens if self._prefix is None else min(self._prefix, step.used_tokens)
            self._used = step.used_tokens
            verdict = self._report(client, step)
            turn.share, turn.verdict = verdict.share or turn.share, str(verdict)
            if verdict.crossed and turn.crossed is None:
                turn.crossed, turn.crossed_at_call = verdict.crossed, turn.calls
        return turn

    def _report(self, client: Carryforward, step: Step) -> Verdict:
        if self._generation == 1 and step.usage is not None:
            return client.usage(step.event_id, usage=step.usage)
        used = max((step.used_tokens or 0) - self._offset, 1)
        return client.usage(step.event_id, gauge_tokens=used)

    def _hand_over(self, client: Carryforward, turn: TurnReport) -> Carryforward:
        ended = client.session_id
        started = time.monotonic()
        handoff = client.claim(self._session_id(self._generation + 1), wait=self._wait)
        turn.claim_seconds = time.monotonic() - started
        if handoff is None:
            return client
        client.close()
        turn.handoff = handoff
        self.report.handoffs.append((ended, handoff))
        self._generation += 1
        carried = estimate_tokens(handoff.seed) + conversation_tokens(handoff.kept_tail)
        self._offset = self._used - (self._prefix or 0) - carried
        return self._open()

    def _open(self) -> Carryforward:
        return Carryforward(
            self._agent_id,
            self._session_id(self._generation),
            url=self._url,
            window_tokens=self._play.window_tokens,
            spool_dir=self._spool,
        )

    def _session_id(self, generation: int) -> str:
        return f"{self._agent_id}/{generation}"
