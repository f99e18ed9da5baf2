"""Moving accepted usage events into SQL."""

from models.kinds import TaskName
from service.flows.drain_usage import drain_usage
from tasks.app import app
from tasks.base import FlowTask


@app.task(bind=True, name=TaskName.DRAIN)
def drain(self: FlowTask) -> None:
    drain_usage(self.ports)
