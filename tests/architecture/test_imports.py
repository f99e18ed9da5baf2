"""The import rules of pyproject.toml hold, and would notice if they did not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT

LINT = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]


def lint(checkout: Path) -> "subprocess.CompletedProcess[str]":
    # First on the path, so that a copy is looked at instead of what is installed.
    path = {"PYTHONPATH": f"{checkout}:{checkout / 'client' / 'src'}", "PATH": ""}
    return subprocess.run(LINT, cwd=checkout, env=path, capture_output=True, text=True, check=False)


def copy_of_ours(folder: Path) -> Path:
    for name in ("models", "service", "tasks", "client/src"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_import_rules_hold() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("service/domain/gauge.py", "import redis"),
        ("service/domain/gauge.py", "import models.ledger"),
        ("service/ports.py", "import service.adapters.clock"),
        ("models/kinds.py", "import service.errors"),
        ("client/src/carryforward_client/__init__.py", "import models.kinds"),
    ],
)
def test_a_planted_import_breaks_them(tmp_path: Path, module: str, planted: str) -> None:
    checkout = copy_of_ours(tmp_path)
    with (checkout / module).open("a") as file:
        file.write(f"\n{planted}\n")
    done = lint(checkout)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout
