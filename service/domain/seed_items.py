"""What a seed may say of each kind of entry: items, each shown whole or not at all."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.domain.identifiers import ACTED, LISTED
from service.domain.ledger import Entry

_RECENCY = 20.0
"""How many places of recency one step of salience is worth: a value used long ago still loses to today's."""

_UNTELLING = 30
"""How many prices, times and counts that were only listed are worth showing, after everything else."""

_NAMED_ARGUMENT = re.compile(r' [\w.-]+=("(?:[^"\\]|\\.)*"|\S+)')
_NUMBER = re.compile(r'"?(?:[-\d.,]*|true|false)"?')
_LONG = 62
"""Characters of an argument, quotes included, from which on a brief line does without it."""


@dataclass(frozen=True, slots=True)
class Item:
    """Items of one `label` stand together: on one line, or under it (`own_line`), or on a few lines that each begin
    with it (`packed`).

    `brief` is what is shown when there is no room for `text`. `value` need not be shown where it stands already.
    """

    text: str
    label: str = ""
    value: str = ""
    brief: str = ""
    own_line: bool = False
    packed: bool = False

    @property
    def short(self) -> str:
        return self.brief or self.text


def plain_items(entries: Iterable[Entry]) -> list[Item]:
    return [Item(f"- {entry.value}") for entry in entries]


def rule_items(entries: Iterable[Entry]) -> list[Item]:
    """General ones first, newest first, revoked ones last. A rule that stands in the task is not said again."""
    ordered = sorted(entries, key=lambda entry: (entry.status == "revoked", -entry.salience))
    return [Item(_bulleted(entry.value) + _note(entry), value=entry.value) for entry in ordered]


def task_items(entries: Sequence[Entry]) -> list[Item]:
    """The request first, then what was said last."""
    ordered = sorted(entries, key=lambda entry: -entry.salience)
    return [Item(_quoted(entry.value) if entry.salience else f"Then:\n{_quoted(entry.value)}") for entry in ordered]


def call_items(entries: Iterable[Entry]) -> list[Item]:
    """A call a line, with what is to be said of it; the names of its arguments only where there is room."""
    return [
        Item(f"- {entry.value}{_remark(entry)}", brief=f"- {_brief(entry.value)}{_remark(entry)}") for entry in entries
    ]


def packed_call_items(entries: Iterable[Entry]) -> list[Item]:
    """Calls of one tool side by side, its name before every few of them."""
    items = []
    for entry in entries:
        name, _, arguments = entry.value.partition(" ")
        text = f"{arguments}{_remark(entry)}".strip() or "(no arguments)"
        items.append(
            Item(text, label=f"- {name}", brief=f"{_brief(' ' + arguments)}{_remark(entry)}".strip(), packed=True)
        )
    return items


def exact_call_items(entries: Iterable[Entry]) -> list[Item]:
    """Calls with every argument, under what is to be said of them."""
    return [Item(f"- {entry.value}", label=entry.detail, own_line=True) for entry in entries]


def current_items(entries: Sequence[Entry]) -> list[Item]:
    """Entries come newest first. Of what was met lately, what was acted on, said or used comes before the listed."""

    def place(age: int, entry: Entry) -> float:
        return age - _RECENCY * entry.salience + len(entry.value) / 4

    ranked = sorted(enumerate(entries), key=lambda pair: (place(*pair), pair[0]))
    telling = [_value_item(entry) for _, entry in ranked if entry.salience > LISTED]
    return telling + [_value_item(entry) for _, entry in ranked if entry.salience <= LISTED][:_UNTELLING]


def acted_items(entries: Iterable[Entry]) -> list[Item]:
    """What a write changed or made, newest first, however long ago."""
    return [_value_item(entry) for entry in entries if entry.salience >= ACTED]


def _value_item(entry: Entry) -> Item:
    return Item(entry.value, label=_role(entry.detail), value=entry.value)


def _role(detail: str) -> str:
    """The field it stood in, which says what the value is; else in a word where it came from."""
    field, colon, _ = detail.partition(": ")
    if colon:
        return field
    return "said by the user" if detail.startswith("said by") else "mentioned"


def _brief(value: str) -> str:
    """A call without the names of its arguments, but for numbers, and without what is long."""
    return _NAMED_ARGUMENT.sub(_brief_argument, value)


def _brief_argument(match: re.Match[str]) -> str:
    if len(match[1]) > _LONG:
        return ""
    return match[0] if _NUMBER.fullmatch(match[1]) else f" {match[1]}"


def _remark(entry: Entry) -> str:
    return f" ({entry.detail})" if entry.detail else ""


def _note(entry: Entry) -> str:
    return f" [{entry.detail}]" if entry.status == "revoked" else ""


def _bulleted(text: str) -> str:
    return text if text[:1] in "-*•" else f"- {text}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
