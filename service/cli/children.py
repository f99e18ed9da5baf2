"""What the service's processes are started with: commands, environment, and where they say what they did."""

import sys
from collections.abc import Mapping
from pathlib import Path

from service.settings import Settings


def api_command() -> list[str]:
    return [sys.executable, "-P", "-m", "service.cli.main", "api"]


def worker_command(settings: Settings) -> list[str]:
    """Celery itself, on every queue. Workers need not know each other: nothing of ours asks (gossip, mingle)."""
    return [
        *_celery(),
        *("worker", "--without-gossip", "--without-mingle", "--loglevel", settings.log_level),
        *("--pool", settings.worker_pool, "--concurrency", str(settings.worker_concurrency)),
    ]


def beat_command(settings: Settings) -> list[str]:
    schedule = settings.data_dir.absolute() / "beat-schedule"
    return [*_celery(), "beat", "--schedule", str(schedule), "--pidfile=", "--loglevel", settings.log_level]


def _celery() -> list[str]:
    return [sys.executable, "-P", "-m", "celery", "--app", "tasks.app"]  # -P: no module of the folder we are started in


def child_environment(settings: Settings, inherited: Mapping[str, str]) -> dict[str, str]:
    """`inherited` with every setting spelled out: a child sees what we see, whatever its folder's .env says."""
    ours = {f"CARRYFORWARD_{name.upper()}": value for name, value in settings.model_dump(mode="json").items()}
    kept = {name: value for name, value in inherited.items() if name not in ours}
    return kept | {name: str(value) for name, value in ours.items() if value is not None}


def log_path(settings: Settings, name: str) -> Path:
    return settings.data_dir / "logs" / f"{name}.log"
