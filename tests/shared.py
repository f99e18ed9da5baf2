"""Finds data that may lie beside the checkout, in a folder `shared` next to it or next to one of its parents."""

from pathlib import Path

import pytest


def shared_dir(*parts: str) -> Path:
    """`shared/<parts>`; skips the test where it is absent, as in a clone elsewhere."""
    for parent in Path(__file__).resolve().parents:
        found = parent.joinpath("shared", *parts)
        if found.exists():
            return found
    pytest.skip(f"shared/{'/'.join(parts)} is not beside this checkout")
