"""The base of every task: ports made once a process, ids bound to its log lines, errors sorted."""

import threading
from typing import Any

import structlog
from celery import Task

from service import wiring
from service.errors import RetryableError
from service.ports import Ports
from service.settings import get_settings

_lock = threading.Lock()
_runtime: wiring.Runtime | None = None


def process_ports() -> Ports:
    """This process's ports, made on first use: after a prefork pool has forked, never before."""
    global _runtime
    with _lock:
        if _runtime is None:
            _runtime = wiring.Runtime(get_settings())
        return _runtime.ports


class FlowTask(Task):  # type: ignore[type-arg]
    """A RetryableError is logged as a warning and left to the next sweep or tick; everything else is an error."""

    abstract = True

    @property
    def ports(self) -> Ports:
        return process_ports()

    @property
    def owner(self) -> str:
        """Who runs this: worker, task id. Names a lease's holder."""
        return f"{self.request.hostname}/{self.request.id}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with structlog.contextvars.bound_contextvars(task=self.name, task_id=self.request.id):
            try:
                return super().__call__(*args, **kwargs)
            except RetryableError as error:
                structlog.get_logger().warning("task put off", reason=error.message, hint=error.hint)
                return None
