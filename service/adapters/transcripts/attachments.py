"""Claude Code's `attachment` records: what the harness slipped into the conversation beside the messages."""

from models.kinds import Author
from service.adapters.transcripts.blocks import TextReader, parse_content, written_by
from service.adapters.transcripts.fields import Object, is_object, object_of, strings_in, text_of
from service.adapters.transcripts.origin import is_persons
from service.domain.handoff import SEED_MARK
from service.domain.skips import SkipReason
from service.domain.transcript import Block, Text

_TOLD_TO_THE_MODEL = frozenset(
    {
        "edited_text_file",
        "file",
        "hook_additional_context",
        "hook_blocking_error",
        "hook_stopped_continuation",
        "hook_success",
        "nested_memory",
        "relevant_memories",
        "task_status",
    }
)
"""Types whose text says something about the work. The rest (about ninety) repeat listings, dates and reminders."""

_RUNTIME = written_by(Author.RUNTIME)


def parse_attachment(record: Object, read_text: TextReader) -> tuple[Block, ...] | SkipReason:
    """Blocks of an attachment that belongs to the conversation, or why it does not.

    `read_text` reads what a person typed. A `queued_command` is a prompt folded into a running turn; everything else
    is the runtime's, or a seed of ours that a hook brought in.
    """
    attachment = record.get("attachment")
    if not is_object(attachment):
        return SkipReason.MALFORMED
    kind = attachment.get("type")
    if kind == "queued_command":
        # commandMode "task-notification" and the like are prompts of the harness's own making.
        typed = attachment.get("commandMode", "prompt") == "prompt" and is_persons(attachment) and is_persons(record)
        blocks = parse_content(attachment.get("prompt"), read_text if typed else _RUNTIME)
        return SkipReason.MALFORMED if blocks is None else blocks
    if not isinstance(kind, str) or kind not in _TOLD_TO_THE_MODEL:
        return SkipReason.ATTACHMENT
    texts = [text for text in _texts(record, attachment) if text.strip()]
    if not texts:
        return SkipReason.ATTACHMENT
    return tuple(
        Text(text, Author.SUMMARY if text.lstrip().startswith(SEED_MARK) else Author.RUNTIME) for text in texts
    )


def _texts(record: Object, attachment: Object) -> list[str]:
    """The attachment's own words where it has some, else what was rendered for the model."""
    for key in ("content", "message", "snippet"):
        if texts := strings_in(attachment.get(key)):
            return texts
    error = text_of(object_of(attachment, "blockingError"), "blockingError")
    if error is not None:
        return [error]
    content = attachment.get("content")
    if is_object(content):
        return strings_in(content.get("content")) or strings_in(object_of(content, "file").get("content"))
    return strings_in(record.get("rendered"))
