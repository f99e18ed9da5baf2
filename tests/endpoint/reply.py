"""One answer of the model: content blocks and a bill."""

from collections.abc import Mapping
from dataclasses import dataclass

Block = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens of one response, as the API's `usage` names them."""

    input_tokens: int = 12
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    output_tokens: int = 8

    def usage(self, *, output_tokens: int | None = None) -> dict[str, object]:
        """The `usage` object; at the start of a stream only a first output token is known."""
        return {
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": self.cache_creation_input_tokens,
            "cache_read_input_tokens": self.cache_read_input_tokens,
            "output_tokens": self.output_tokens if output_tokens is None else output_tokens,
            "service_tier": "standard",
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """`message_id` begins with "msg_". The stop reason follows from the blocks."""

    message_id: str
    blocks: tuple[Block, ...]
    bill: Bill = Bill()

    @property
    def stop_reason(self) -> str:
        return "tool_use" if any(block["type"] == "tool_use" for block in self.blocks) else "end_turn"

    def message(self, model: str) -> dict[str, object]:
        """The body of an answer that is not streamed."""
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": list(self.blocks),
            "stop_reason": self.stop_reason,
            "stop_sequence": None,
            "usage": self.bill.usage(),
        }


def say(text: str) -> Block:
    return {"type": "text", "text": text}


def think(thinking: str, signature: str) -> Block:
    return {"type": "thinking", "thinking": thinking, "signature": signature}


def use(call_id: str, name: str, arguments: Mapping[str, object]) -> Block:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
