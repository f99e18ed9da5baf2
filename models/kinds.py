"""The words everything else shares: states, kinds and causes. Standard library only."""

from enum import StrEnum


class Author(StrEnum):
    """Who really wrote a piece of a transcript, whatever role the wire gave it."""

    PERSON = "person"
    SYSTEM = "system"  # the system prompt
    ASSISTANT = "assistant"
    TOOL = "tool"
    RUNTIME = "runtime"  # the harness: markers, reminders, hook output
    SUMMARY = "summary"  # a vendor's native summary, or a seed of ours: second-hand, never a person's words


class EntryKind(StrEnum):
    OPEN_TASK = "open_task"
    NEXT_STEP = "next_step"
    IDENTIFIER = "identifier"
    RULE = "rule"
    DECISION = "decision"
    DONE = "done"
    UNKNOWN_OUTCOME = "unknown_outcome"  # a call that was cut: look before repeating
    WAITING_ON = "waiting_on"
    FAILED = "failed"  # tried, did not work


class Who(StrEnum):
    """Whom a `waiting_on` entry waits for."""

    USER = "user"
    APPROVAL = "approval"
    TOOL = "tool"
    EXTERNAL = "external"
    AGENT = "agent"


class Verdict(StrEnum):
    """The answer to a usage event."""

    CONTINUE = "continue"
    PREPARE = "prepare"  # past the threshold: a handoff is being prepared, the turn goes on
    END_TURN = "end_turn"  # past the backstop: end the turn cleanly at the next tool-batch boundary
    HOLD = "hold"  # an approval is open
    HALT = "halt"  # the breaker tripped


class Crossing(StrEnum):
    """Which mark of a session's window was passed."""

    THRESHOLD = "threshold"
    BACKSTOP = "backstop"


class CompactionState(StrEnum):
    """Allowed transitions: `service.domain.states`."""

    REQUESTED = "requested"
    PREPARING = "preparing"
    PREPARED = "prepared"
    SEALED = "sealed"
    CLAIMED = "claimed"
    FAILED = "failed"


class InterruptCause(StrEnum):
    BACKSTOP = "backstop"
    PREFLIGHT = "preflight"
    SHUTDOWN = "shutdown"
    OPERATOR = "operator"
    PERSON = "person"


class DegradedReason(StrEnum):
    """Why a handoff is plainer than it could have been."""

    NOT_PREPARED = "not_prepared"  # no preparation had finished when the handoff was needed
    PREPARATION_FAILED = "preparation_failed"
    EXTRACTION_FAILED = "extraction_failed"  # even the structural layer raised: the seed holds no ledger
    TURN_OPEN = "turn_open"  # claimed before the host said the turn had ended
    UNREADABLE_RECORDS = "unreadable_records"  # some stored lines are no records of the session's format


class TranscriptFormat(StrEnum):
    CLAUDE_CODE = "claude-code"  # Claude Code JSONL, one record a line
    ANTHROPIC_MESSAGES = "anthropic-messages"  # Messages API, one message a line


class Queue(StrEnum):
    """Celery's queues."""

    COMPACTION = "compaction"  # once a session: preparing handoffs
    UPKEEP = "upkeep"  # every few seconds: sweeps, draining usage into SQL


class TaskName(StrEnum):
    PREPARE = "compaction.prepare"
    SWEEP = "compaction.sweep"
    DRAIN = "usage.drain"
