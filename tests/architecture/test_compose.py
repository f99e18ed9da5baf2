"""compose.yaml, the Dockerfile and the command line agree. (No container is started here: that was not checked.)"""

import re
from typing import Any

import typer.main
import yaml

from service.cli.main import app
from service.settings import Settings
from tests.architecture.checkout import ROOT

OURS = {"migrate", "api", "worker", "beat"}


def services() -> dict[str, dict[str, Any]]:
    return dict(yaml.safe_load((ROOT / "compose.yaml").read_text())["services"])


def test_our_services_run_commands_that_exist() -> None:
    commands = set(typer.main.get_group(app).commands)
    assert commands >= OURS
    assert {name: service["command"] for name, service in services().items() if name in OURS} == {
        name: [name] for name in OURS
    }


def test_one_image_runs_them_all() -> None:
    assert {services()[name]["image"] for name in OURS} == {"carryforward"}
    assert set(services()) == OURS | {"redis", "postgres"}


def test_they_are_given_only_settings_that_exist() -> None:
    known = {f"CARRYFORWARD_{name.upper()}" for name in Settings.model_fields}
    for name in OURS:
        assert set(services()[name]["environment"]) <= known
    assert set(re.findall(r"CARRYFORWARD_[A-Z_]+", (ROOT / "Dockerfile").read_text())) <= known


def test_nothing_starts_before_the_tables_are_there() -> None:
    for name in OURS - {"migrate"}:
        assert services()[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    for name in ("redis", "postgres", "api"):
        assert services()[name]["healthcheck"]["test"][0] == "CMD"


def test_redis_keeps_everything() -> None:
    command = " ".join(services()["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command


def test_the_api_is_published_where_it_listens() -> None:
    default = Settings.model_fields["port"].default
    assert services()["api"]["ports"] == [f"127.0.0.1:{default}:{default}"]
    assert f"EXPOSE {default}" in (ROOT / "Dockerfile").read_text()


def test_the_image_has_the_pinned_requirements_and_no_root() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes --requirement requirements/app.txt" in dockerfile
    assert "USER carryforward" in dockerfile
    for copied in ("service", "tasks", "models", "requirements"):
        assert f"!{copied}/" in (ROOT / ".dockerignore").read_text()
