"""Calls that Claude Code did not let run to their end, and what a person said when refusing one.

The words used for `ToolResult.denial` are Claude Code's own `toolDenialKind`:

    user-rejected    refused, or cut while it ran: the same word for a person's refusal and a host's interrupt
    permission-rule  refused by a rule, a mode or the host's permission callback
    automode-...     refused by the automatic mode's classifier
    interrupted      cut with its process; the outcome is unknown
    cancelled        never started, because the turn ended

Files from before that field say it in words only; there the same vocabulary is derived from `toolUseResult` and the
result's text together, and only for a result that is an error.
"""

from service.adapters.transcripts.fields import Object, object_of, text_of
from service.domain.transcript import ToolResult

_REFUSED = "The user doesn't want to proceed with this tool use."
_WORDS_FOLLOW = "To tell you how to proceed, the user said:\n"
_QUESTIONS_TEMPLATE = "The user wants to clarify these questions."
_FIRST_KNOWN_WITH_KIND = (2, 1, 282)
_NOTE = "\n\nNote: The user's next message may contain "
_OPENINGS = (
    (_REFUSED, "user-rejected"),
    ("The user doesn't want to take this action right now.", "cancelled"),
    ("[Tool call interrupted: ", "interrupted"),
    ("[Tool call result not in this copy: ", "interrupted"),
    ("[Agent call interrupted: ", "interrupted"),
    ("Permission to use ", "permission-rule"),
    ("Permission for this tool use was denied.", "permission-rule"),
    ("Claude requested permissions to ", "permission-rule"),
)


def denial_of(record: Object, result: ToolResult) -> str | None:
    """The kind of denial of a result in this record, or None for a call that ran."""
    stated = text_of(record, "toolDenialKind")
    if stated is not None:
        return stated
    if not result.is_error or names_its_denials(record) or not _evidence_agrees(record, result):
        return None
    return next((kind for opening, kind in _OPENINGS if result.text.startswith(opening)), None)


def words_of_refusal(record: Object, result: ToolResult, tool: str | None) -> str | None:
    """What the person said when refusing this call, or None.

    `tool` is the name of the call, None when it is not known. `userFeedback` states the words. Without it they are
    taken from the result's text, but only from a writer that had no such fields, and only for the harness's own
    tools: an MCP server writes its errors itself and could put words into the person's mouth.
    """
    if result.denial != "user-rejected":
        return None
    words = text_of(record, "userFeedback")
    if words is None:
        if names_its_denials(record) or tool is None or tool.startswith("mcp__"):
            return None
        if not result.text.startswith(_REFUSED):
            return None
        words = result.text.partition(_WORDS_FOLLOW)[2].partition(_NOTE)[0]
    words = words.strip()
    return None if not words or words.startswith(_QUESTIONS_TEMPLATE) else words


def typed_answers(record: Object, tool: str | None) -> list[str]:
    """What the person typed instead of choosing one of the offered answers to AskUserQuestion.

    A chosen label is the model's wording and stays in the tool result alone.
    """
    if tool != "AskUserQuestion":
        return []
    outcome = object_of(record, "toolUseResult")
    offered: set[str] = set()
    questions = outcome.get("questions")
    for question in questions if isinstance(questions, list) else []:
        options = question.get("options") if isinstance(question, dict) else None
        for option in options if isinstance(options, list) else []:
            if isinstance(option, dict) and isinstance(option.get("label"), str):
                offered.add(option["label"])
    answers = [answer for answer in object_of(outcome, "answers").values() if isinstance(answer, str)]
    return [answer for answer in answers if answer.strip() and not _is_choice(answer, offered)]


def names_its_denials(record: Object) -> bool:
    """Whether the record's writer has `toolDenialKind`, so that a missing one means no denial."""
    if "permissionDecision" in record or "rowSource" in record:
        return True
    major, minor, patch, *_ = (*(text_of(record, "version") or "").split("."), "", "", "")
    if not (major.isdecimal() and minor.isdecimal() and patch.isdecimal() and len(major + minor + patch) < 30):
        return False
    return (int(major), int(minor), int(patch)) >= _FIRST_KNOWN_WITH_KIND


def _evidence_agrees(record: Object, result: ToolResult) -> bool:
    """The harness tells an error twice; a result alone could be a tool's own words. The oldest files tell it once."""
    outcome = record.get("toolUseResult")
    if outcome is None or outcome == "User rejected tool use":
        return True
    return isinstance(outcome, str) and outcome.removeprefix("Error: ").startswith(result.text[:40])


def _is_choice(answer: str, offered: set[str]) -> bool:
    # Several choices arrive joined by ", ", and a label may hold one itself.
    rest = answer
    for label in sorted(offered, key=len, reverse=True):
        rest = rest.replace(label, "")
    return not rest.strip(", ")
