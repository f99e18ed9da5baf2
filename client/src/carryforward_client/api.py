"""The service's calls for one session, as docs/http.md has them."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from carryforward_client.http import Answer, Http, UnreachableError
from carryforward_client.records import to_json
from carryforward_client.types import Problem


class SessionApi:
    """Thread-safe. Every call may raise UnreachableError, and may be made again.

    Answers with a status that says "later" (429, 5xx), and those of something that is not the service, are
    unreachable as well: callers see what the service took, and what it refused for a reason.
    """

    def __init__(self, http: Http, description: Mapping[str, object]) -> None:
        self._http = http
        self._description = description
        session_id = quote(str(description["session_id"]), safe="")
        # Two names a path may not have, whoever may be between us and the service.
        session_id = {".": "%2E", "..": "%2E%2E"}.get(session_id, session_id)
        self._path = f"/v1/sessions/{session_id}"
        self.opened = False
        self.next_seq = 0  # the service's, as of its last word

    def open(self, seconds: float) -> Answer:
        """Idempotent. Sets `next_seq`."""
        answer = self._post("/v1/sessions", self._description, seconds)
        if answer.ok:
            self.opened = True
            self._note_next_seq(answer)
        return answer

    def append(self, first_seq: int, lines: Sequence[bytes], seconds: float) -> Answer:
        body = b"\n".join(lines) + b"\n"
        path = f"{self._path}/records?first_seq={first_seq}"
        answer = _usable(self._http.send("POST", path, body, "application/x-ndjson", seconds=seconds))
        self._note_next_seq(answer)
        return answer

    def report(self, events: Mapping[str, object] | Sequence[Mapping[str, object]], seconds: float) -> Answer:
        """One usage event, or several."""
        return self._post("/v1/usage", events, seconds)

    def declare(self, interrupt: Mapping[str, object], seconds: float) -> Answer:
        return self._post(f"{self._path}/interrupts", interrupt, seconds)

    def end_turn(self, seconds: float) -> Answer:
        return self._post(f"{self._path}/turn-end", {}, seconds)

    def claim(self, claimed_by: str, wait_seconds: float, seconds: float) -> Answer:
        body = {"claimed_by": claimed_by, "wait_seconds": round(min(60.0, max(0.0, wait_seconds)), 3)}
        return self._post(f"{self._path}/claim", body, seconds)

    def _post(self, path: str, body: Any, seconds: float) -> Answer:
        return _usable(self._http.send("POST", path, to_json(body), "application/json", seconds=seconds))

    def _note_next_seq(self, answer: Answer) -> None:
        next_seq = answer.body.get("next_seq")
        if type(next_seq) is int:
            self.next_seq = next_seq


def _usable(answer: Answer) -> Answer:
    from_the_service = answer.ok or (answer.code and answer.status < 500 and answer.status != 429)
    # A proxy's own limit on sizes; smaller pieces pass it.
    if from_the_service or answer.status == 413:
        return answer
    problem = answer.problem
    raise UnreachableError(
        Problem(problem.code, problem.message, problem.hint or "Does the url point at Carryforward?")
    )
