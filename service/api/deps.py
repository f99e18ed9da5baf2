"""What routes are handed: the process's ports."""

from typing import Annotated

from fastapi import Depends, Request

from service.ports import Ports
from service.wiring import Runtime


def _runtime(request: Request) -> Runtime:
    running: Runtime = request.app.state.runtime
    return running


def _ports(request: Request) -> Ports:
    return _runtime(request).ports


RuntimeDep = Annotated[Runtime, Depends(_runtime)]
PortsDep = Annotated[Ports, Depends(_ports)]
