"""Open a session: the next generation of its agent, with the window and marks its usage will be judged by."""

from dataclasses import dataclass, replace

from models.kinds import TranscriptFormat
from service.errors import SessionConflictError
from service.ports import Ports, SessionMarks, SessionState, Unit


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a host declares. None: the default for a new session, the stored value for a known one."""

    session_id: str
    agent_id: str
    format: TranscriptFormat = TranscriptFormat.CLAUDE_CODE
    window_tokens: int | None = None
    threshold: float | None = None
    backstop: float | None = None
    system: str | None = None
    parent_session_id: str | None = None


def open_session(ports: Ports, new: NewSession) -> SessionState:
    """Open it, or return the one that is open already with what is declared anew.

    SessionConflictError: the id belongs to another agent, or holds another format.
    QueueUnavailableError: stored, but its marks are not in Redis yet; open it again.
    """
    with ports.units.write() as unit:
        session = unit.sessions.lock(new.session_id)
        if session is None:
            session = add_session(unit, ports, new)
        else:
            session = _redeclared(session, new)
            unit.sessions.redeclare(session)
    ports.gauges.declare(marks_of(session))
    return session


def add_session(unit: Unit, ports: Ports, new: NewSession) -> SessionState:
    """Store a session that is not there yet."""
    session = SessionState(
        session_id=new.session_id,
        agent_id=new.agent_id,
        generation=unit.sessions.latest_generation(new.agent_id) + 1,
        format=new.format,
        next_seq=0,
        turn_ended_seq=-1,
        window_tokens=new.window_tokens,
        threshold=ports.marks.threshold if new.threshold is None else new.threshold,
        backstop=ports.marks.backstop if new.backstop is None else new.backstop,
        system=new.system,
        parent_session_id=new.parent_session_id,
    )
    unit.sessions.add(session)
    return session


def marks_of(session: SessionState) -> SessionMarks:
    return SessionMarks(
        session_id=session.session_id,
        agent_id=session.agent_id,
        window_tokens=session.window_tokens,
        threshold=session.threshold,
        backstop=session.backstop,
    )


def _redeclared(session: SessionState, new: NewSession) -> SessionState:
    if session.agent_id != new.agent_id:
        raise SessionConflictError(f"session {session.session_id} belongs to agent {session.agent_id}")
    if session.format != new.format:
        if session.next_seq > 0:
            raise SessionConflictError(f"session {session.session_id} holds {session.format} records")
        session = replace(session, format=new.format)  # a fresh session's claim opened it before its host did
    return replace(
        session,
        window_tokens=session.window_tokens if new.window_tokens is None else new.window_tokens,
        threshold=session.threshold if new.threshold is None else new.threshold,
        backstop=session.backstop if new.backstop is None else new.backstop,
        system=session.system if new.system is None else new.system,
    )
