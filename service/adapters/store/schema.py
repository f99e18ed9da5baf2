"""The database's revision: brought to head, or checked to be there."""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from service.errors import DatabaseOutOfDateError, EngineError


def migrate(engine: Engine) -> str:
    """Upgrade to head; the revision it is at then. Two processes may do it at once: one waits for the other."""
    config = _config()
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7202301)")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return head()


def head() -> str:
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def revision(engine: Engine) -> str | None:
    """What the database is at; None when it was never migrated. EngineError when it cannot be reached."""
    try:
        with engine.execution_options(write=False).connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except SQLAlchemyError as error:
        raise EngineError(
            f"the database cannot be reached: {error}", hint="Check CARRYFORWARD_DATABASE_URL."
        ) from error


def check(engine: Engine) -> None:
    """DatabaseOutOfDateError unless the database is at head."""
    found, wanted = revision(engine), head()
    if found != wanted:
        raise DatabaseOutOfDateError(f"the database is at revision {found or 'none'}, this version needs {wanted}")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "models:migrations")
    return config
