"""Import paths are folder paths: our packages come from this checkout, under their own names and no others."""

import importlib.util
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT, tracked

OURS = {
    "models": ROOT / "models",
    "service": ROOT / "service",
    "tasks": ROOT / "tasks",
    "carryforward_client": ROOT / "client" / "src" / "carryforward_client",
}
TOP_LEVEL = {
    *(".ci", ".dockerignore", ".env.example", ".gitignore"),
    *("CHANGELOG.md", "Dockerfile", "LICENSE", "Makefile", "README.md", "compose.yaml", "dev", "pyproject.toml"),
    *("benchmarks", "client", "docs", "models", "requirements", "service", "tasks", "tests"),
}


@pytest.mark.parametrize(("name", "folder"), OURS.items())
def test_a_package_is_imported_from_this_checkout(name: str, folder: Path) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve().parent == folder


@pytest.mark.parametrize("name", OURS)
def test_no_other_distribution_brings_a_package_of_our_name(name: str) -> None:
    brought_by = set(packages_distributions().get(name, []))
    assert brought_by <= {"carryforward", "carryforward-client"}


def test_every_package_says_that_it_is_typed() -> None:
    assert [name for name, folder in OURS.items() if not (folder / "py.typed").exists()] == []


def test_the_top_of_the_repository_holds_what_it_is_meant_to() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} - TOP_LEVEL == set()


def test_no_loose_module_lies_on_the_path() -> None:
    assert list(ROOT.glob("*.py")) == []


def test_every_folder_of_tests_is_a_package() -> None:
    """One that is not would shadow a package of ours with the same name; a second package `tests` would shadow ours."""
    folders = {path.parent for path in tracked("tests/*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
    assert not (ROOT / "client" / "tests" / "__init__.py").exists()
