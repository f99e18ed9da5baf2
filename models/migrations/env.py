"""Runs migrations on the connection it is given, or, on the bare alembic command line, on the service's database."""

import os
from pathlib import Path

from alembic import context
from sqlalchemy import Connection

from models.database import make_engine
from models.registry import metadata


def _url() -> str:
    """What the service would use (models may not import its settings)."""
    data_dir = Path(os.environ.get("CARRYFORWARD_DATA_DIR", Path.home() / ".carryforward"))
    return os.environ.get("CARRYFORWARD_DATABASE_URL") or f"sqlite:///{data_dir / 'carryforward.db'}"


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    _run(given)
else:
    engine = make_engine(_url())
    with engine.connect() as connection:
        _run(connection)
        connection.commit()
    engine.dispose()
