"""What beat sends, and how often. Each message expires with its period: a slow worker gets no backlog of ticks."""

from typing import Any

from models.kinds import TaskName
from service.settings import Settings


def schedule(settings: Settings) -> dict[str, dict[str, Any]]:
    return {
        name.value: {"task": name.value, "schedule": seconds, "options": {"expires": max(seconds * 3, 3)}}
        for name, seconds in ((TaskName.SWEEP, settings.sweep_seconds), (TaskName.DRAIN, settings.drain_seconds))
    }
