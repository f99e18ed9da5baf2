"""How a call ended, read from its result."""

import json
import re
from enum import StrEnum

from service.domain.calls import Call
from service.domain.tool_verbs import changes_something
from service.domain.transcript import ToolResult


class Outcome(StrEnum):
    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"  # by a person, a rule or a mode: it did not run
    CUT = "cut"  # the harness itself says that the outcome is unknown
    ACCEPTED = "accepted"  # taken in, not finished: no proof of anything yet
    OPEN = "open"  # no result and the agent waits for it
    DEAD = "dead"  # no result and nothing will come


REJECTION_OPENINGS = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
)
"""How the agent SDK words a call that was not let run. The same words stand for a person's refusal and for a
host's interrupt, so they prove neither."""

_ERROR_START = re.compile(
    r"""\s*[\W_]{0,4}
    (?:<\w*error>\s*)?
    (?: (?:\w+\s){0,2}?(?:error|exception|failure|failed)\b(?!\s*(?:rate|count)?\s*[:=]\s*(?:0|none|null|false)\b)
      | (?:fatal|panic|traceback|abort(?:ed|ing)?|denied|unauthori[sz]ed|forbidden)\b
      | (?:access|permission|authori[sz]ation)\s+(?:was\s+|is\s+)?denied
      | (?:cannot|can't|could\s+not|couldn't|unable\s+to|not\s+(?:allowed|permitted|authori[sz]ed))\b
      | (?:no\s+such|command\s+not\s+found|invalid\s|unknown\s+(?:tool|command|option)|timed?\s*out\b|timeout\b)
      | exit\s+(?:code|status)\s*:?\s*[1-9]
      | (?:http\s*)?[45]\d\d\s+(?:[a-z]+\s+)?(?:error|not\s+found|forbidden|unauthori[sz]ed|bad\s+request|conflict)
      | [a-z]*(?:Error|Exception):
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_BAD_STATUS = frozenset(
    ["error", "errored", "failed", "failure", "fail", "rejected", "refused", "denied", "unauthorized", "forbidden"]
)
_BAD_CODE = re.compile("[45][0-9][0-9]")
_UNFINISHED = frozenset(
    ["pending", "queued", "accepted", "processing", "running", "started", "in_progress", "scheduled", "submitted"]
)
_EFFECT = re.compile(
    r"\b(?:success(?:ful(?:ly)?)?|created|updated|saved|sent|written|wrote|deleted|removed|added|submitted|completed"
    r"|deployed|published|booked|cancelled|canceled|scheduled|installed|committed|moved|renamed|applied)\b",
    re.IGNORECASE,
)
_LOOKED_AT = 400
"""Characters of a result that can say how the call ended; what comes later is content."""


def outcome_of(call: Call) -> Outcome:
    if call.result is None:
        return Outcome.OPEN if call.open else Outcome.DEAD
    result = call.result
    if result.denial == "interrupted":
        return Outcome.CUT
    if is_rejection(result):
        return Outcome.REFUSED
    if result.is_error or _says_error(result.text):
        return Outcome.ERROR
    return Outcome.ACCEPTED if _is_receipt(result.text) else Outcome.OK


def is_rejection(result: ToolResult) -> bool:
    """Not let run, by the harness's own field, or by its wording on a result that is an error."""
    if result.denial is not None:
        return True
    return result.is_error and result.text.lstrip().startswith(REJECTION_OPENINGS)


def had_effect(call: Call) -> bool:
    """A call that changes something and that came back well. Where the name tells nothing, the result must say so."""
    if outcome_of(call) is not Outcome.OK:
        return False
    named = changes_something(call.use.name)
    if named is None:
        return call.result is not None and bool(_EFFECT.search(call.result.text[:200]))
    return named


def may_have_effect(call: Call) -> bool:
    """Whether running the call again could do something twice: all but those that only read by their name."""
    return changes_something(call.use.name) is not False


def _says_error(text: str) -> bool:
    inner = unwrapped(text)
    if not isinstance(inner, dict):
        return isinstance(inner, str) and bool(_ERROR_START.match(inner[:_LOOKED_AT]))
    fields = {str(key).lower(): value for key, value in inner.items()}
    if any(fields.get(flag) is False for flag in ("success", "ok", "succeeded")):
        return True
    if fields.get("iserror") is True or fields.get("is_error") is True:
        return True
    if fields.get("error") or fields.get("errors"):
        return True
    status = str(fields.get("status") or "").lower()
    codes = (fields.get("status_code"), fields.get("statuscode"), status)
    return status in _BAD_STATUS or any(isinstance(code, str) and _BAD_CODE.fullmatch(code) for code in codes)


def _is_receipt(text: str) -> bool:
    """Only says that work was taken in: a state that is not an end, and next to nothing beside it."""
    inner = unwrapped(text) if len(text) <= 400 else None
    if not isinstance(inner, dict) or len(inner) > 4:
        return False
    status = next((value for key, value in inner.items() if str(key).lower() in ("status", "state")), None)
    return isinstance(status, str) and status.lower() in _UNFINISHED


def unwrapped(text: str) -> object:
    """A result's content out of its envelopes: text that is JSON, and JSON that only carries a text.

    Prose comes back as it is.
    """
    for _ in range(3):
        value = _parsed(text)
        if value is None:
            break
        inner = value.get("text") if isinstance(value, dict) and value.get("type") == "text" else value
        if not isinstance(inner, str):
            return inner
        text = inner
    return text


def _parsed(text: str) -> object:
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str)  # numbers stay exactly as written
    except (ValueError, RecursionError):
        return None
