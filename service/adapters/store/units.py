"""Units: one short transaction each, committed when its `with` ends well."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property

from sqlalchemy import Engine
from sqlmodel import Session

from service.adapters.store.compactions import SqlCompactions
from service.adapters.store.handoffs import SqlHandoffs
from service.adapters.store.interrupts import SqlInterrupts
from service.adapters.store.ledgers import SqlLedgers
from service.adapters.store.readings import SqlReadings
from service.adapters.store.records import SqlRecords
from service.adapters.store.sessions import SqlSessions


class SqlUnit:
    """The stores of one transaction."""

    def __init__(self, db: Session) -> None:
        self._db = db

    @cached_property
    def sessions(self) -> SqlSessions:
        return SqlSessions(self._db)

    @cached_property
    def records(self) -> SqlRecords:
        return SqlRecords(self._db)

    @cached_property
    def readings(self) -> SqlReadings:
        return SqlReadings(self._db)

    @cached_property
    def interrupts(self) -> SqlInterrupts:
        return SqlInterrupts(self._db)

    @cached_property
    def compactions(self) -> SqlCompactions:
        return SqlCompactions(self._db)

    @cached_property
    def ledgers(self) -> SqlLedgers:
        return SqlLedgers(self._db)

    @cached_property
    def handoffs(self) -> SqlHandoffs:
        return SqlHandoffs(self._db)


class SqlUnits:
    """Opens units on one engine. Nested units would wait for each other on SQLite: open one at a time."""

    def __init__(self, engine: Engine) -> None:
        self._writing = engine
        # SQLite lets one writer in and makes the others poll, in no order. This process's writers queue up here
        # instead, first come first served; only other processes are left to poll for.
        self._turn: AbstractContextManager[object] = (
            threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        )
        self._reading = engine.execution_options(write=False)

    @contextmanager
    def read(self) -> Iterator[SqlUnit]:
        with Session(self._reading) as db:
            yield SqlUnit(db)

    @contextmanager
    def write(self) -> Iterator[SqlUnit]:
        with self._turn, Session(self._writing, expire_on_commit=False) as db, db.begin():
            yield SqlUnit(db)
