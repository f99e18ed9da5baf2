"""Liveness and readiness."""

from fastapi import APIRouter, Response

from service.api.deps import RuntimeDep

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="The process lives")
def healthz() -> dict[str, str]:
    return {"status": "ok"}


@router.get("/readyz", summary="Ready to serve, or what is missing")
def readyz(runtime: RuntimeDep, response: Response) -> dict[str, object]:
    missing = list(runtime.problems())
    if missing:
        response.status_code = 503
    return {"status": "unavailable" if missing else "ok", "missing": missing}
