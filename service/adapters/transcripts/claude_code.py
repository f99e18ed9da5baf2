"""Claude Code's JSONL: a session file, or a subagent's own file, one record a line.

Which fields exist, and what they have meant over the releases, differs widely between files; nothing here depends on
more than `type` and `message`.
"""

from collections import Counter
from collections.abc import Iterable

from models.kinds import Author, TranscriptFormat
from service.adapters.transcripts.attachments import parse_attachment
from service.adapters.transcripts.authorship import text_blocks
from service.adapters.transcripts.blocks import TextReader, parse_content, written_by
from service.adapters.transcripts.denials import denial_of, typed_answers, words_of_refusal
from service.adapters.transcripts.fields import Object, is_object, text_of
from service.adapters.transcripts.lines import parse_object
from service.adapters.transcripts.origin import is_persons
from service.adapters.transcripts.record_types import BOOKKEEPING, CONVERSATION, REPLAY
from service.adapters.transcripts.usage import parse_usage
from service.domain.skips import SkipReason
from service.domain.transcript import Block, Record, Text, ToolResult, Transcript

_RUNTIME = written_by(Author.RUNTIME)
_SUMMARY = written_by(Author.SUMMARY)
_ASSISTANT = written_by(Author.ASSISTANT)
_SYSTEM_TEXTS = ("local_command", "informational")


class ClaudeCodeReader:
    """Reads session files of every release met so far (1.0 to 2.1). Never raises on content."""

    @property
    def format(self) -> TranscriptFormat:
        return TranscriptFormat.CLAUDE_CODE

    def read(self, lines: Iterable[tuple[int, bytes]], *, system: str | None = None) -> Transcript:
        reading = _Reading()
        for seq, line in lines:
            reading.add(seq, line)
        return reading.finish(system)

    def record_uuid(self, line: bytes) -> str | None:
        record = parse_object(line)
        return None if isinstance(record, SkipReason) else text_of(record, "uuid")


class _Reading:
    """One pass over lines. Sidechain records are kept apart until it is known whose file this is."""

    def __init__(self) -> None:
        self.main: list[Record] = []
        self.sidechain: list[Record] = []
        self.agents: set[str | None] = set()
        self.skipped: Counter[str] = Counter()
        self.first_seq: int | None = None
        self.uuids: set[str] = set()
        self.tools: dict[str, str] = {}

    def add(self, seq: int, line: bytes) -> None:
        if self.first_seq is None:
            self.first_seq = seq
        record = parse_object(line)
        found = record if isinstance(record, SkipReason) else self._read(seq, record)
        if isinstance(found, SkipReason):
            self.skipped[found] += 1

    def finish(self, system: str | None) -> Transcript:
        records = self.main
        # A file of nothing but one sidechain is a subagent's own. Of a part of a file only an agent's id can tell:
        # old session files hold whole runs of sidechain lines, and those have none.
        own = not self.main and (self.first_seq == 0 or (len(self.agents) == 1 and None not in self.agents))
        if own:
            records = self.sidechain
        elif self.sidechain:
            self.skipped[SkipReason.SIDECHAIN] += len(self.sidechain)
        return Transcript(tuple(records), dict(self.skipped), system)

    def _read(self, seq: int, record: Object) -> SkipReason | None:
        kind = record.get("type")
        if not isinstance(kind, str):
            return SkipReason.UNKNOWN_TYPE if kind is None else SkipReason.MALFORMED
        if kind not in CONVERSATION:
            return _reason(kind)
        uuid = text_of(record, "uuid")
        if uuid is not None and uuid in self.uuids:
            return SkipReason.DUPLICATE_UUID
        sidechain = record.get("isSidechain") is True
        found = self._parse(seq, kind, record, uuid, typed_by_person=not sidechain)
        if isinstance(found, SkipReason):
            return found
        if uuid is not None:
            self.uuids.add(uuid)
        self.tools.update((call.id, call.name) for call in found.tool_uses)
        if sidechain:
            self.agents.add(text_of(record, "agentId"))
        (self.sidechain if sidechain else self.main).append(found)
        return None

    def _parse(
        self, seq: int, kind: str, record: Object, uuid: str | None, *, typed_by_person: bool
    ) -> Record | SkipReason:
        # What opens a sidechain was written by another agent.
        read_text: TextReader = text_blocks if typed_by_person else _RUNTIME
        if kind == "system":
            return _parse_system(seq, record, uuid)
        if kind == "attachment":
            blocks = parse_attachment(record, read_text)
            return blocks if isinstance(blocks, SkipReason) else Record(seq, "user", blocks, uuid)
        message = record.get("message")
        if not is_object(message) or message.get("role", kind) != kind:
            return SkipReason.MALFORMED
        if kind == "assistant":
            return _parse_assistant(seq, record, message, uuid)
        return self._parse_user(seq, record, message, uuid, read_text)

    def _parse_user(
        self, seq: int, record: Object, message: Object, uuid: str | None, read_text: TextReader
    ) -> Record | SkipReason:
        if record.get("isCompactSummary") is True:
            read_text = _SUMMARY
        elif not is_persons(record):
            read_text = _seed_or_runtime
        blocks = parse_content(message.get("content"), read_text)
        if blocks is None:
            return SkipReason.MALFORMED
        return Record(seq, "user", tuple(self._with_denials(record, blocks)), uuid)

    def _with_denials(self, record: Object, blocks: tuple[Block, ...]) -> Iterable[Block]:
        """The blocks, results marked with their denial, then what the person said by way of a result."""
        said: list[str] = []
        for block in blocks:
            if not isinstance(block, ToolResult):
                yield block
                continue
            tool = self.tools.get(block.tool_use_id)
            result = ToolResult(block.tool_use_id, block.text, block.is_error, denial_of(record, block))
            yield result
            words = words_of_refusal(record, result, tool)
            said += [words] if words is not None else typed_answers(record, tool)
        if record.get("isSidechain") is not True:
            yield from (Text(words, Author.PERSON) for words in said)


def _parse_assistant(seq: int, record: Object, message: Object, uuid: str | None) -> Record | SkipReason:
    # The harness words its own failures as an answer of a model called <synthetic>.
    synthetic = message.get("model") == "<synthetic>" or record.get("isApiErrorMessage") is True
    blocks = parse_content(message.get("content"), _RUNTIME if synthetic else _ASSISTANT)
    if blocks is None:
        return SkipReason.MALFORMED
    usage = None if synthetic else parse_usage(message.get("usage"))
    return Record(seq, "assistant", blocks, uuid, text_of(message, "id"), usage)


def _parse_system(seq: int, record: Object, uuid: str | None) -> Record | SkipReason:
    subtype = record.get("subtype")
    content = text_of(record, "content")
    blocks = () if content is None else (Text(content, Author.RUNTIME),)
    if subtype == "compact_boundary":
        return Record(seq, "system", blocks, uuid, compact_boundary=True)
    if subtype in _SYSTEM_TEXTS and blocks:
        return Record(seq, "system", blocks, uuid)
    return SkipReason.SYSTEM_NOTE


def _seed_or_runtime(text: str) -> Iterable[Text]:
    pieces = text_blocks(text)
    return pieces if pieces and pieces[0].author is Author.SUMMARY else _RUNTIME(text)


def _reason(kind: str) -> SkipReason:
    if kind in REPLAY:
        return SkipReason.REPLAY
    if kind == "progress":
        return SkipReason.PROGRESS
    return SkipReason.BOOKKEEPING if kind in BOOKKEEPING else SkipReason.UNKNOWN_TYPE
