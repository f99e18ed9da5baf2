"""Stored handoffs."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.api import schemas
from service.api.deps import PortsDep
from service.errors import NotFoundError

router = APIRouter(prefix="/v1/handoffs", tags=["handoffs"])


@router.get("", summary="Handoffs, newest first")
def handoffs(
    ports: PortsDep,
    session_id: str | None = None,
    agent_id: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> schemas.HandoffList:
    with ports.units.read() as unit:
        found = unit.handoffs.find(session_id=session_id, agent_id=agent_id, limit=limit)
    return schemas.HandoffList(handoffs=[schemas.StoredHandoffView.of(handoff) for handoff in found])


@router.get("/{handoff_id}", summary="A handoff: its seed and where its kept tail lies")
def handoff(ports: PortsDep, handoff_id: str) -> schemas.StoredHandoffView:
    with ports.units.read() as unit:
        found = unit.handoffs.get(handoff_id)
    if found is None:
        raise NotFoundError(f"no handoff {handoff_id}", hint="GET /v1/handoffs lists them.")
    return schemas.StoredHandoffView.of(found)
