"""Accepted usage events in SQL."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlmodel import Session, col, select

from models.reading import Reading
from service.adapters.store.dialect import insert_new
from service.ports import QueuedReading


class SqlReadings:
    def __init__(self, db: Session) -> None:
        self._db = db

    def add(self, readings: Sequence[QueuedReading]) -> int:
        rows = [asdict(reading) for reading in readings]
        return insert_new(self._db.connection(), Reading.__table__, rows)  # type: ignore[attr-defined]

    def of(self, session_id: str) -> Sequence[QueuedReading]:
        query = select(Reading).where(Reading.session_id == session_id).order_by(col(Reading.seq), col(Reading.at))
        return [QueuedReading(**row.model_dump()) for row in self._db.exec(query)]
