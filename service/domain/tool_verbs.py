"""Whether a tool's name says that it changes something: by the general verbs of tool names, in English."""

import re

_READING = """
    analyze ask browse calculate compare compute convert describe detect display download estimate evaluate examine
    explain explore fetch find get grep inspect is load lookup ls measure navigate parse peek ping print read recall
    recommend render resolve retrieve review scan scrape screenshot see select summarize tail think translate
    validate verify whoami
"""
_WRITING = """
    accept activate add allocate append apply approve archive assign attach buy cancel change claim clear clone
    commit complete configure connect copy create deactivate decline delete deliver deny deploy destroy detach
    disable dispatch drop edit enable enroll erase extend finalize forward grant increment init insert install invite
    join kill leave make merge migrate mkdir modify move mv notify overwrite pause pay provision publish purchase
    push put reassign rebook redeem refund register reject remove rename reopen reorder replace reply reschedule
    reserve reset restart restore resume return revert revoke rollback save scale schedule send set ship shutdown
    sign start stop submit subscribe swap sync terminate transfer trigger unassign uninstall unlink unlock unpublish
    unsubscribe update upgrade upload upsert upvote withdraw write
"""
_NOUNS_THAT_READ = """
    check count diff head health help info list monitor open plan preview query search show stat stats status test
    tree view wait watch
"""
_NOUNS_THAT_WRITE = """
    ban block book charge checkout close comment email exchange export file fill fork hold import invoice issue label
    launch link lock mark message order patch pin place post record release report share store tag touch track void
    vote
"""
_READ, _WRITE = frozenset(_READING.split()), frozenset(_WRITING.split())
_MAY_READ, _MAY_WRITE = frozenset(_NOUNS_THAT_READ.split()), frozenset(_NOUNS_THAT_WRITE.split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SERVER = re.compile(r"^.*(?:__|[./:])|^[^_]*-(?=[A-Za-z0-9]+_)")
"""What names a tool's server: `mcp__shop__`, `shop.`, `shop-` before a name with underscores."""


def changes_something(name: str) -> bool | None:
    """True for a verb that writes, False for one that reads, None when the name holds no verb we know.

    A word that is as often a noun ("order", "list") counts only where it comes first or no plain verb is there:
    get_order reads, order_lookup reads, todo_list_add writes, book_table writes.
    """
    own = _verdict(_words(_SERVER.sub("", name)))
    return own if own is not None else _verdict(_words(name))


def _verdict(words: list[str]) -> bool | None:
    for position, word in enumerate(words):
        if word in _WRITE:
            return True
        if word in _READ or (position == 0 and word in _MAY_READ):
            joined = words[position + 1 : position + 3]  # "search_and_replace", "get_or_create"
            return len(joined) == 2 and joined[0] in ("and", "or") and joined[1] in _WRITE
    if any(word in _MAY_READ for word in words):
        return False
    return True if any(word in _MAY_WRITE for word in words) else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]
