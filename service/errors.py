"""Every error of ours: a code, a message that says what is wrong, a hint that says what to do, an HTTP status.

`RetryableError` and `FinalError` alone decide whether a task tries again.
"""

from collections.abc import Mapping


class CarryforwardError(Exception):
    code = "internal"
    status = 500
    hint = "This is a defect of Carryforward; the log holds the traceback."

    def __init__(self, message: str, *, hint: str | None = None, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint if hint is not None else type(self).hint
        self.details = dict(details or {})

    def body(self) -> dict[str, object]:
        """The JSON body of the HTTP answer."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint, **self.details}}


class RetryableError(CarryforwardError):
    """Worth another try later, unchanged."""

    status = 503


class FinalError(CarryforwardError):
    """Will fail the same way every time."""


class InvalidInputError(FinalError):
    code = "invalid_input"
    status = 422
    hint = "See docs/http.md for the shape this route expects."


class TooLargeError(FinalError):
    code = "too_large"
    status = 413
    hint = "Send less in one request."


class NotFoundError(FinalError):
    code = "not_found"
    status = 404
    hint = "Check the id; sessions are opened with POST /v1/sessions."


class SessionConflictError(FinalError):
    code = "session_conflict"
    status = 409
    hint = "A session belongs to one agent and one format; open a new session id."


class RecordsMissingError(FinalError):
    """A batch starts past the next free `seq`; details carry `next_seq`."""

    code = "records_missing"
    status = 409
    hint = "Send again from next_seq; records are appended without gaps."


class RecordConflictError(FinalError):
    """Another record is stored at this `seq`; details carry `seq` and `next_seq`."""

    code = "record_conflict"
    status = 409
    hint = "Records are never rewritten. If this is a new record, send it from next_seq."


class NothingToHandOffError(FinalError):
    code = "nothing_to_hand_off"
    status = 409
    hint = "The session holds no records yet: start the fresh session plain."


class AlreadyClaimedError(FinalError):
    """Details carry `claimed_by`."""

    code = "already_claimed"
    status = 409
    hint = "A handoff seeds one session only."


class DatabaseOutOfDateError(FinalError):
    code = "database_out_of_date"
    hint = "Run `carryforward migrate` (with the same settings) and start again."


class EngineError(FinalError):
    """The embedded engine cannot start or be reached."""

    code = "engine"
    hint = "Run `carryforward doctor`."


class QueueUnavailableError(RetryableError):
    code = "queue_unavailable"
    hint = "Redis cannot be reached; the client keeps the events and sends them again."


class StaleLeaseError(FinalError):
    """Another worker took this compaction over, or its handoff was sealed meanwhile: nothing may be written."""

    code = "stale_lease"
