"""Sections of a seed, and how a budget is shared out among them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from service.domain.occurrence import stands_in
from service.domain.seed_items import Item

PACKED_LINE = 260
"""Characters of a line of several calls: the tool's name is never far from any of them."""


@dataclass(slots=True)
class Section:
    """`items` in the order in which they are wanted. `share` of the room is theirs before anything is left over.

    Sections choose in the order of `turn`. `forward` shows what was chosen in the reverse order: wanted newest
    first, told oldest first.
    """

    title: str
    what: str
    share: float
    items: Sequence[Item]
    turn: int = 1
    forward: bool = False
    chosen: set[int] = field(default_factory=set)
    whole: set[int] = field(default_factory=set)
    elsewhere: int = 0

    @property
    def left_out(self) -> int:
        return len(self.items) - len(self.chosen) - self.elsewhere

    def text(self) -> str:
        groups: dict[str, list[int]] = {}
        for index in sorted(self.chosen, reverse=self.forward):
            groups.setdefault(self.items[index].label or f"\n{index}", []).append(index)
        lines = [f"## {self.title}"]
        for label, indexes in groups.items():
            texts = [self.items[i].text if i in self.whole else self.items[i].short for i in indexes]
            first = self.items[indexes[0]]
            if not first.label:
                lines += texts
            elif first.own_line:
                lines += [f"{label}:", *texts]
            elif first.packed:
                lines += _packed(label, texts)
            else:
                lines.append(f"{label}: {', '.join(texts)}")
        return "\n".join(lines)

    def drop_one(self) -> bool:
        """Give up the least wanted of what was chosen."""
        if not self.chosen:
            return False
        self.chosen.remove(max(self.chosen))
        return True


def _packed(label: str, texts: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for text in texts:
        if lines and len(lines[-1]) + len(text) + 2 <= PACKED_LINE:
            lines[-1] += f"; {text}"
        else:
            lines.append(f"{label} {text}")
    return lines


def share_out(sections: Sequence[Section], room: int) -> None:
    """Choose items of all sections, so that their texts and the blank lines between them fit into `room`.

    First each section's own share in brief, then the whole of what was chosen, then what is left over.
    """
    whole, shown = room, ""
    in_turn = sorted(sections, key=lambda section: section.turn)
    for section in in_turn:
        shown, room = _fill(section, int(section.share * whole), shown, room)
    for section in in_turn:
        room = _lengthen(section, room)
    for section in in_turn:
        shown, room = _fill(section, room + _size(section), shown, room)
    for section in in_turn:
        room = _lengthen(section, room)


def _fill(section: Section, limit: int, shown: str, room: int) -> tuple[str, int]:
    used = _size(section)
    labels = {section.items[index].label for index in section.chosen}
    section.elsewhere = 0
    for index, item in enumerate(section.items):
        if index in section.chosen:
            continue
        if item.value and stands_in(shown, item.value):
            section.elsewhere += 1
            continue
        cost = len(item.short) + 2
        if not section.chosen:
            cost += len(section.title) + 6
        if item.packed:
            cost += len(item.label) * (len(item.short) + 2) // (PACKED_LINE // 2) + 1
        elif item.label not in labels:
            cost += len(item.label) + 2
        if cost > room or used + cost > limit:
            continue
        section.chosen.add(index)
        labels.add(item.label)
        shown += item.short + "\n"
        used += cost
        room -= cost
    return shown, room


def _lengthen(section: Section, room: int) -> int:
    for index in sorted(section.chosen - section.whole):
        more = len(section.items[index].text) - len(section.items[index].short)
        if more <= room:
            section.whole.add(index)
            room -= more
    return room


def _size(section: Section) -> int:
    return len(section.text()) + 2 if section.chosen else 0
