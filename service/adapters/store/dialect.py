"""The one statement that both engines spell through their own dialect: insert what is not there yet."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

ROWS_A_STATEMENT = 500
"""SQLite takes 32,766 values in one statement."""


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert the rows whose primary key is free; how many there were."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    first_key = next(iter(table.primary_key.columns))
    stored = 0
    for start in range(0, len(rows), ROWS_A_STATEMENT):
        values = list(rows[start : start + ROWS_A_STATEMENT])
        insert = dialect.insert(table).values(values).on_conflict_do_nothing().returning(first_key)
        stored += len(connection.execute(insert).all())  # a row that was there returns nothing
    return stored
