"""Stored ledgers and their entries."""

from typing import Annotated

from fastapi import APIRouter, Query

from models.kinds import EntryKind
from service.api import schemas
from service.api.deps import PortsDep
from service.errors import NotFoundError

Limit = Annotated[int, Query(ge=1, le=1000)]

router = APIRouter(prefix="/v1", tags=["ledgers"])


@router.get("/ledgers", summary="Ledgers, newest first, without entries")
def ledgers(
    ports: PortsDep, session_id: str | None = None, agent_id: str | None = None, limit: Limit = 50
) -> schemas.LedgerList:
    with ports.units.read() as unit:
        found = unit.ledgers.find(session_id=session_id, agent_id=agent_id, limit=limit)
    return schemas.LedgerList(
        ledgers=[schemas.LedgerSummary.model_validate(schemas.ledger_fields(stored)) for stored in found]
    )


@router.get("/ledgers/{ledger_id}", summary="A ledger with its entries and their evidence")
def ledger(ports: PortsDep, ledger_id: str) -> schemas.LedgerView:
    with ports.units.read() as unit:
        stored = unit.ledgers.get(ledger_id)
    if stored is None:
        raise NotFoundError(f"no ledger {ledger_id}", hint="GET /v1/ledgers lists them.")
    return schemas.LedgerView.of(stored)


@router.get("/entries", summary="Entries of current ledgers")
def entries(
    ports: PortsDep,
    agent_id: str | None = None,
    session_id: str | None = None,
    kind: EntryKind | None = None,
    value: str | None = None,
    limit: Limit = 100,
) -> schemas.EntryList:
    """Of each session's newest ledger. `value` is compared exactly."""
    with ports.units.read() as unit:
        found = unit.ledgers.current_entries(
            session_id=session_id, agent_id=agent_id, kind=kind, value=value, limit=limit
        )
    return schemas.EntryList(
        entries=[
            schemas.SessionEntry(**schemas.EntryView.of(entry, session).model_dump(), session_id=session)
            for session, entry in found
        ]
    )
