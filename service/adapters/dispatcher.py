"""Sends Celery tasks by name: the service knows their names, never their code."""

from celery import Celery
from kombu.exceptions import OperationalError

from models.kinds import Queue, TaskName
from service.errors import QueueUnavailableError


class CeleryDispatcher:
    """Implements `service.ports.Dispatcher`. Publishing fails fast: a sweep sends again what was lost."""

    def __init__(self, broker_url: str) -> None:
        self._app = Celery("carryforward-dispatcher", broker=broker_url, set_as_current=False)
        self._app.conf.update(
            broker_transport_options={"socket_connect_timeout": 1, "socket_timeout": 2},
            broker_connection_retry_on_startup=False,
            task_ignore_result=True,
        )

    def prepare(self, session_id: str) -> None:
        try:
            self._app.send_task(TaskName.PREPARE, args=[session_id], queue=Queue.COMPACTION, retry=False)
        except (OperationalError, OSError) as error:
            raise QueueUnavailableError(f"Celery's broker cannot be reached: {error}") from error

    def close(self) -> None:
        self._app.close()
