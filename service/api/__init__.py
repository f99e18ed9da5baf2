"""The HTTP way in."""
