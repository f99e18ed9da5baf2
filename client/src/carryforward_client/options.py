"""What a client is opened with: checked once, here, so that nothing of it can be refused later."""

import os
from pathlib import Path

DEFAULT_URL = "http://127.0.0.1:8377"
FORMATS = ("claude-code", "anthropic-messages")


def description(
    *,
    session_id: str,
    agent_id: str,
    format: str,  # noqa: A002 (the wire's word)
    **optional: str | int | float | None,
) -> dict[str, object]:
    """The body that opens the session. Raises TypeError and ValueError."""
    if format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}, not {format!r}")
    for name, value in (("agent_id", agent_id), ("session_id", session_id)):
        if not isinstance(value, str):
            raise TypeError(f"{name} is a string, not {type(value).__name__}")
        if not value:
            raise ValueError(f"{name} is empty")
        value.encode()  # half a surrogate pair is no id: UnicodeEncodeError is a ValueError
    given = {name: value for name, value in optional.items() if value is not None}
    return {"session_id": session_id, "agent_id": agent_id, "format": format, **given}


def service_url(given: str | None) -> str:
    return given or os.environ.get("CARRYFORWARD_URL") or DEFAULT_URL


def spool_directory(given: str | os.PathLike[str] | None) -> Path:
    chosen = given or os.environ.get("CARRYFORWARD_SPOOL_DIR")
    if chosen:
        return Path(chosen).absolute()
    try:
        return Path.home() / ".carryforward" / "spool"
    except RuntimeError:  # no home: a place that cannot be written, so that memory is used and the problem told
        return Path(os.devnull) / "carryforward-spool"
