"""Why a stored line is not part of the conversation: the keys of `Transcript.skipped`."""

from collections.abc import Mapping
from enum import StrEnum


class SkipReason(StrEnum):
    """One reason a line; records and skipped lines together are all lines read."""

    EMPTY = "empty"
    NOT_JSON = "not_json"  # torn, binary, or nested beyond reading
    NOT_AN_OBJECT = "not_an_object"  # JSON, but a number, a list, ...
    MALFORMED = "malformed"  # a known kind of record whose fields are not what they must be
    UNKNOWN_TYPE = "unknown_type"  # no kind of record we know
    BOOKKEEPING = "bookkeeping"  # titles, queues, snapshots, costs, ...
    REPLAY = "replay"  # copies of API requests: the same conversation once more
    PROGRESS = "progress"  # ticks of a running tool
    ATTACHMENT = "attachment"  # reminders and listings the harness repeats by itself
    SYSTEM_NOTE = "system_note"  # timings, hook summaries, retries
    SIDECHAIN = "sidechain"  # another agent's conversation
    DUPLICATE_UUID = "duplicate_uuid"  # the same record again; the first one counts


UNREADABLE = frozenset({SkipReason.NOT_JSON, SkipReason.NOT_AN_OBJECT, SkipReason.MALFORMED})
"""Reasons that mean something may have been lost; the others are left out on purpose."""


def unreadable_lines(skipped: Mapping[str, int]) -> int:
    """How many of the skipped lines could not be read at all."""
    return sum(skipped.get(reason, 0) for reason in UNREADABLE)
