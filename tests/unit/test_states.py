"""The table of states and the drawing of it say the same."""

import re
from pathlib import Path

from models.kinds import CompactionState
from service.domain.states import TRANSITIONS, allowed

DRAWING = Path(__file__).parents[2] / "docs" / "states.md"


def test_the_drawing_shows_exactly_the_transitions_of_the_table() -> None:
    drawn = set(re.findall(r"^    (\w+) --> (\w+):", DRAWING.read_text(), re.MULTILINE))
    assert drawn == {(current.value, target.value) for current, targets in TRANSITIONS.items() for target in targets}


def test_every_state_has_its_row_and_its_paragraph() -> None:
    assert set(TRANSITIONS) == set(CompactionState)
    described = set(re.findall(r"^- \*\*(\w+)\*\*", DRAWING.read_text(), re.MULTILINE))
    assert described == {state.value for state in CompactionState}


def test_nothing_follows_a_claimed_handoff() -> None:
    assert not any(allowed(CompactionState.CLAIMED, target) for target in CompactionState)
