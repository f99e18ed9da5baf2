"""Finds data that may lie beside the checkout, in a folder `shared` next to it or next to one of its parents."""

from pathlib import Path

import pytest


def shared_dir(*parts: str) -> Path:
    """`shared/<parts>`; skips the test where it is absent, as in a clone elsewhere."""
    found = find_shared(*parts)
    if found is None:
        pytest.skip(f"shared/{'/'.join(parts)} is not beside this checkout")
    return found


def find_shared(*parts: str) -> Path | None:
    """`shared/<parts>`, or None where it is absent."""
    for parent in Path(__file__).resolve().parents:
        found = parent.joinpath("shared", *parts)
        if found.exists():
            return found
    return None
