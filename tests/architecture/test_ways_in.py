"""README, `.ci/run`, Makefile and `./dev` name the same commands."""

import re
import subprocess

from tests.architecture.checkout import ROOT


def verbs() -> set[str]:
    """What `./dev` takes."""
    usage = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
    named = re.findall(r"^  ([a-z]+(?: \| [a-z]+)*)", usage, re.MULTILINE)
    return {verb for line in named for verb in line.split(" | ")}


def test_ci_runs_the_tests_with_the_readmes_second_command() -> None:
    commands = re.findall(r"^\./dev .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [command.split("#")[0].strip() for command in commands[:2]] == ["./dev demo", "./dev test"]
    assert re.search(r"^run \./dev test\b", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


def test_every_verb_that_is_named_anywhere_exists() -> None:
    for name in ("README.md", "docs/developing.md", ".ci/run", "pyproject.toml", "requirements/app.txt"):
        named = set(re.findall(r"\./dev ([a-z]+)\b", (ROOT / name).read_text()))
        assert named <= verbs(), name


def test_make_has_the_same_verbs() -> None:
    line = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("VERBS :="))
    assert set(line.removeprefix("VERBS :=").split()) - {"help"} == verbs() - {"run"}


def test_an_unknown_verb_is_refused_before_anything_is_installed() -> None:
    done = subprocess.run([ROOT / "dev", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "unknown verb: nonsense" in done.stderr
