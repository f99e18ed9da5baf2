"""A reply as the server-sent events of a streamed response."""

import json
from collections.abc import Iterator, Mapping

from tests.endpoint.reply import Block, Reply

_PIECE = 400  # characters a delta carries; real ones are smaller, but nothing here depends on their number


def events(reply: Reply, model: str) -> Iterator[bytes]:
    """The stream from message_start to message_stop."""
    start = {**reply.message(model), "content": [], "stop_reason": None, "usage": reply.bill.usage(output_tokens=1)}
    yield _event("message_start", {"message": start})
    for index, block in enumerate(reply.blocks):
        empty, deltas = _opened(block)
        yield _event("content_block_start", {"index": index, "content_block": empty})
        for delta in deltas:
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    ending = {"stop_reason": reply.stop_reason, "stop_sequence": None}
    yield _event("message_delta", {"delta": ending, "usage": reply.bill.usage()})
    yield _event("message_stop", {})


def _opened(block: Block) -> tuple[Block, list[Mapping[str, object]]]:
    """The block as it starts, and the deltas that fill it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
        return {**block, "thinking": "", "signature": ""}, [
            *deltas,
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    if block["type"] == "tool_use":
        written = json.dumps(block["input"], ensure_ascii=False)
        return {**block, "input": {}}, [
            {"type": "input_json_delta", "partial_json": piece} for piece in _pieces(written)
        ]
    return block, []


def _pieces(text: object) -> list[str]:
    whole = str(text)
    return [whole[start : start + _PIECE] for start in range(0, len(whole), _PIECE)]


def _event(name: str, data: Mapping[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data}, ensure_ascii=False)}\n\n".encode()
