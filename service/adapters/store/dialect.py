"""The one statement that both engines spell through their own dialect: insert what is not there yet."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert the rows whose primary key is free; how many there were."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    stored = 0
    for row in rows:
        result = connection.execute(dialect.insert(table).values(**row).on_conflict_do_nothing())
        stored += result.rowcount
    return stored
