"""Crane slots have UUIDs that follow from what they are for, so that the story can name them."""

import uuid

_SPACE = uuid.UUID("6b1f0a52-6f0e-4a57-9d38-7f1c2f6a9c11")


def slot_id(booking_id: str, crane: str) -> str:
    return str(uuid.uuid5(_SPACE, f"{booking_id}/{crane}"))
