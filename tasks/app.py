"""The Celery application. Every setting that differs from Celery's default says why."""

from typing import Any

from celery import Celery
from celery.signals import setup_logging

from models.kinds import Queue
from service import wiring
from service.observe.logs import configure_logs
from service.settings import get_settings
from tasks.base import FlowTask
from tasks.queues import QUEUES, ROUTES
from tasks.schedule import schedule


def _configuration() -> dict[str, Any]:
    """Read when Celery first needs it: importing this module asks no engine where it is."""
    settings = get_settings()
    return {
        "broker_url": wiring.running_urls(settings).broker_url,
        "task_queues": QUEUES,
        # No queue but ours: one that is misspelt must fail, not be made.
        "task_default_queue": Queue.UPKEEP.value,
        "task_create_missing_queues": False,
        "task_routes": ROUTES,
        # Ids in, nothing out: what a task did is in SQL.
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        # A task is done when it has run, not when it was handed out; a dead worker's task goes back.
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        # One task a thread at a time: a preparation must not wait behind another in one worker's memory.
        "worker_prefetch_multiplier": 1,
        # Leases and the sweep find lost work within seconds; the broker's own redelivery is only the last resort,
        # and a short visibility timeout would run long tasks three times over.
        "broker_transport_options": {"visibility_timeout": 3600, "socket_timeout": 10, "health_check_interval": 5},
        "broker_connection_retry_on_startup": True,
        # Nobody listens to these events, and remote control is one more connection a worker can hang on.
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "beat_schedule": schedule(settings),
    }


app = Celery("carryforward", task_cls=FlowTask, include=["tasks.compaction", "tasks.usage"])
app.add_defaults(_configuration)


@setup_logging.connect
def _logs(**_: object) -> None:
    configure_logs(get_settings().log_level)
