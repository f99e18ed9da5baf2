"""Whether Claude Code's fields about a row's origin leave room for a person behind it."""

from service.adapters.transcripts.fields import Object, is_object

_HARNESS_ROWS = ("harness", "hook")
_PERSONS_TURNS = ("human", "sdk")  # an SDK host passes on what its person typed


def is_persons(row: Object) -> bool:
    """False when a field says that something else wrote the row: the harness, a schedule, a peer, a task's end.

    Files from before these fields have none of them, and there only the text can tell (`authorship`). A turn origin
    we do not know is not a person's: words may get lost that way, but none are put into anyone's mouth.
    """
    if any(row.get(flag) for flag in ("isMeta", "isVisibleInTranscriptOnly", "isCompactSummary")):
        return False
    if row.get("rowSource") in _HARNESS_ROWS or row.get("promptSource") == "system":
        return False
    if row.get("turnOrigin") not in (None, *_PERSONS_TURNS):
        return False
    origin = row.get("origin")
    kind = origin.get("kind") if is_object(origin) else origin
    return kind in (None, "human")
