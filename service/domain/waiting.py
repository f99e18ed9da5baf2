"""What is open when the transcript ends: the task, the next step, and what was put to the user."""

from collections.abc import Iterator, Sequence

from models.kinds import Author, EntryKind, Who
from service.domain.ask_cues import ASKS
from service.domain.ledger import Entry, Evidence
from service.domain.sentences import sentences
from service.domain.transcript import Record

TASK = 1_200
"""Characters of the open task that are kept, word for word: whole sentences from its beginning."""
_LOOKED_AT = 2_000
"""Characters of a sentence, from its end, that are searched for a question: some texts hold no full stop."""

_SUBSTANCE = 40
"""Characters from which on a person's words are taken for a request and not for an answer."""


def waiting_on_user(records: Sequence[Record]) -> Entry | None:
    """The assistant's last words, if they ask something of the user and nothing came after them."""
    asked = _last_words(records)
    if asked is None:
        return None
    seq, text = asked
    value = _question(text)
    if value is None:
        return None
    return Entry(
        EntryKind.WAITING_ON,
        value,
        (Evidence(seq, value),),
        "asked, no answer yet; nothing that hangs on it was done",
        who=Who.USER,
        status="open",
    )


_FEWEST_LETTERS = 4
"""A closing brace or "OK:" is no step."""


def open_task(records: Sequence[Record]) -> Iterator[Entry]:
    """The person's last request in their own words, and what they said since."""
    said = [(record.seq, text.strip()) for record in records for text in record.texts(Author.PERSON) if text.strip()]
    request = next(((seq, text) for seq, text in reversed(said) if len(text) >= _SUBSTANCE), said[-1] if said else None)
    if request is None:
        return
    seq, text = request
    value = beginning(text, TASK)
    yield Entry(
        EntryKind.OPEN_TASK, value, (Evidence(seq, value[:280]),), "asked by the user", status="open", salience=1.0
    )
    later = said[-1]
    if later[0] > seq:
        value = beginning(later[1], TASK)
        yield Entry(
            EntryKind.OPEN_TASK, value, (Evidence(later[0], value[:280]),), "said last by the user", status="open"
        )


def next_step(records: Sequence[Record]) -> Entry | None:
    """What the assistant said it would do, where the records end in the middle of doing it: calls followed its words.
    Words that nothing followed were its answer, and no step."""
    acting = False
    for record in reversed(records):
        if any(record.texts(Author.PERSON)):
            return None
        acting = acting or bool(record.tool_uses or record.tool_results)
        said = [text for text in record.texts(Author.ASSISTANT) if text.strip()]
        if record.role == "assistant" and said:
            parts = list(sentences(said[-1]))
            value = parts[-1] if parts else ""
            letters = sum(character.isalpha() for character in value)
            if not acting or letters < _FEWEST_LETTERS or len(value) > 400:
                return None
            return Entry(EntryKind.NEXT_STEP, value, (Evidence(record.seq, value),), "said by the agent")
    return None


def spoke(records: Sequence[Record]) -> bool:
    """Whether a person or the agent said or did anything in these records."""
    return any(
        (record.role == "assistant" and record.blocks) or any(record.texts(Author.PERSON)) or record.tool_results
        for record in records
    )


def beginning(text: str, room: int) -> str:
    """The text, or as many whole sentences of it as fit, or its first words: a slice from the start either way."""
    if len(text) <= room:
        return text
    end = 0
    for sentence in sentences(text):
        at = text.find(sentence, end)
        if at < 0 or at + len(sentence) > room:
            break
        end = at + len(sentence)
    return text[:end] if end >= room // 3 else text[:room].rsplit(" ", 1)[0]


def _last_words(records: Sequence[Record]) -> tuple[int, str] | None:
    for record in reversed(records):
        if any(record.texts(Author.PERSON)) or record.tool_results or record.tool_uses:
            return None
        texts = [text for text in record.texts(Author.ASSISTANT) if text.strip()]
        if texts:
            return record.seq, texts[-1]
    return None


def _question(text: str) -> str | None:
    """The last sentence that asks, with what follows it, short enough to be read at a glance."""
    parts = list(sentences(text))
    asking = [part for part in parts if ASKS.search(part[-_LOOKED_AT:])]
    if not asking:
        return None
    value = asking[-1]
    return value if len(value) <= 600 else value[-600:].split(" ", 1)[-1]
