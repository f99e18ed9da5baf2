"""A real local HTTP server that answers like the Messages API, from a script instead of a model.

Programs are pointed at it with ANTHROPIC_BASE_URL. One subject a file: what a reply is (`reply`), who decides on it
(`script`), what was asked (`request`), how it travels (`sse`) and the server itself (`server`).
"""

from tests.endpoint.reply import Bill, Reply, say, think, use
from tests.endpoint.request import MessagesRequest
from tests.endpoint.script import Script, Scripted
from tests.endpoint.server import Endpoint

__all__ = ["Bill", "Endpoint", "MessagesRequest", "Reply", "Script", "Scripted", "say", "think", "use"]
