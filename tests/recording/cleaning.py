"""What of a recorded session may be published: the conversation, without a vendor's texts and this machine's names."""

import getpass
import json
import re
import socket
from collections.abc import Iterable, Sequence
from typing import Any

_KEPT = ("user", "assistant", "system", "queue-operation", "last-prompt")
_KEPT_ATTACHMENTS = ("queued_command", "hook_additional_context", "hook_stopped_continuation")
_PATHS = re.compile(r"(?<![\w./-])/(?:work|root|home|Users|tmp|var|private|mnt|opt/|proc|dev/shm)\b[^\s\"\\]*")


def cleaned(lines: Iterable[bytes]) -> list[bytes]:
    """The records of the conversation, each as it was written but for one field.

    Dropped are the request-replay records and the attachments in which the CLI keeps its system prompt, tool
    descriptions, listings and reminders, and counters of the process. As parts of the chain fall out with them,
    `parentUuid` is set to the nearest ancestor that stays.
    """
    parents: dict[str, str | None] = {}
    kept: list[bytes] = []
    for line in lines:
        record = json.loads(line)
        parent = record.get("parentUuid")
        ancestor = parents.get(parent, parent)
        if _stays(record):
            if ancestor != parent:
                record["parentUuid"] = ancestor
                line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
            kept.append(line)
        elif "uuid" in record:
            parents[record["uuid"]] = ancestor
    return kept


def forbidden(text: str, *, names: Sequence[str] | None = None) -> list[str]:
    """Paths and names of a machine that occur in the text. `names`: this machine's and user's, unless given."""
    if names is None:
        names = (socket.gethostname(), getpass.getuser())
    found = _PATHS.findall(text)
    for name in names:
        found += re.findall(rf"\b{re.escape(name)}\b", text)
    return found


def _stays(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if kind == "attachment":
        return record["attachment"].get("type") in _KEPT_ATTACHMENTS
    return kind in _KEPT
