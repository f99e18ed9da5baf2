"""Short ways to write a transcript down in a test."""

import json

from models.kinds import Author
from service.domain.ledger import DeclaredInterrupt, Entry, ExtractionInput, Ledger
from service.domain.scan import scan
from service.domain.transcript import Record, Text, ToolResult, ToolUse, Transcript

REJECTION = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)
NOTHING_KNOWN = Ledger()
MARKER = "[Request interrupted by user for tool use]"


def use(call_id: str, name: str, **arguments: object) -> ToolUse:
    return ToolUse(call_id, name, arguments, json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))


def says(seq: int, text: str, author: Author = Author.PERSON) -> Record:
    role = "assistant" if author is Author.ASSISTANT else "user"
    return Record(seq, role, (Text(text, author),), message_id=f"m{seq}" if role == "assistant" else None)


def agent(seq: int, text: str) -> Record:
    return says(seq, text, Author.ASSISTANT)


def calls(seq: int, *uses: ToolUse, message_id: str | None = None) -> Record:
    return Record(seq, "assistant", uses, message_id=message_id or f"m{seq}")


def gives(seq: int, call_id: str, text: str, *, error: bool = False, denial: str | None = None) -> Record:
    return Record(seq, "user", (ToolResult(call_id, text, error, denial),))


def rejected(seq: int, *ids: str) -> Record:
    return Record(seq, "user", tuple(ToolResult(i, REJECTION, is_error=True) for i in ids))


def marker(seq: int) -> Record:
    return says(seq, MARKER, Author.RUNTIME)


def job(
    *records: Record,
    ledger: Ledger = NOTHING_KNOWN,
    system: str | None = None,
    interrupts: tuple[DeclaredInterrupt, ...] = (),
) -> ExtractionInput:
    return ExtractionInput("s-1", Transcript(records, system=system), ledger, interrupts)


def found(*records: Record, interrupts: tuple[DeclaredInterrupt, ...] = ()) -> tuple[Entry, ...]:
    return scan(job(*records, interrupts=interrupts))


def of(entries: tuple[Entry, ...], kind: str) -> list[Entry]:
    return [entry for entry in entries if entry.kind == kind]
