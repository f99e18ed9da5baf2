"""Settings: environment variables that begin with CARRYFORWARD_, or a .env file. Nothing else reads the environment."""

from functools import lru_cache
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """With no variable set, everything runs on the embedded engine under `data_dir`."""

    model_config = SettingsConfigDict(env_prefix="CARRYFORWARD_", env_file=".env", extra="ignore")

    data_dir: Path = Field(
        default_factory=lambda: Path.home() / ".carryforward",
        description="Where the embedded engine and SQLite keep their files; one data directory, one running engine.",
    )
    redis_url: str | None = Field(
        None, description="Redis or Valkey 7+, for example redis://host:6379/0. Unset: the embedded Valkey."
    )
    broker_url: str | None = Field(None, description="Celery's broker. Unset: the same server as redis_url.")
    redis_shards: int = Field(
        1,
        ge=1,
        le=1024,
        description="Hash tags that sessions are spread over. 1 for a single server; on a Redis Cluster 64 or so. "
        "The same in every process, for as long as the data lives.",
    )
    database_url: str | None = Field(
        None,
        description="PostgreSQL, for example postgresql+psycopg://user@host/carryforward. Unset: SQLite in data_dir.",
    )
    host: str = Field("127.0.0.1", description="Address the API listens on.")
    port: int = Field(8377, ge=0, le=65535, description="Port the API listens on; 0 picks a free one.")

    threshold: float = Field(0.70, gt=0, le=1, description="Share of the window at which a handoff is prepared.")
    backstop: float = Field(0.78, gt=0, le=1, description="Share of the window at which the host should end the turn.")
    window_tokens: int = Field(
        200_000, ge=1, description="Window assumed for a session whose host never declared one, tokens."
    )
    seed_chars: int = Field(4_000, ge=500, description="Budget of a seed, characters.")
    tail_tokens: int = Field(
        8_000,
        ge=0,
        description="Largest kept tail, estimated tokens. Past it, sealing lets the ledger cover more records first.",
    )

    tail_share: float = Field(
        0.05,
        ge=0,
        le=1,
        description="Largest kept tail as a share of the window; the smaller of the two counts.",
    )

    lease_seconds: float = Field(
        6, gt=0, description="A worker that stops renewing its compaction's lease loses it after this long."
    )
    sweep_seconds: float = Field(2, gt=0, description="How often beat looks for lost leases and forgotten crossings.")
    drain_seconds: float = Field(1, gt=0, description="How often workers move queued usage events into SQL.")
    attempts: int = Field(3, ge=1, description="Preparations tried for one session before it is given up.")
    session_ttl_seconds: int = Field(
        7 * 86_400, ge=60, description="How long Redis remembers an idle session's gauge and event ids."
    )
    worker_pool: str = Field("threads", description="Celery pool of `carryforward worker`.")
    worker_concurrency: int = Field(4, ge=1, description="Threads or processes of `carryforward worker`.")
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")

    @model_validator(mode="after")
    def _backstop_is_past_the_threshold(self) -> Self:
        if self.backstop < self.threshold:
            raise ValueError(
                f"CARRYFORWARD_BACKSTOP ({self.backstop}) is below CARRYFORWARD_THRESHOLD ({self.threshold}): "
                "the turn would be ended before a handoff is prepared"
            )
        return self

    @property
    def sqlalchemy_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'carryforward.db'}"


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    return Settings()
