"""One subject a file: 30 to 150 lines are normal, 300 need a reason here, 400 are a redesign."""

from tests.architecture.checkout import ROOT, tracked

HARD_STOP = 400
NEEDS_A_REASON = 300
LONG_FOR_A_REASON = {
    "service/ports.py": "every port in one place is what makes it a contract",
    "client/src/carryforward_client/client.py": "the one class a host sees, every call with its docstring",
    "client/src/carryforward_client/spool.py": "one file format, written and recovered in one place",
}


def test_no_file_is_too_long() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in tracked("*.py", "*.lua")}
    sources = {name: length for name, length in lengths.items() if "tests/" not in name}
    assert {name: length for name, length in lengths.items() if length > HARD_STOP} == {}
    long = {name: length for name, length in sources.items() if length > NEEDS_A_REASON}
    assert {name: length for name, length in long.items() if name not in LONG_FOR_A_REASON} == {}
    assert [name for name in LONG_FOR_A_REASON if name not in long] == [], "no longer long: take it off the list"
