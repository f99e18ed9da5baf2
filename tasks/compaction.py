"""Preparing handoffs, and finding the ones that were forgotten."""

from models.kinds import TaskName
from service.flows.prepare_handoff import prepare_handoff
from service.flows.sweep import sweep
from tasks.app import app
from tasks.base import FlowTask


@app.task(bind=True, name=TaskName.PREPARE)
def prepare(self: FlowTask, session_id: str) -> None:
    prepare_handoff(self.ports, session_id, owner=self.owner)


@app.task(bind=True, name=TaskName.SWEEP)
def sweep_compactions(self: FlowTask) -> None:
    sweep(self.ports)
