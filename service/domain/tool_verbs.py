"""Whether a tool's name says that it changes something: by the general verbs of tool names, in English."""

import re

_READING = """
    analyze ask browse calculate check compare compute convert count describe detect diff display download estimate
    evaluate examine explain explore fetch find get grep head health help info inspect is list load lookup ls measure
    monitor navigate open parse peek ping plan preview print query read recall recommend render resolve retrieve
    review scan scrape screenshot search see select show stat stats status summarize tail test think translate tree
    validate verify view wait watch whoami
"""
_WRITING = """
    accept activate add allocate append apply approve archive assign attach award ban block book buy cancel change
    charge checkout claim clear clone close comment commit complete configure connect copy create deactivate decline
    delete deliver deny deploy destroy detach disable dispatch drop edit email enable enroll erase exchange export
    extend file fill finalize fork forward grant hold import increment init insert install invite invoice issue join
    kill label launch leave link lock make mark merge message migrate mkdir modify move mv notify order overwrite
    patch pause pay pin place post provision publish purchase push put reassign rebook record redeem refund register
    reject release remove rename reopen reorder replace reply report reschedule reserve reset restart restore resume
    return revert revoke rollback save scale schedule send set share ship shutdown sign start stop store submit
    subscribe swap sync tag terminate touch track transfer trigger unassign uninstall unlink unlock unpublish
    unsubscribe update upgrade upload upsert upvote void vote withdraw write
"""
_READ, _WRITE = frozenset(_READING.split()), frozenset(_WRITING.split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SERVER = re.compile(r"^.*(?:__|[-./:])")
"""What names a tool's server: everything up to the last separator other than a single underscore."""


def changes_something(name: str) -> bool | None:
    """True for a verb that writes, False for one that reads, None when the name holds no verb we know."""
    own = _words(_SERVER.sub("", name))
    words = own if any(word in _READ or word in _WRITE for word in own) else _words(name)
    for position, word in enumerate(words):
        if word in _WRITE:
            return True
        if word in _READ:  # "search_and_replace", "get_or_create"
            joined = words[position + 1 : position + 3]
            return len(joined) == 2 and joined[0] in ("and", "or") and joined[1] in _WRITE
    return None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]
