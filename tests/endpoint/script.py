"""Who decides what is answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.endpoint.reply import Bill, Reply, say
from tests.endpoint.request import MessagesRequest


class Script(Protocol):
    def reply(self, request: MessagesRequest) -> Reply:
        """The answer to a request. Called from several threads; the same request may come twice (a retry)."""
        ...


@dataclass(frozen=True, slots=True)
class Scripted:
    """A conversation's answers in order.

    The position is read from the request's own history, so a retried request gets the same answer again. Requests
    that carry none of the conversation's tools are the client's side errands (a title, a topic) and get one word.
    """

    replies: Sequence[Reply]
    conversation_tool: str = "Bash"

    def reply(self, request: MessagesRequest) -> Reply:
        if self.conversation_tool not in request.tool_names:
            return Reply("msg_aside", (say("ok"),), Bill())
        position = request.answers_so_far
        if position >= len(self.replies):
            return Reply("msg_past_the_script", (say("The script has ended."),), Bill())
        return self.replies[position]
