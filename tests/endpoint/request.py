"""What a client asked."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MessagesRequest:
    """The body of a POST to /v1/messages or /v1/messages/count_tokens."""

    path: str
    body: Mapping[str, object]

    @property
    def model(self) -> str:
        model = self.body.get("model")
        return model if isinstance(model, str) else "unknown"

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True

    @property
    def messages(self) -> list[Mapping[str, object]]:
        messages = self.body.get("messages")
        return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []

    @property
    def tool_names(self) -> frozenset[str]:
        tools = self.body.get("tools")
        named = (tool.get("name") for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()
        return frozenset(name for name in named if isinstance(name, str))

    @property
    def answers_so_far(self) -> int:
        """Assistant messages in the history: which answer of the conversation is asked for."""
        return sum(message.get("role") == "assistant" for message in self.messages)
