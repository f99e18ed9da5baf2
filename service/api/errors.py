"""Errors as JSON: every one has a code, a message and a hint."""

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException

from service.errors import CarryforwardError, InvalidInputError, NotFoundError

log = structlog.get_logger()


def answer(error: CarryforwardError) -> JSONResponse:
    return JSONResponse(error.body(), status_code=error.status)


def install(app: FastAPI) -> None:
    """Turn every failure of a route into the one error shape."""

    @app.exception_handler(CarryforwardError)
    def ours(_: Request, error: CarryforwardError) -> JSONResponse:
        return answer(error)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return answer(InvalidInputError(f"{where}: {first['msg']}", details={"field": where}))

    @app.exception_handler(HTTPException)
    def framework(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            return answer(NotFoundError(f"no route {request.method} {request.url.path}", hint="See /docs."))
        body = {"error": {"code": "http", "message": str(error.detail), "hint": "See /docs."}}
        return JSONResponse(body, status_code=error.status_code, headers=error.headers)

    @app.exception_handler(OperationalError)
    def database(_: Request, error: OperationalError) -> JSONResponse:
        log.error("database unavailable", reason=str(error.orig))
        body = {
            "error": {
                "code": "database_unavailable",
                "message": "the database cannot be reached or is busy",
                "hint": "Send it again; `carryforward doctor` tells more.",
            }
        }
        return JSONResponse(body, status_code=503)

    @app.exception_handler(Exception)
    def defect(request: Request, error: Exception) -> JSONResponse:
        log.error("request failed", method=request.method, path=request.url.path, exc_info=error)
        return answer(CarryforwardError("the request failed inside Carryforward"))
