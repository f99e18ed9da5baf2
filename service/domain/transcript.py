"""The canonical transcript: what every format is read into and everything else is computed from.

A `Record` is one stored line of a session that belongs to its conversation. Lines that do not (bookkeeping, replays,
sidechains, unreadable bytes) stay in the store and are only counted here, by reason.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from models.kinds import Author


@dataclass(frozen=True, slots=True)
class Text:
    """Prose. `author` is who really wrote it: text in a user-role record may be the harness's."""

    text: str
    author: Author


@dataclass(frozen=True, slots=True)
class Thinking:
    text: str
    signed: bool


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call. `input` is the parsed JSON object; `input_json` the same as compact JSON, not ASCII-escaped."""

    id: str
    name: str
    input: Mapping[str, object]
    input_json: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back. `denial` is the harness's own word for a call that did not run to its end
    (Claude Code's `toolDenialKind`), a hint and never the only signal."""

    tool_use_id: str
    text: str
    is_error: bool = False
    denial: str | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """An image, document or other binary block; only named, its bytes stay in the store."""

    media_type: str


Block = Text | Thinking | ToolUse | ToolResult | Media


@dataclass(frozen=True, slots=True)
class Usage:
    """The API's bill for one response, tokens. Cached tokens count."""

    input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.cache_read_input_tokens + self.cache_creation_input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the conversation at position `seq` (arrival order, never a clock).

    `role` is the wire's ("user", "assistant", "system"); `message_id` groups the records of one API response.
    `usage` is set on assistant records of a real model only. `compact_boundary` marks a native compaction.
    """

    seq: int
    role: str
    blocks: tuple[Block, ...]
    uuid: str | None = None
    message_id: str | None = None
    usage: Usage | None = None
    compact_boundary: bool = False

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolResult))

    def texts(self, author: Author) -> Iterator[str]:
        """The texts of this record that `author` wrote."""
        return (block.text for block in self.blocks if isinstance(block, Text) and block.author is author)


@dataclass(frozen=True, slots=True)
class Transcript:
    """Records in `seq` order, and how many lines were left out of the view, by reason."""

    records: tuple[Record, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    system: str | None = None
