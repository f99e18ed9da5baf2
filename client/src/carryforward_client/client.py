"""The client of one session, for a host's loop."""

import logging
import os
import time
import uuid
from collections.abc import Iterable, Mapping

from carryforward_client import entries, leftovers, lifecycle, options
from carryforward_client.api import SessionApi
from carryforward_client.deadline import Deadline
from carryforward_client.delivery import Delivery
from carryforward_client.health import Health
from carryforward_client.http import Answer, Http, UnreachableError
from carryforward_client.interrupts import Interrupting
from carryforward_client.records import Record, to_json, to_lines
from carryforward_client.shipper import Shipper
from carryforward_client.spool import Spool
from carryforward_client.types import Handoff, Pending, Problem, TurnEnd, Verdict
from carryforward_client.usage import usage_event

logger = logging.getLogger("carryforward")

_CLAIM_PAUSE_SECONDS = 0.2


class Carryforward:
    """Talks to a Carryforward service about one session of one agent. Thread-safe.

    Nothing here raises into the host's loop for a failure that is ours (the service down or slow, the disk full, a
    damaged spool): verdicts are then `continue`, records and events are kept on disk and sent later, and
    `last_problem` says what is wrong. TypeError and ValueError mean the call itself is wrong.

    Several processes may use one session and one spool directory. A fresh process that only wants an old session's
    handoff opens this class on the old session id and calls `claim`; nothing is written for that. What an earlier
    process of this session left in the spool is shipped in the background; see `ship_leftovers` for other sessions.

    After a fork, a client may be used in the child; what the parent kept in memory stays the parent's.
    """

    def __init__(
        self,
        agent_id: str,
        session_id: str,
        *,
        url: str | None = None,
        format: str = "claude-code",  # noqa: A002 (the wire's word)
        window_tokens: int | None = None,
        threshold: float | None = None,
        backstop: float | None = None,
        system: str | None = None,
        parent_session_id: str | None = None,
        spool_dir: str | os.PathLike[str] | None = None,
        timeout_seconds: float = 1.0,
    ) -> None:
        """`url` defaults to CARRYFORWARD_URL, else http://127.0.0.1:8377; `spool_dir` to CARRYFORWARD_SPOOL_DIR, else
        ~/.carryforward/spool.

        `window_tokens` is the model's context window; `threshold` and `backstop` are shares of it (0..1), by default
        the service's. `system` is the system prompt where the transcript itself does not hold it.
        `timeout_seconds` bounds what the host's loop waits for: a verdict, a declaration, a turn's end.
        """
        opening = options.description(
            session_id=session_id,
            agent_id=agent_id,
            format=format,
            window_tokens=window_tokens,
            threshold=threshold,
            backstop=backstop,
            system=system,
            parent_session_id=parent_session_id,
        )
        self.agent_id = agent_id
        self.session_id = session_id
        self._window_tokens = window_tokens
        self._timeout_seconds = float(timeout_seconds)
        self._spool_dir = options.spool_directory(spool_dir)
        self._health = Health(session_id)
        self._http = Http(options.service_url(url))
        self._api = SessionApi(self._http, opening)
        self._spool = Spool(self._spool_dir, session_id, opening, self._health.note)
        self._delivery = Delivery(self._spool, self._api)
        self._shipper = Shipper(self._spool, self._delivery, self._health, self._http.close)
        lifecycle.register(self)
        if not self._spool.passed(self._spool.mark()):
            self._shipper.wake()

    # What a host's loop calls

    def append(self, records: Record | Iterable[Record]) -> range:
        """Keep transcript records and ship them in the background; the range of their `seq`.

        A record is one line: bytes and str as they are (without newline), or a mapping, which is dumped compact.
        Blank lines are left out. Returns once the records are in the spool; never waits for the network.

        Numbers begin at 0 in a new session. Where the session had records this spool never saw, the service
        numbers from its own end on, and the client translates.
        """
        lines = to_lines(records)
        try:
            if not lines:
                return range(self._spool.next_seq, self._spool.next_seq)
            numbers, _ = self._spool.append([(entries.RECORD, line) for line in lines])
            self._shipper.wake(len(lines))
        except Exception as error:
            self._defect(error)
            return range(self._spool.next_seq, self._spool.next_seq)
        return numbers

    def usage(
        self,
        event_id: str | None = None,
        *,
        gauge_tokens: int | None = None,
        usage: Mapping[str, object] | None = None,
        window_tokens: int | None = None,
        seq: int | None = None,
    ) -> Verdict:
        """Report one model response; what to do now, in one round trip of at most `timeout_seconds`.

        `gauge_tokens` is the host's own estimate, `usage` the API's `usage` object as a mapping; one of them at
        least. `event_id` is best the response's id (default: a new one), `seq` the record's number (default: that of
        the last record appended). Where the service gives no verdict in time, the verdict is `continue` with
        `reached` False, and the event is sent later.
        """
        window_tokens = self._window_tokens if window_tokens is None else window_tokens
        event = usage_event(event_id, gauge_tokens=gauge_tokens, usage=usage, window_tokens=window_tokens, seq=seq)
        event |= {"session_id": self.session_id, "agent_id": self.agent_id}
        try:
            return self._verdict(event, default_seq=seq is None)
        except Exception as error:
            self._defect(error)
            return Verdict(Verdict.CONTINUE, event_id=str(event["event_id"]))

    def turn_ended(self) -> TurnEnd | None:
        """The agent gave its final answer: ship what is left of the turn, then say so.

        None where the service did not answer within `timeout_seconds`; it is told later then.
        """
        turn_id = str(uuid.uuid4())
        try:
            self._tell(entries.TURN_END, turn_id, {"turn_id": turn_id})
            answer = self._delivery.take_answer(turn_id)
        except Exception as error:
            self._defect(error)
            return None
        return TurnEnd.from_body(answer.body) if answer is not None else None

    def interrupting(self, cause: str, tool_use_ids: Iterable[str] = ()) -> Interrupting:
        """`with cf.interrupting("backstop", ["toolu_1"]): …` declares an interrupt, then lets you make it.

        Also `async with`. `cause` is `backstop`, `preflight`, `shutdown`, `operator` or `person`, else ValueError.
        Takes at most `timeout_seconds`, and an instant during an outage: the declaration is on disk, and reaches the
        service before any later record.
        """
        return Interrupting(cause, tool_use_ids, self._declare)

    def claim(self, claimed_by: str, wait: float = 5.0) -> Handoff | None:
        """The handoff of this session for the fresh session `claimed_by`, which this opens at the service.

        Ships what is left first, for at most half of `wait` seconds; takes `wait` and `timeout_seconds` at most. The
        same `claimed_by` gets the same handoff again. None: start plain. `last_problem` tells why
        (`nothing_to_hand_off`, `already_claimed`, `not_found`, `unreachable`, …).
        """
        if not isinstance(claimed_by, str):
            raise TypeError(f"claimed_by is a session id, not {type(claimed_by).__name__}")
        try:
            return self._claim(claimed_by, Deadline(wait))
        except Exception as error:
            self._defect(error)
            return None

    def flush(self, timeout: float = 5.0) -> bool:
        """Ship everything now, trying on for `timeout` seconds. Whether nothing that was there is left."""
        try:
            return self._shipper.wait(self._spool.mark(), timeout, patient=True)
        except Exception as error:
            self._defect(error)
            return False

    @property
    def pending(self) -> Pending:
        """What of this session waits to be shipped. Reads the spool: for looking, not for every message."""
        return self._spool.pending()

    @property
    def last_problem(self) -> Problem | None:
        """What went wrong last, for the host's log. An outage's problem goes when the outage does."""
        return self._health.last_problem

    def ship_leftovers(self, timeout: float = 10.0) -> Pending:
        """Ship what dead processes left of any other session in the spool directory; what still waits there.

        Best called once when a host starts. A session is only ever shipped by one process at a time.
        """
        return leftovers.ship(
            self._spool_dir, self._http, self._health, but=self.session_id, deadline=Deadline(timeout)
        )

    def close(self, timeout: float = 2.0) -> None:
        """Ship what is left, within `timeout` seconds and no further than the first failure; the rest stays on disk.

        Shipped data is removed from the spool. Calls after this still keep what they are given, but ship nothing.
        """
        deadline = Deadline(timeout)
        try:
            self._shipper.wait(self._spool.mark(), timeout, patient=False)
            self._shipper.stop(deadline.remaining_seconds)
            self._spool.tidy()
            self._http.close()
        except Exception as error:
            self._defect(error)

    def __enter__(self) -> "Carryforward":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # How

    def _verdict(self, event: dict[str, object], *, default_seq: bool) -> Verdict:
        if default_seq:
            event["seq"] = max(0, self._spool.next_seq - 1)
        event_id = str(event["event_id"])
        if not self._health.pause_seconds:
            try:
                return self._ask(event, Deadline(self._timeout_seconds), default_seq=default_seq)
            except UnreachableError as error:
                self._api.opened = False  # who knows what it remembers when it is back
                self._health.failed(error.problem)
        self._spool.append([(entries.USAGE, to_json(event))])
        self._shipper.wake()
        return Verdict(Verdict.CONTINUE, event_id=event_id)

    def _ask(self, event: dict[str, object], deadline: Deadline, *, default_seq: bool) -> Verdict:
        """Raises UnreachableError."""
        for _ in range(2):
            if not self._api.opened:
                opened = self._api.open(deadline.remaining_seconds)
                if not opened.ok:
                    raise UnreachableError(opened.problem)
            seq = int(str(event["seq"])) + self._spool.shift
            # A spool that is new to an old session counts from 0 until its first records are shipped.
            seq = max(seq, self._api.next_seq - 1) if default_seq else seq
            answer = self._api.report({**event, "seq": max(0, seq)}, deadline.remaining_seconds)
            if answer.code != "not_found":
                break
            self._api.opened = False  # the service lost or reset its data
        if answer.ok:
            verdict = Verdict.from_body(answer.body)
            if verdict is None:
                message = f"an answer to a usage event that is no verdict: {str(answer.body)[:200]}"
                raise UnreachableError(Problem("unexpected_answer", message, "Is the client as new as the service?"))
            self._health.succeeded()
            return verdict
        if answer.status not in (400, 413, 422):
            raise UnreachableError(answer.problem)
        # The event itself is refused, and would be every time.
        self._spool.set_aside(to_json(event), answer.problem, kind=entries.USAGE)
        return Verdict(Verdict.CONTINUE, event_id=str(event["event_id"]))

    def _declare(self, interrupt: dict[str, object]) -> bool:
        interrupt_id = str(interrupt["interrupt_id"])
        try:
            self._tell(entries.INTERRUPT, interrupt_id, interrupt)
            return self._delivery.take_answer(interrupt_id) is not None
        except Exception as error:
            self._defect(error)
            return False

    def _tell(self, kind: str, answer_id: str, details: dict[str, object]) -> None:
        """Into the spool, behind the records it is about; then wait until it was shipped, in bounds."""
        self._delivery.expect(answer_id)
        _, mark = self._spool.append([(kind, to_json(details))])
        self._shipper.wait(mark, self._timeout_seconds, patient=False)

    def _claim(self, claimed_by: str, deadline: Deadline) -> Handoff | None:
        mark = self._spool.mark()
        while True:
            shipped = self._spool.passed(mark) or self._shipper.wait(mark, deadline.remaining_seconds / 2, patient=True)
            left = deadline.remaining_seconds
            try:
                answer = self._api.claim(claimed_by, left, left + self._timeout_seconds)
            except UnreachableError as error:
                self._health.failed(error.problem)
            else:
                self._health.succeeded()
                # The service is just back, and what it misses is still with us.
                early = not shipped and answer.code in ("not_found", "nothing_to_hand_off")
                if not (early and deadline.remaining_seconds):
                    return self._handoff(answer)
            if not deadline.remaining_seconds:
                return None
            time.sleep(min(_CLAIM_PAUSE_SECONDS, deadline.remaining_seconds))

    def _handoff(self, answer: Answer) -> Handoff | None:
        handoff = Handoff.from_body(answer.body) if answer.ok else None
        if handoff is None:
            unexpected = Problem("unexpected_answer", "an answer to a claim that is no handoff")
            self._health.note(unexpected if answer.ok else answer.problem)
        return handoff

    def _defect(self, error: Exception) -> None:
        """Ours, whatever it is: the host's loop goes on."""
        logger.debug("a defect of the client", exc_info=True)
        self._health.note(Problem("internal", f"{type(error).__name__}: {error}", "This is a defect of the client."))

    def _at_exit(self, seconds: float) -> None:
        self.close(seconds)

    def _after_fork(self) -> None:
        self._health.after_fork()
        self._http.after_fork()
        self._spool.after_fork()
        self._delivery.after_fork()
        self._shipper.after_fork()
