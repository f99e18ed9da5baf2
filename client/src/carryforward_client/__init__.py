"""Talks to a Carryforward service from an agent host."""
