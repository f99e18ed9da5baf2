"""Bodies of requests and answers, as OpenAPI shows them. docs/http.md says them in prose."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.kinds import CompactionState, DegradedReason, EntryKind, InterruptCause, TranscriptFormat, Who
from service.domain.ledger import Entry
from service.flows.claim_handoff import ClaimedHandoff
from service.ports import SessionState, StoredHandoff, StoredLedger

Id = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Field(gt=0, le=1)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OpenSession(Body):
    session_id: Id
    agent_id: Id
    format: TranscriptFormat = TranscriptFormat.CLAUDE_CODE
    window_tokens: int | None = Field(None, ge=1, le=500_000_000, description="The context window, tokens.")
    threshold: Share | None = Field(None, description="Share of the window at which a handoff is prepared.")
    backstop: Share | None = Field(None, description="Share of the window at which the turn should end.")
    system: str | None = Field(None, description="The system prompt, where the transcript does not hold it.")
    parent_session_id: Id | None = None

    @model_validator(mode="after")
    def _ordered(self) -> "OpenSession":
        if self.threshold is not None and self.backstop is not None and self.backstop < self.threshold:
            raise ValueError(f"backstop {self.backstop} is below threshold {self.threshold}")
        return self


class Session(BaseModel):
    session_id: str
    agent_id: str
    generation: int
    format: TranscriptFormat
    next_seq: int
    window_tokens: int | None
    threshold: float
    backstop: float
    parent_session_id: str | None
    turn_open: bool
    compaction: CompactionState | None

    @classmethod
    def of(cls, session: SessionState, compaction: CompactionState | None) -> "Session":
        return cls(
            session_id=session.session_id,
            agent_id=session.agent_id,
            generation=session.generation,
            format=session.format,
            next_seq=session.next_seq,
            window_tokens=session.window_tokens,
            threshold=session.threshold,
            backstop=session.backstop,
            parent_session_id=session.parent_session_id,
            turn_open=session.turn_open,
            compaction=compaction,
        )


class Appended(BaseModel):
    session_id: str
    stored: int
    duplicates: int
    next_seq: int


class EndTurn(Body):
    pass


class TurnHandoff(BaseModel):
    handoff_id: str | None
    state: CompactionState
    degraded: list[DegradedReason]


class TurnEnded(BaseModel):
    session_id: str
    handoff: TurnHandoff | None


class DeclareInterrupt(Body):
    interrupt_id: Id
    cause: InterruptCause
    tool_use_ids: list[Id] = []


class InterruptDeclared(BaseModel):
    interrupt_id: str
    after_seq: int


class Claim(Body):
    claimed_by: Id = Field(description="The fresh session's id.")
    wait_seconds: float = Field(5, ge=0, le=60)


class KeptTail(BaseModel):
    first_seq: int | None
    last_seq: int | None
    records: list[str] = Field(description="The stored lines, word for word.")


class Handoff(BaseModel):
    handoff_id: str
    agent_id: str
    session_id: str
    generation: int
    claimed_by: str | None
    ledger_version: int
    covers_through: int
    seed: str
    degraded: list[DegradedReason]


class Claimed(Handoff):
    next_generation: int
    kept_tail: KeptTail

    @classmethod
    def of(cls, claimed: ClaimedHandoff) -> "Claimed":
        tail = claimed.tail
        return cls(
            **handoff_fields(claimed.handoff),
            next_generation=claimed.next_generation,
            kept_tail=KeptTail(
                first_seq=tail[0][0] if tail else None,
                last_seq=tail[-1][0] if tail else None,
                records=[line.decode() for _, line in tail],
            ),
        )


class StoredHandoffView(Handoff):
    cut_seq: int = Field(description="The first kept seq.")
    tail_last_seq: int = Field(description="The last kept seq; below cut_seq the tail is empty.")
    claimed_at: datetime | None
    created_at: datetime | None

    @classmethod
    def of(cls, handoff: StoredHandoff) -> "StoredHandoffView":
        return cls(
            **handoff_fields(handoff),
            cut_seq=handoff.cut_seq,
            tail_last_seq=handoff.tail_last_seq,
            claimed_at=handoff.claimed_at,
            created_at=handoff.created_at,
        )


def handoff_fields(handoff: StoredHandoff) -> dict[str, object]:
    return {
        "handoff_id": handoff.handoff_id,
        "agent_id": handoff.agent_id,
        "session_id": handoff.session_id,
        "generation": handoff.generation,
        "claimed_by": handoff.claimed_by,
        "ledger_version": handoff.ledger_version,
        "covers_through": handoff.covers_through,
        "seed": handoff.seed,
        "degraded": list(handoff.degraded),
    }


class EvidenceView(BaseModel):
    session_id: str
    seq: int = Field(description="Position of the record that holds the quote; -1 is the system prompt.")
    quote: str


class EntryView(BaseModel):
    key: str
    kind: EntryKind
    value: str
    detail: str
    who: Who | None
    status: str
    evidence: list[EvidenceView]

    @classmethod
    def of(cls, entry: Entry, session_id: str) -> "EntryView":
        return cls(
            key=entry.key,
            kind=entry.kind,
            value=entry.value,
            detail=entry.detail,
            who=entry.who,
            status=entry.status,
            evidence=[
                EvidenceView(session_id=piece.session_id or session_id, seq=piece.seq, quote=piece.quote)
                for piece in entry.evidence
            ],
        )


class LedgerSummary(BaseModel):
    ledger_id: str
    agent_id: str
    session_id: str
    version: int
    watermark: int
    extractor: str
    entry_count: int
    created_at: datetime


class LedgerView(LedgerSummary):
    entries: list[EntryView]

    @classmethod
    def of(cls, stored: StoredLedger) -> "LedgerView":
        entries = [EntryView.of(entry, stored.session_id) for entry in stored.ledger.entries]
        return cls(**ledger_fields(stored), entries=entries)


def ledger_fields(stored: StoredLedger) -> dict[str, object]:
    return {
        "ledger_id": stored.ledger_id,
        "agent_id": stored.agent_id,
        "session_id": stored.session_id,
        "version": stored.version,
        "watermark": stored.ledger.watermark,
        "extractor": stored.extractor,
        "entry_count": stored.entry_count,
        "created_at": stored.created_at,
    }


class LedgerList(BaseModel):
    ledgers: list[LedgerSummary]


class SessionEntry(EntryView):
    session_id: str


class EntryList(BaseModel):
    entries: list[SessionEntry]


class HandoffList(BaseModel):
    handoffs: list[StoredHandoffView]
