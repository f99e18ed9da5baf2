"""Who really wrote the text of a user-role record.

A user role on the wire proves little: harnesses put reminders, command output, notices and summaries there. What is
recognised here is taken from the person, never given to them, so a forged mark can hide words but not promote any.
"""

import re

from models.kinds import Author
from service.domain.handoff import SEED_MARK
from service.domain.transcript import Text

_MARKERS = ("[Request interrupted by user", "[Request interrupted: ", "[Image: source: ")
_HARNESS_TAGS = (
    "system-reminder",
    "task-notification",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "user-prompt-submit-hook",
    "user-memory-input",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "persisted-output",
)
_OPENING = re.compile(rf"<({'|'.join(_HARNESS_TAGS)})(?:\s[^<>]*)?>")


def text_blocks(text: str) -> tuple[Text, ...]:
    """The text in pieces of one author each, in order, every piece a slice of it; only blanks fall away.

    A harness element reaches from its first opening tag to the last closing tag of that name, or to the end where
    there is none: what it holds may be foreign and close it early to speak in the person's name. A tag that is never
    closed in the middle of a line is someone writing about tags.
    """
    if not text.strip():
        return ()
    if text.lstrip().startswith(SEED_MARK):
        return (Text(text, Author.SUMMARY),)
    if text.lstrip().startswith(_MARKERS) and text.rstrip().endswith("]"):
        return (Text(text, Author.RUNTIME),)
    pieces: list[Text] = []
    position = searched = 0
    while opening := _OPENING.search(text, searched):
        name = opening[1]
        closing = text.rfind(f"</{name}>", opening.end())
        if closing < 0 and text[position : opening.start()].rpartition("\n")[2].strip():
            searched = opening.end()
            continue
        _add(pieces, text[position : opening.start()], Author.PERSON)
        inner_end, searched = (len(text), len(text)) if closing < 0 else (closing, closing + len(name) + 3)
        position = searched
        if name == "command-args":
            # The one element whose content the person typed: "/release never skip the checks".
            _add(pieces, text[opening.end() : inner_end], Author.PERSON)
        else:
            _add(pieces, text[opening.start() : position], Author.RUNTIME)
    _add(pieces, text[position:], Author.PERSON)
    return tuple(pieces)


def _add(pieces: list[Text], text: str, author: Author) -> None:
    # Blank space between elements is nobody's words. A sole piece keeps every byte.
    if text.strip():
        pieces.append(Text(text, author))
