"""`api.json`: where the API of a data directory listens, for `up`, `doctor` and people who chose port 0."""

import http.client
import json
import os
from pathlib import Path
from urllib.parse import urlsplit

from service.settings import Settings

ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 (what to call instead, not to listen on)


def url_of(host: str, port: int) -> str:
    reachable = ANYWHERE.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def announce(settings: Settings, port: int) -> None:
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = _path(settings).with_suffix(".json.new")
    draft.write_text(json.dumps({"url": url_of(settings.host, port), "pid": os.getpid()}) + "\n")
    draft.replace(_path(settings))


def forget(settings: Settings) -> None:
    _path(settings).unlink(missing_ok=True)


def announced(settings: Settings) -> str | None:
    """The url last announced, alive or not."""
    try:
        return str(json.loads(_path(settings).read_bytes())["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def get(url: str, path: str, timeout: float = 2.0) -> tuple[int, bytes] | None:
    """Status and body; None when nobody answers."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _path(settings: Settings) -> Path:
    return settings.data_dir / "api.json"
