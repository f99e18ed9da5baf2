"""What flows ask of the outside. Adapters implement these; `service.wiring` picks them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from models.kinds import CompactionState, DegradedReason, TranscriptFormat
from service.domain.gauge import UsageEvent, VerdictAnswer
from service.domain.ledger import DeclaredInterrupt, Entry, ExtractionInput, Ledger
from service.domain.transcript import Transcript


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware UTC."""
        ...


class Extractor(Protocol):
    """Finds entries. What it returns is unverified; `service.flows.extract_ledger` verifies and merges."""

    @property
    def name(self) -> str: ...

    def extract(self, job: ExtractionInput) -> tuple[Entry, ...]: ...


class TranscriptReader(Protocol):
    """Reads stored lines of one format. Never raises on content: what it cannot read is counted in `skipped`."""

    @property
    def format(self) -> TranscriptFormat: ...

    def read(self, lines: Iterable[tuple[int, bytes]], *, system: str | None = None) -> Transcript:
        """`lines` are (seq, the line's bytes without its newline)."""
        ...

    def record_uuid(self, line: bytes) -> str | None:
        """The line's own unique id, where the format has one: its idempotency key."""
        ...


class Dispatcher(Protocol):
    """Sends tasks. Fails fast with QueueUnavailableError; a sweep repeats what was lost."""

    def prepare(self, session_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class SessionMarks:
    """What the usage function must know of a session: its agent, window (tokens) and marks (shares of the window)."""

    session_id: str
    agent_id: str
    window_tokens: int | None
    threshold: float
    backstop: float


class Gauges(Protocol):
    """Sessions' gauges in Redis, as flows and tasks use them (the API's hot route has its own shared call)."""

    def declare(self, marks: SessionMarks) -> None:
        """Set a session's window and marks; its next event is judged by them."""
        ...

    def pending_crossings(self, *, older_than_seconds: float, limit: int) -> Sequence[str]:
        """Ids of sessions whose crossing nobody has taken yet."""
        ...

    def crossing_taken(self, session_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class QueuedReading:
    """One usage event as it was accepted, with the verdict it was given. Tokens; `share` is a ratio."""

    event_id: str
    session_id: str
    agent_id: str
    seq: int
    gauge_tokens: int | None
    input_tokens: int
    cache_read_input_tokens: int
    cache_creation_input_tokens: int
    output_tokens: int
    used_tokens: int
    window_tokens: int
    share: float
    verdict: str
    at: datetime


class Meter(Protocol):
    """The hot route's side of Redis: concurrent callers share one function call."""

    async def report(self, events: Sequence[UsageEvent]) -> Sequence[VerdictAnswer]:
        """Judge events, in order, each atomically. Raises QueueUnavailableError when Redis cannot be reached."""
        ...

    async def close(self) -> None: ...


class UsageQueue(Protocol):
    """Accepted usage events on their way into SQL. Read, store, then drop: a crash in between repeats, never loses."""

    def read(self, limit: int) -> Sequence[tuple[str, QueuedReading]]:
        """The oldest entries with their queue ids."""
        ...

    def drop(self, queue_ids: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class SessionState:
    session_id: str
    agent_id: str
    generation: int
    format: TranscriptFormat
    next_seq: int
    turn_ended_seq: int
    window_tokens: int | None
    threshold: float
    backstop: float
    system: str | None
    parent_session_id: str | None

    @property
    def last_seq(self) -> int:
        return self.next_seq - 1

    @property
    def turn_open(self) -> bool:
        return self.last_seq > self.turn_ended_seq


@dataclass(frozen=True, slots=True)
class CompactionStatus:
    """One compaction's row. `fence` grows with every lease taken: a write with an older one is refused."""

    compaction_id: str
    session_id: str
    agent_id: str
    generation: int
    state: CompactionState
    fence: int
    attempts: int
    lease_until: datetime | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class StoredLedger:
    ledger_id: str
    session_id: str
    agent_id: str
    version: int
    extractor: str
    ledger: Ledger
    created_at: datetime
    entry_count: int


@dataclass(frozen=True, slots=True)
class StoredHandoff:
    """`cut_seq` is the first kept `seq`; `tail_last_seq` the last one (below `cut_seq`: an empty tail)."""

    handoff_id: str
    compaction_id: str
    session_id: str
    agent_id: str
    generation: int
    ledger_version: int
    covers_through: int
    seed: str
    cut_seq: int
    tail_last_seq: int
    degraded: tuple[DegradedReason, ...] = ()
    claimed_by: str | None = None
    claimed_at: datetime | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AppendOutcome:
    stored: int
    duplicates: int
    next_seq: int


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line to append: its bytes, and its record's uuid where the format has one."""

    data: bytes
    uuid: str | None


class SessionStore(Protocol):
    def get(self, session_id: str) -> SessionState | None: ...
    def lock(self, session_id: str) -> SessionState | None:
        """Like get, and no other unit changes this session until this one ends."""
        ...

    def add(self, session: SessionState) -> None: ...
    def redeclare(self, session: SessionState) -> None:
        """Store window, marks and system prompt anew."""
        ...

    def end_turn(self, session_id: str, seq: int) -> None: ...
    def latest_generation(self, agent_id: str) -> int: ...


class RecordStore(Protocol):
    def append(self, session: SessionState, lines: Sequence[NewLine], first_seq: int | None) -> AppendOutcome: ...
    def read(self, session_id: str, from_seq: int, to_seq: int | None = None) -> Iterable[tuple[int, bytes]]:
        """Stored lines in `seq` order, `from_seq` to `to_seq` inclusive."""
        ...


class ReadingStore(Protocol):
    def add(self, readings: Sequence[QueuedReading]) -> int:
        """Store what is new by (session, event id); how many were."""
        ...

    def of(self, session_id: str) -> Sequence[QueuedReading]: ...


class InterruptStore(Protocol):
    def declare(self, interrupt_id: str, session_id: str, interrupt: DeclaredInterrupt) -> DeclaredInterrupt: ...
    def of(self, session_id: str) -> Sequence[DeclaredInterrupt]: ...


class CompactionStore(Protocol):
    def of(self, session_id: str) -> CompactionStatus | None: ...
    def request(self, session: SessionState, *, now: datetime) -> CompactionStatus:
        """The session's one compaction, made if it is not there."""
        ...

    def take_lease(self, compaction_id: str, *, owner: str, now: datetime, until: datetime) -> CompactionStatus | None:
        """Into `preparing` with a new fence, if it is free to take; None otherwise."""
        ...

    def renew_lease(self, compaction_id: str, *, fence: int, until: datetime) -> bool: ...
    def move(
        self,
        compaction_id: str,
        target: CompactionState,
        *,
        fence: int | None = None,
        now: datetime,
        error: str | None = None,
    ) -> None:
        """Change the state along `service.domain.states`; StaleLeaseError when the fence is no longer current."""
        ...

    def due(self, *, now: datetime, requested_before: datetime, limit: int) -> Sequence[str]:
        """Session ids whose compaction waits for a worker: requested and not taken since, or with a lease run out."""
        ...


class LedgerStore(Protocol):
    def latest(self, session_id: str) -> StoredLedger | None: ...
    def get(self, ledger_id: str) -> StoredLedger | None: ...
    def of(self, session_id: str, version: int) -> StoredLedger | None: ...
    def find(self, *, session_id: str | None, agent_id: str | None, limit: int) -> Sequence[StoredLedger]:
        """Newest first, without their entries."""
        ...

    def current_entries(
        self, *, session_id: str | None, agent_id: str | None, kind: str | None, value: str | None, limit: int
    ) -> Sequence[tuple[str, Entry]]:
        """Entries of each session's newest ledger, with their session's id."""
        ...

    def add(self, session: SessionState, ledger: Ledger, *, extractor: str, now: datetime) -> StoredLedger:
        """Store the next version."""
        ...


class HandoffStore(Protocol):
    def of(self, session_id: str) -> StoredHandoff | None: ...
    def get(self, handoff_id: str) -> StoredHandoff | None: ...
    def taken_by(self, session_id: str) -> StoredHandoff | None:
        """The handoff that seeded this session."""
        ...

    def find(self, *, session_id: str | None, agent_id: str | None, limit: int) -> Sequence[StoredHandoff]: ...
    def put(self, handoff: StoredHandoff) -> None:
        """Insert, or replace the draft of the same compaction."""
        ...

    def claim(self, handoff_id: str, *, claimed_by: str, now: datetime) -> bool:
        """True for the one caller that got it."""
        ...


class Unit(Protocol):
    """One short transaction: commits when its `with` ends well, rolls back otherwise. No model call inside one."""

    @property
    def sessions(self) -> SessionStore: ...
    @property
    def records(self) -> RecordStore: ...
    @property
    def readings(self) -> ReadingStore: ...
    @property
    def interrupts(self) -> InterruptStore: ...
    @property
    def compactions(self) -> CompactionStore: ...
    @property
    def ledgers(self) -> LedgerStore: ...
    @property
    def handoffs(self) -> HandoffStore: ...


class Units(Protocol):
    """Opens units."""

    def read(self) -> AbstractContextManager[Unit]: ...
    def write(self) -> AbstractContextManager[Unit]: ...


@dataclass(frozen=True, slots=True)
class DefaultMarks:
    """Shares of the window at which an undeclared session is flagged and should end its turn."""

    threshold: float = 0.70
    backstop: float = 0.78


@dataclass(frozen=True, slots=True)
class Budgets:
    """Sizes of a handoff: seed in characters, kept tail in estimated tokens."""

    seed_chars: int = 4_000
    tail_tokens: int = 8_000
    tail_share: float = 0.05
    """The tail's share of the window at most: a small window cannot spare 8,000 tokens."""

    def tail_for(self, window_tokens: int | None) -> int:
        """Largest kept tail for a session with this window, estimated tokens."""
        return (
            self.tail_tokens if window_tokens is None else min(self.tail_tokens, int(window_tokens * self.tail_share))
        )


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a flow may need, handed over by `service.wiring`."""

    units: Units
    clock: Clock
    extractor: Extractor
    readers: Mapping[TranscriptFormat, TranscriptReader]
    dispatcher: Dispatcher
    gauges: Gauges
    usage_queue: UsageQueue
    marks: DefaultMarks = field(default_factory=DefaultMarks)
    budgets: Budgets = field(default_factory=Budgets)
    lease_seconds: float = 6
    attempts: int = 3
