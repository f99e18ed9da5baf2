"""What a log line must never hold."""

import pytest
import structlog

from service.observe.logs import configure_logs


def test_a_traceback_shows_no_local_variables(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")
    record = "the customer's password is hunter2"
    try:
        raise RuntimeError(f"cannot read {len(record)} bytes")
    except RuntimeError:
        structlog.get_logger().exception("extraction failed", session_id="s-1")
    finally:
        structlog.reset_defaults()
    line = capsys.readouterr().err
    assert "RuntimeError" in line
    assert "s-1" in line
    assert "hunter2" not in line
