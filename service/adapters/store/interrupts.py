"""Declared interrupts in SQL."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from models.interrupt import Interrupt
from service.domain.ledger import DeclaredInterrupt


def _declared(row: Interrupt) -> DeclaredInterrupt:
    return DeclaredInterrupt(cause=row.cause, tool_use_ids=tuple(row.tool_use_ids), after_seq=row.after_seq)


class SqlInterrupts:
    def __init__(self, db: Session) -> None:
        self._db = db

    def declare(self, interrupt_id: str, session_id: str, interrupt: DeclaredInterrupt) -> DeclaredInterrupt:
        row = self._db.get(Interrupt, interrupt_id)
        if row is None:
            row = Interrupt(
                id=interrupt_id,
                session_id=session_id,
                cause=interrupt.cause,
                tool_use_ids=list(interrupt.tool_use_ids),
                after_seq=interrupt.after_seq,
                declared_at=datetime.now(UTC),
            )
            self._db.add(row)
            self._db.flush()
        return _declared(row)

    def of(self, session_id: str) -> Sequence[DeclaredInterrupt]:
        query = select(Interrupt).where(Interrupt.session_id == session_id)
        return [_declared(row) for row in self._db.exec(query.order_by(col(Interrupt.after_seq), col(Interrupt.id)))]
