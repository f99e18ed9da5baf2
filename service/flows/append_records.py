"""Append a batch of transcript lines to a session, once each."""

from service.errors import NotFoundError
from service.ports import AppendOutcome, NewLine, Ports

MAX_UUID_CHARS = 200


def append_records(ports: Ports, session_id: str, body: bytes, first_seq: int | None) -> AppendOutcome:
    """`body` is the lines as they are, newline-separated; a last line without its newline is a line too.

    NotFoundError, RecordsMissingError (a gap), RecordConflictError (other bytes at a taken `seq`): nothing is stored.
    """
    with ports.units.read() as unit:
        session = unit.sessions.get(session_id)
    if session is None:
        raise unknown_session(session_id)
    reader = ports.readers[session.format]
    lines = [NewLine(data, _uuid(reader.record_uuid(data))) for data in _lines(body)]
    with ports.units.write() as unit:
        session = unit.sessions.lock(session_id)
        if session is None:
            raise unknown_session(session_id)
        return unit.records.append(session, lines, first_seq)


def unknown_session(session_id: str) -> NotFoundError:
    return NotFoundError(f"no session {session_id}")


def _lines(body: bytes) -> list[bytes]:
    lines = body.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _uuid(uuid: str | None) -> str | None:
    return uuid if uuid is not None and len(uuid) <= MAX_UUID_CHARS else None
