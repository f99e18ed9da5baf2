"""What a host gets installed: one name, no dependency, Python 3.10."""

import ast
import os
import subprocess
import sys
import zipfile
from pathlib import Path

PROJECT = Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "src" / "carryforward_client").glob("*.py"))


def test_it_imports_the_standard_library_and_itself_only():
    script = (
        f"import sys; sys.path.insert(0, {str(PROJECT / 'src')!r}); import carryforward_client\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-S", "-I", "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"carryforward_client", "__main__"}


def test_it_is_python_3_10():
    assert len(SOURCES) > 10
    for source in SOURCES:
        ast.parse(source.read_text(), source.name, feature_version=(3, 10))


def test_its_wheel_adds_one_name(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True, capture_output=True, env={**os.environ, "PIP_NO_INDEX": "1"})
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    roots = {name.partition("/")[0] for name in names}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"carryforward_client"}
    assert len(roots) == 2
    assert "carryforward_client/py.typed" in names
    assert "Requires-Dist" not in metadata
    assert "Requires-Python: >=3.10" in metadata
