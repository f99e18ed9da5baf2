# ruff: noqa: RUF001
"""Standing rules: whole sentences of a person or the system, never of anybody else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from models.kinds import Author, EntryKind
from service.domain.ledger import Entry, Evidence
from service.domain.rule_cues import FORBIDS_OR_STANDS, LIFTS, RESTRICTS
from service.domain.sentences import sentences
from service.domain.transcript import Record

LONGEST = 700
"""Characters of a rule. A longer sentence is a document that was pasted in."""

STRONG, MILD = 2.0, 1.0
_GENERAL = 160
"""Characters up to which an order without a number is taken for a general one, which comes first."""

_QUESTION = re.compile(r"[?？؟][\"'”’)\]]*\s*$")
_REQUEST = re.compile(r"\b(?:could|can|would|will)\s+you\b|\bplease\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}|\d+")
_SAME_SUBJECT = 0.5


def find_rules(records: Sequence[Record], known: Sequence[Entry] = ()) -> Iterator[Entry]:
    """In the order in which they were said. `known`: rules of the ledger so far, which a later word may lift."""
    rules: dict[str, Entry] = {}
    standing = {entry.value: entry for entry in known if entry.kind is EntryKind.RULE}
    for record in records:
        for author in (Author.PERSON, Author.SYSTEM):
            for text in record.texts(author):
                for sentence in _candidates(text):
                    if LIFTS.search(sentence):
                        rules.update(_lifted(sentence, record.seq, standing | rules))
                    elif strength := rule_strength(sentence):
                        rules.setdefault(sentence, _rule(sentence, record.seq, author, strength))
    yield from rules.values()


def _candidates(text: str) -> Iterator[str]:
    """Sentences. A list belongs to the line above it only where that line is what makes it a rule."""
    for sentence in sentences(text):
        introduction, *items = sentence.split("\n")
        if items and not rule_strength(introduction):
            yield from (line.strip() for line in (introduction, *items))
        else:
            yield sentence


def rule_strength(sentence: str) -> float:
    """0 for what is no rule; a prohibition or a standing order counts more than a restriction."""
    if not 8 <= len(sentence) <= LONGEST:
        return 0.0
    if _QUESTION.search(sentence) and not _REQUEST.search(sentence):
        return 0.0
    if FORBIDS_OR_STANDS.search(sentence):
        about_one_thing = any(char.isdigit() for char in sentence) or len(sentence) > _GENERAL
        return STRONG if about_one_thing else STRONG + 0.5
    return MILD if RESTRICTS.search(sentence) else 0.0


def _rule(sentence: str, seq: int, author: Author, strength: float) -> Entry:
    who = "the user" if author is Author.PERSON else "the system"
    evidence = (Evidence(seq, sentence),)
    return Entry(EntryKind.RULE, sentence, evidence, f"said by {who}", status="standing", salience=strength)


def _lifted(permission: str, seq: int, rules: dict[str, Entry]) -> dict[str, Entry]:
    """The rules whose subject the permission repeats, marked; they stay visible."""
    words = _words(permission)
    return {
        value: replace(
            rule,
            status="revoked",
            detail=f'lifted later: "{permission}"',
            evidence=(*rule.evidence, Evidence(seq, permission)),
        )
        for value, rule in rules.items()
        if rule.status != "revoked" and (own := _words(value)) and len(own & words) / len(own) >= _SAME_SUBJECT
    }


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
