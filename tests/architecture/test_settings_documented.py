"""`.env.example` names every setting with its description and default, and nothing else."""

import re

from service.settings import Settings
from tests.architecture.checkout import ROOT

ENTRY = re.compile(r"((?:# .+\n)+)# CARRYFORWARD_([A-Z_]+)=(.*)\n")


def documented() -> dict[str, tuple[str, str]]:
    """Name to description and default, as .env.example has them."""
    return {
        name.lower(): (" ".join(line.removeprefix("# ") for line in comment.splitlines()), default)
        for comment, name, default in ENTRY.findall((ROOT / ".env.example").read_text() + "\n")
    }


def test_every_setting_is_documented_and_nothing_else_is() -> None:
    assert set(documented()) == set(Settings.model_fields)


def test_descriptions_and_defaults_are_those_of_the_code() -> None:
    for name, (description, default) in documented().items():
        field = Settings.model_fields[name]
        assert description == field.description, name
        if field.default_factory is None:
            assert default == ("" if field.default is None else str(field.default)), name


def test_nothing_is_set_in_it() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == []
