"""What a seed may say of each kind of entry: items, each shown whole or not at all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.domain.ledger import Entry

_RECENCY = 20.0
"""How many places of recency one step of salience is worth: a value acted on long ago still loses to today's."""


@dataclass(frozen=True, slots=True)
class Item:
    """Items of one `label` share a line: `label: a, b`. `value` is what must not be shown twice."""

    text: str
    label: str = ""
    value: str = ""

    @property
    def repeatable(self) -> bool:
        """Whether it may be left away where its value stands already."""
        return bool(self.value)


def plain_items(entries: Iterable[Entry]) -> list[Item]:
    return [Item(f"- {entry.value}") for entry in entries]


def rule_items(entries: Sequence[Entry]) -> list[Item]:
    """Newest first as given; those with the strongest words before the others."""
    ordered = sorted(entries, key=lambda entry: (entry.status == "revoked", -entry.salience))
    return [Item(_bulleted(entry.value) + _note(entry), value=_bulleted(entry.value)) for entry in ordered]


def task_items(entries: Sequence[Entry]) -> list[Item]:
    """The request first, then what was said last."""
    ordered = sorted(entries, key=lambda entry: -entry.salience)
    return [Item(_quoted(entry.value) if entry.salience else f"Then: {_quoted(entry.value)}") for entry in ordered]


def call_items(entries: Iterable[Entry]) -> list[Item]:
    return [Item(f"- {entry.value}" + (f" ({entry.detail})" if entry.detail else "")) for entry in entries]


def identifier_items(entries: Sequence[Entry]) -> list[Item]:
    """Entries come newest first. A value used lately, or acted on, comes before one that was only listed."""
    ranked = sorted(enumerate(entries), key=lambda pair: (pair[0] - _RECENCY * pair[1].salience, pair[0]))
    return [Item(entry.value, _role(entry.detail), entry.value) for _, entry in ranked]


def _role(detail: str) -> str:
    """The field it stood in, which says what the value is; else in a word where it came from."""
    field, colon, _ = detail.partition(": ")
    if colon:
        return field
    return "said by the user" if detail.startswith("said by") else "mentioned"


def _note(entry: Entry) -> str:
    return f" [{entry.detail}]" if entry.status == "revoked" else ""


def _bulleted(text: str) -> str:
    return text if text[:1] in "-*•" else f"- {text}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
