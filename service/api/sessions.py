"""Sessions: open, append records, end a turn, declare an interrupt, claim the handoff."""

import asyncio
import time
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from service.api import schemas
from service.api.deps import PortsDep
from service.api.ids import QuotedId
from service.errors import TooLargeError
from service.flows.append_records import append_records, unknown_session
from service.flows.claim_handoff import claim_handoff, request_handoff
from service.flows.declare_interrupt import declare_interrupt
from service.flows.end_turn import end_turn
from service.flows.open_session import NewSession, open_session
from service.ports import Ports

MAX_BODY_BYTES = 64 * 1024 * 1024
FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS = 0.02, 0.25
"""A waiting claim looks again after this long, more slowly the longer it waits."""

NDJSON = "application/x-ndjson"

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])


@router.post("", summary="Open a session")
def open_(ports: PortsDep, body: schemas.OpenSession) -> schemas.Session:
    """Opening again returns the same session; what the body declares anew is stored."""
    open_session(ports, NewSession(**dict(body)))
    return _show(ports, body.session_id)


@router.get("/{session_id}", summary="Show a session")
def show(ports: PortsDep, session_id: QuotedId) -> schemas.Session:
    return _show(ports, session_id)


@router.post(
    "/{session_id}/records",
    summary="Append records",
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON: {"schema": {"type": "string"}}}}},
)
async def append(
    ports: PortsDep, session_id: QuotedId, request: Request, first_seq: Annotated[int | None, Query(ge=0)] = None
) -> schemas.Appended:
    """The body is the transcript's own lines, stored unchanged. Sent again, they are duplicates."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise TooLargeError(f"the batch is over {MAX_BODY_BYTES:,} bytes", hint="Send fewer records at a time.")
    outcome = await run_in_threadpool(append_records, ports, session_id, bytes(body), first_seq)
    return schemas.Appended(
        session_id=session_id, stored=outcome.stored, duplicates=outcome.duplicates, next_seq=outcome.next_seq
    )


@router.get("/{session_id}/records", summary="The stored records, byte-exact", response_class=Response)
def records(
    ports: PortsDep,
    session_id: QuotedId,
    from_seq: Annotated[int, Query(ge=0)] = 0,
    to_seq: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    with ports.units.read() as unit:
        if unit.sessions.get(session_id) is None:
            raise unknown_session(session_id)
        body = b"".join(line + b"\n" for _, line in unit.records.read(session_id, from_seq, to_seq))
    return Response(body, media_type=NDJSON)


@router.post("/{session_id}/turn-end", summary="Tell that a turn has ended")
def turn_end(ports: PortsDep, session_id: QuotedId, _body: schemas.EndTurn | None = None) -> schemas.TurnEnded:
    """Seals the session's handoff where one is prepared."""
    ended = end_turn(ports, session_id)
    handoff = None
    if ended is not None:
        handoff = schemas.TurnHandoff(handoff_id=ended.handoff_id, state=ended.state, degraded=list(ended.degraded))
    return schemas.TurnEnded(session_id=session_id, handoff=handoff)


@router.post("/{session_id}/interrupts", summary="Declare an interrupt before issuing it")
def interrupt(ports: PortsDep, session_id: QuotedId, body: schemas.DeclareInterrupt) -> schemas.InterruptDeclared:
    declared = declare_interrupt(ports, session_id, body.interrupt_id, body.cause, tuple(body.tool_use_ids))
    return schemas.InterruptDeclared(interrupt_id=body.interrupt_id, after_seq=declared.after_seq)


@router.post("/{session_id}/claim", summary="Take the handoff, exactly once")
async def claim(ports: PortsDep, session_id: QuotedId, body: schemas.Claim) -> schemas.Claimed:
    """Answers as soon as the prepared handoff is there, at the latest after `wait_seconds` with what there is."""
    deadline = time.monotonic() + body.wait_seconds
    pause = FIRST_LOOK_SECONDS
    while not await run_in_threadpool(request_handoff, ports, session_id):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, LONGEST_LOOK_SECONDS)
    return schemas.Claimed.of(await run_in_threadpool(claim_handoff, ports, session_id, body.claimed_by))


def _show(ports: Ports, session_id: str) -> schemas.Session:
    with ports.units.read() as unit:
        session = unit.sessions.get(session_id)
        if session is None:
            raise unknown_session(session_id)
        compaction = unit.compactions.of(session_id)
    return schemas.Session.of(session, compaction.state if compaction else None)
