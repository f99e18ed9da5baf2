"""Messages-API content blocks to the blocks of the domain. Every format that carries them shares this."""

import json
from collections.abc import Callable, Iterable
from typing import Final

import orjson

from models.kinds import Author
from service.adapters.transcripts.fields import Object, is_object, object_of, strings_in, text_of
from service.domain.transcript import Block, Media, Text, Thinking, ToolResult, ToolUse

TextReader = Callable[[str], Iterable[Text]]
"""What a text block becomes: one Text, or several where authors are mixed, or none for blank text."""

_MEDIA: Final = {"image": "image/*", "document": "application/octet-stream", "audio": "audio/*", "video": "video/*"}
_COMPACT_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def written_by(author: Author) -> TextReader:
    """A reader that gives every text to one author."""
    return lambda text: (Text(text, author),) if text.strip() else ()


def parse_content(content: object, read_text: TextReader) -> tuple[Block, ...] | None:
    """A message's `content`: a string or a list of blocks. None when it is neither.

    Blocks of an unknown type, and items that are no blocks, are passed over.
    """
    if isinstance(content, str):
        return tuple(read_text(content))
    if not isinstance(content, list):
        return None
    blocks: list[Block] = []
    for item in content:
        if isinstance(item, str):
            blocks.extend(read_text(item))
        elif is_object(item):
            blocks.extend(_parse_block(item, read_text))
    return tuple(blocks)


def _parse_block(block: Object, read_text: TextReader) -> Iterable[Block]:
    kind = block.get("type")
    if not isinstance(kind, str):
        return ()
    if kind == "text":
        text = text_of(block, "text")
        return () if text is None else read_text(text)
    if kind in ("thinking", "redacted_thinking"):
        # Redacted thinking is only its signature.
        signed = kind == "redacted_thinking" or text_of(block, "signature") is not None
        return (Thinking(text_of(block, "thinking") or "", signed),)
    if kind.endswith("tool_use"):  # server_tool_use and mcp_tool_use are calls too
        return _parse_tool_use(block)
    if kind.endswith("tool_result"):
        return _parse_tool_result(block)
    if kind == "compaction":
        return (Text(text, Author.SUMMARY) for text in strings_in(block.get("content")) if text.strip())
    return () if kind not in _MEDIA else (_parse_media(block, kind),)


def _parse_tool_use(block: Object) -> Iterable[Block]:
    call_id = text_of(block, "id")
    if call_id is None:  # can neither be answered nor named as evidence
        return ()
    arguments = block.get("input")
    return (
        ToolUse(
            id=call_id,
            name=text_of(block, "name") or "",
            input=arguments if is_object(arguments) else {},
            input_json=compact_json({} if arguments is None else arguments),
        ),
    )


def _parse_tool_result(block: Object) -> Iterable[Block]:
    call_id = text_of(block, "tool_use_id")
    if call_id is None:
        return ()
    content = block.get("content")
    media: list[Block] = []
    if isinstance(content, list):
        kinds = ((item, item.get("type")) for item in content if is_object(item))
        media = [_parse_media(item, kind) for item, kind in kinds if isinstance(kind, str) and kind in _MEDIA]
    elif is_object(content):  # a server tool's result or error is one object
        content = [content, *strings_in(content.get("error_code")), *strings_in(content.get("stdout"))]
    text = "\n".join(strings_in(content))
    return (ToolResult(call_id, text, block.get("is_error") is True), *media)


def _parse_media(block: Object, kind: str) -> Media:
    return Media(text_of(object_of(block, "source"), "media_type") or _MEDIA[kind])


def compact_json(value: object) -> str:
    """Compact JSON in the order of its keys, not ASCII-escaped."""
    try:
        return _COMPACT_JSON.encode(value)
    except RecursionError:
        return orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_DATACLASS).decode()
