"""Names of things: ids, paths, addresses, amounts, each with the role it played.

Found by position first (a field of a call's arguments or of a result), by shape only where there is no position.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from models.kinds import Author, EntryKind
from service.domain.call_text import leaves_of, scalars
from service.domain.calls import Call
from service.domain.created import created_values
from service.domain.fields import is_id_field
from service.domain.ledger import Entry, Evidence
from service.domain.occurrence import escaped, stands_in
from service.domain.outcomes import had_effect, unwrapped
from service.domain.shapes import named_in, telling
from service.domain.transcript import Record, ToolResult

ACTED, SAID, CALLED, LISTED = 4.0, 3.0, 2.0, 1.0
"""Salience by what happened to a value: in a write that worked, said by the user, in any other call, only seen."""

REPEATED = 0.25
"""More salience for a value met in several records; with the rank of its field it stays below the next tier."""

LISTED_KEPT = 600
"""Values that were only seen in results are kept this many, the newest: they are what the next call may need."""
_LEAVES = 4_000
_PROSE = 40_000
"""Values and characters looked at of one result; a longer one is data, not names."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Sighting:
    value: str
    seq: int
    salience: float
    role: str
    quote: str


class Identifiers:
    """Values by their text, in the order in which they were last met."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._first: dict[str, int] = dict.fromkeys(known, -1)
        self._best: dict[str, Sighting] = {}
        self._again: set[str] = set()
        self.created: dict[tuple[int, str], tuple[tuple[str, str], ...]] = {}
        """By seq and id of a call that worked: (field, value) of the ids it made."""

    def meet(self, sighting: Sighting) -> None:
        self._first.setdefault(sighting.value, sighting.seq)
        known = self._best.pop(sighting.value, None)  # popped and put back: the last met stands last
        if known is not None:
            if known.seq != sighting.seq and sighting.value not in self._again:
                self._again.add(sighting.value)
            if known.salience >= sighting.salience:
                sighting = replace(known, role=known.role if ":" in known.role else sighting.role)
        self._best[sighting.value] = sighting

    def first_met(self, value: str) -> int | None:
        return self._first.get(value)

    def entries(self) -> Iterator[Entry]:
        """Oldest mention first."""
        listed = [value for value, found in self._best.items() if found.salience < CALLED]
        old = set(listed[:-LISTED_KEPT])
        for value, found in self._best.items():
            if value not in old:
                evidence = (Evidence(found.seq, found.quote),)
                salience = found.salience + (REPEATED if value in self._again else 0)
                yield Entry(EntryKind.IDENTIFIER, value, evidence, found.role, salience=salience)


def find_identifiers(records: Sequence[Record], calls: Sequence[Call], known: Iterable[str] = ()) -> Identifiers:
    """`known`: values met before these records; a call cannot have made them."""
    found = Identifiers(known)
    made_at = {(call.seq, call.use.id): call for call in calls}
    answered_by = {(call.result_seq, call.use.id): call for call in calls}
    for record in records:
        for text in record.texts(Author.PERSON):
            for value in named_in(text, capitals=True):
                found.meet(Sighting(value, record.seq, SAID + telling(value) / 2, "said by the user", value))
        for use in record.tool_uses:
            for sighting in _in_arguments(record.seq, made_at[record.seq, use.id]):
                found.meet(sighting)
        for result in record.tool_results:
            call = answered_by.get((record.seq, result.tool_use_id))
            created = _created(found, call) if call is not None else ()
            # Escapes inside escapes glue letters to words that were never apart: only what stands in the bytes counts.
            nested = "\\u" in result.text
            for sighting in _in_result(record.seq, result, call):
                if not nested or stands_in(result.text, sighting.value):
                    found.meet(sighting)
            if call is not None and created:
                found.created[call.seq, call.use.id] = created
                for field, value in created:
                    found.meet(Sighting(value, record.seq, ACTED + 0.5, f"{field}: made by {call.use.name}", value))
    return found


def _created(found: Identifiers, call: Call) -> tuple[tuple[str, str], ...]:
    """Ids in the result of a call that worked, which nobody had met before: the call made them."""
    if not had_effect(call):
        return ()
    return tuple((field, value) for field, value in created_values(call) if found.first_met(value) is None)


def _in_arguments(seq: int, call: Call) -> Iterator[Sighting]:
    acted = had_effect(call)
    how = f"acted on by {call.use.name}" if acted else f"used in {call.use.name}"
    for field, value in leaves_of(call.use):
        if _names_something(field, value):
            salience = (ACTED if acted else CALLED) + _rank(field, value)
            yield Sighting(value, seq, salience, f"{field}: {how}", _quote(call.use.input_json, field, value))
        elif len(value) > _LONGEST or " " in value:
            for inner in named_in(value[:_PROSE]):
                salience = (ACTED if acted else CALLED) + telling(inner) / 4
                yield Sighting(inner, seq, salience, f"in {field} of {call.use.name}", inner)


def _in_result(seq: int, result: ToolResult, call: Call | None) -> Iterator[Sighting]:
    tool = call.use.name if call is not None else "a tool"
    content = unwrapped(result.text)
    if isinstance(content, str):
        yield from _in_prose(content, seq, "", tool)
        return
    for count, (field, value) in enumerate(scalars(content)):
        if count >= _LEAVES:
            return
        if _names_something(field, value):
            yield Sighting(value, seq, LISTED + _rank(field, value), f"{field}: listed by {tool}", escaped(value))
        elif len(value) > _LONGEST:
            yield from _in_prose(value, seq, field, tool)


def _in_prose(text: str, seq: int, field: str, tool: str) -> Iterator[Sighting]:
    if len(text) > 2 * _PROSE:
        text = text[:_PROSE] + "\n" + text[-_PROSE:]
    where = f"in {field} of {tool}" if field else f"listed by {tool}"
    for value in named_in(text):
        if rank := telling(value):  # amounts and times in prose mean nothing without it
            yield Sighting(value, seq, LISTED + rank / 4, where, value)


def _names_something(field: str, value: str) -> bool:
    """A scalar worth keeping: it holds a digit, or its field says that it is a name."""
    if not 2 <= len(value) <= _LONGEST or "\n" in value or value in ("true", "false"):
        return False
    if is_id_field(field):
        return len(value.split()) <= 6
    if " " not in value and ("@" in value or "/" in value):
        return len(value) >= 5
    return len(value) >= 3 and any("0" <= char <= "9" for char in value)


def _rank(field: str, value: str) -> float:
    return 0.5 if is_id_field(field) else telling(value) / 4


def _quote(arguments: str, field: str, value: str) -> str:
    named = f'"{field}":"{escaped(value)}"'
    return named if named in arguments else escaped(value)
