"""What the client hands to a host: verdicts, handoffs, and what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

INTERRUPT_CAUSES = ("backstop", "preflight", "shutdown", "operator", "person")


class Verdict(str):
    """The answer to a usage event: a string that is one of the five words below, with the numbers behind it.

    `used_tokens` and `window_tokens` are tokens, `share` is their ratio (0..1, above 1 when overfull); all three are
    None where the service was not reached. `crossed` is `threshold` or `backstop` on the one event that crossed it.
    `duplicate`: the service already knew this event. `reached` False: nobody was asked, the verdict is `continue`.
    """

    CONTINUE = "continue"
    PREPARE = "prepare"  # a handoff is being prepared in the background; the turn goes on
    END_TURN = "end_turn"  # end the turn cleanly at the next tool-batch boundary
    HOLD = "hold"  # an approval is open
    HALT = "halt"  # the breaker tripped: compaction cannot help this session
    WORDS = (CONTINUE, PREPARE, END_TURN, HOLD, HALT)

    event_id: str
    used_tokens: int | None
    window_tokens: int | None
    share: float | None
    crossed: str | None
    duplicate: bool
    reached: bool

    def __new__(
        cls,
        word: str,
        *,
        event_id: str = "",
        used_tokens: int | None = None,
        window_tokens: int | None = None,
        share: float | None = None,
        crossed: str | None = None,
        duplicate: bool = False,
        reached: bool = False,
    ) -> "Verdict":
        verdict = super().__new__(cls, word)
        verdict.event_id = event_id
        verdict.used_tokens = used_tokens
        verdict.window_tokens = window_tokens
        verdict.share = share
        verdict.crossed = crossed
        verdict.duplicate = duplicate
        verdict.reached = reached
        return verdict

    @classmethod
    def from_body(cls, body: Mapping[str, object]) -> "Verdict | None":
        """The service's answer, or None where it is not one (a word we do not know is not one either)."""
        word, used, window, share = (body.get(key) for key in ("verdict", "used_tokens", "window_tokens", "share"))
        if word not in cls.WORDS:
            return None
        crossed = body.get("crossed")
        return cls(
            str(word),
            event_id=str(body.get("event_id", "")),
            used_tokens=used if isinstance(used, int) else None,
            window_tokens=window if isinstance(window, int) else None,
            share=float(share) if isinstance(share, (int, float)) else None,
            crossed=crossed if isinstance(crossed, str) else None,
            duplicate=body.get("duplicate") is True,
            reached=True,
        )


@dataclass(frozen=True)
class Handoff:
    """What a fresh session starts from: the seed, then the kept tail word for word.

    `kept_tail` are the transcript's own lines from `kept_first_seq` to `kept_last_seq` (both None when it is empty);
    `covers_through` is the last `seq` the seed's ledger covers. `degraded` lists why it is plainer than it could be.
    """

    handoff_id: str
    agent_id: str
    session_id: str
    generation: int
    claimed_by: str
    next_generation: int
    ledger_version: int
    covers_through: int
    seed: str
    kept_tail: tuple[str, ...]
    kept_first_seq: int | None
    kept_last_seq: int | None
    degraded: tuple[str, ...]

    @classmethod
    def from_body(cls, body: Mapping[str, object]) -> "Handoff | None":
        """The service's answer, or None where a part without which no session can start is missing."""
        seed, tail = body.get("seed"), body.get("kept_tail")
        records = tail.get("records") if isinstance(tail, dict) else None
        if not isinstance(seed, str) or not isinstance(tail, dict) or not isinstance(records, list):
            return None
        if not all(isinstance(record, str) for record in records):
            return None
        return cls(
            handoff_id=_text(body, "handoff_id"),
            agent_id=_text(body, "agent_id"),
            session_id=_text(body, "session_id"),
            generation=_number(body, "generation"),
            claimed_by=_text(body, "claimed_by"),
            next_generation=_number(body, "next_generation"),
            ledger_version=_number(body, "ledger_version"),
            covers_through=_number(body, "covers_through"),
            seed=seed,
            kept_tail=tuple(records),
            kept_first_seq=_number(tail, "first_seq") if records else None,
            kept_last_seq=_number(tail, "last_seq") if records else None,
            degraded=_words(body),
        )


@dataclass(frozen=True)
class TurnEnd:
    """What the service said to the end of a turn. All empty when the session never crossed its threshold.

    `state` is the handoff's: `sealed`, or `requested` / `preparing` while a worker is still at it.
    """

    handoff_id: str | None = None
    state: str | None = None
    degraded: tuple[str, ...] = ()

    @classmethod
    def from_body(cls, body: Mapping[str, object]) -> "TurnEnd":
        handoff = body.get("handoff")
        if not isinstance(handoff, dict):
            return cls()
        return cls(_text(handoff, "handoff_id") or None, _text(handoff, "state") or None, _words(handoff))


@dataclass(frozen=True)
class Problem:
    """The last thing that went wrong on our side of the host's loop. `code` is the service's, or one of ours:

    `unreachable`, `unexpected_answer`, `spool_unwritable`, `spool_full`, `spool_corrupt`, `refused`, `internal`.
    """

    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Pending:
    """What waits to be shipped. `events` are usage events, declared interrupts and turn ends."""

    records: int = 0
    events: int = 0
    waiting_bytes: int = 0

    def __bool__(self) -> bool:
        return bool(self.records or self.events)


def _text(body: Mapping[str, object], key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""


def _number(body: Mapping[str, object], key: str) -> int:
    value = body.get(key)
    return value if isinstance(value, int) else -1


def _words(body: Mapping[str, object]) -> tuple[str, ...]:
    value = body.get("degraded")
    return tuple(str(word) for word in value) if isinstance(value, list) else ()
