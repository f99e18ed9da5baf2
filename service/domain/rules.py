"""Standing rules: whole sentences of a person or the system, never of anybody else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from models.kinds import Author, EntryKind
from service.domain.ledger import Entry, Evidence
from service.domain.rule_cues import LIFTED, STANDING
from service.domain.sentences import sentences
from service.domain.transcript import Record

LONGEST = 700
"""Characters of a rule. A longer sentence is a document that was pasted in."""

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
                for sentence in sentences(text):
                    if LIFTED.search(sentence):
                        rules.update(_lifted(sentence, record.seq, standing | rules))
                    elif is_rule(sentence):
                        rules.setdefault(sentence, _rule(sentence, record.seq, author))
    yield from rules.values()


def is_rule(sentence: str) -> bool:
    """A standing cue in something that is no mere question."""
    if not 8 <= len(sentence) <= LONGEST or not STANDING.search(sentence):
        return False
    return not _QUESTION.search(sentence) or bool(_REQUEST.search(sentence))


def _rule(sentence: str, seq: int, author: Author) -> Entry:
    who = "the user" if author is Author.PERSON else "the system"
    return Entry(EntryKind.RULE, sentence, (Evidence(seq, sentence),), f"said by {who}", status="standing")


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
