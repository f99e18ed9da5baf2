"""Engines: SQLite in WAL mode or PostgreSQL, with the settings each needs to be safe under several processes."""

from pathlib import Path

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

SQLITE_BUSY_SECONDS = 30
"""How long a writer waits for the one before it. Giving up early would only cost retries."""


def make_engine(url: str) -> Engine:
    """An engine for `url`. Write units on SQLite begin with BEGIN IMMEDIATE (see `service.adapters.store.units`)."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True, pool_size=20, max_overflow=20)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(
        parsed,
        # isolation_level None: the driver begins nothing by itself, `_begin_sqlite` does
        connect_args={"timeout": SQLITE_BUSY_SECONDS, "check_same_thread": False, "isolation_level": None},
        pool_size=20,
        max_overflow=20,
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = NORMAL",  # WAL: a power cut may lose the last commits, never corrupt the file
        "foreign_keys = ON",
        "cache_size = -65536",
        "mmap_size = 268435456",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A deferred BEGIN that reads and then writes fails at once when another writer was faster; IMMEDIATE waits."""
    write = connection.get_execution_options().get("write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
