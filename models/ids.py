"""Ids we make. Standard library only."""

import secrets


def new_id(prefix: str) -> str:
    """A short random id that tells what it names: `h-4f0c…` is a handoff."""
    return f"{prefix}-{secrets.token_hex(10)}"
