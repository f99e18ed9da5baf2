"""No file under version control names a developer's machine or a package registry's host."""

import re

from tests.architecture.checkout import ROOT, tracked

# Put together here, so that this file is not its own first finding.
HOMES = ["/" + name for name in ("root/", "work/", "farm/")] + ["/" + "home/" + r"(?!user/|runner/|<)[a-z0-9_-]+/"]
REGISTRIES = [
    *("py" + "pi" + r"\.(?:org|io|python\.org)", "python" + "hosted" + r"\.org", "npm" + "js" + r"\.(?:com|org)"),
    *("registry" + r"\.yarnpkg\.com", "deb" + r"\.debian\.org", "proxy" + r"\.golang\.org"),
]
FORBIDDEN = re.compile("|".join([rf"(?<![\w./:-])(?:{'|'.join(HOMES)})", *REGISTRIES]))


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in tracked():
        text = path.read_bytes().decode(errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            match = FORBIDDEN.search(line)
            if match:
                found.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    assert found == []


def test_requirements_are_pinned_with_hashes_and_name_no_place_to_fetch_from() -> None:
    files = sorted((ROOT / "requirements").glob("*.txt"))
    assert [file.name for file in files] == ["app.txt", "dev.txt", "sdk.txt"]
    for file in files:
        text = file.read_text()
        assert "://" not in text
        entries = re.split(r"\n(?=[a-z0-9])", "\n" + text)[1:]
        assert entries
        assert [entry.splitlines()[0] for entry in entries if "==" not in entry or "--hash=" not in entry] == []
