"""The ledger: typed entries, each with the evidence that proves it."""

import hashlib
from dataclasses import dataclass

from models.kinds import EntryKind, Who
from service.domain.transcript import Transcript

SYSTEM_PROMPT_SEQ = -1
"""The `seq` an evidence names when its quote stands in the system prompt, which is no record."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """`quote` occurs byte for byte in record `seq` of `session_id`: in a text, a tool result, or a call's
    name, id or arguments (as JSON). `session_id` None means the session the ledger belongs to."""

    seq: int
    quote: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger. `value` is verbatim; `detail` explains it. `status` is a word such as "open",
    "proven", "revoked". `salience` orders entries of one kind in a seed, higher first."""

    kind: EntryKind
    value: str
    evidence: tuple[Evidence, ...]
    detail: str = ""
    who: Who | None = None
    status: str = ""
    salience: float = 0.0

    @property
    def key(self) -> str:
        """Identity over versions and generations: the same kind and value are the same entry."""
        return hashlib.blake2b(
            f"{self.kind}\x00{self.value}".encode("utf-8", "surrogatepass"), digest_size=12
        ).hexdigest()


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries and the watermark: the last `seq` they cover (-1: nothing yet)."""

    entries: tuple[Entry, ...] = ()
    watermark: int = -1


@dataclass(frozen=True, slots=True)
class DeclaredInterrupt:
    """A cut the host declared before it acted. `after_seq`: the last stored `seq` at that time."""

    cause: str
    tool_use_ids: tuple[str, ...] = ()
    after_seq: int = -1


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What an extractor is given. `transcript` holds the session's records after `ledger.watermark`, in `seq` order;
    `ledger` is what is known so far, carried entries of earlier generations included."""

    session_id: str
    transcript: Transcript
    ledger: Ledger = Ledger()
    interrupts: tuple[DeclaredInterrupt, ...] = ()
