"""Record the demo's transcript anew: `python -m tests.recording.record_demo [output.jsonl]`.

Takes half a minute, the Claude CLI that claude-agent-sdk brings along, and no network but loopback. Works in
/srv/harbour-desk and /srv/harbour-agent, which must not exist and are removed again: both paths are in the file.
"""

import asyncio
import shutil
import sys
from pathlib import Path

from tests.recording.cleaning import cleaned, forbidden
from tests.recording.harbour.files import lay_out
from tests.recording.harbour.story import TURNS, WINDOW_BEFORE
from tests.recording.plan import NEUTRAL_FOLDER
from tests.recording.session import RecordingError, play, transcript_file

OUTPUT = Path(__file__).parents[2] / "service/cli/data/demo.jsonl"
HOME = NEUTRAL_FOLDER.with_name("harbour-agent")


def record(folder: Path, home: Path) -> list[bytes]:
    """The story's transcript, ready to publish; `folder` and `home` are made and removed. FileExistsError if there."""
    made: list[Path] = []
    try:
        for path in (folder, home):
            path.mkdir(parents=True)
            made.append(path)
        lay_out(folder)
        asyncio.run(play(TURNS, window_before=WINDOW_BEFORE, folder=folder, home=home))
        return cleaned(transcript_file(home).read_bytes().splitlines())
    finally:
        for path in made:
            shutil.rmtree(path)


def main() -> None:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    lines = record(NEUTRAL_FOLDER, HOME)
    if found := forbidden(b"\n".join(lines).decode()):
        raise RecordingError(f"not published, it names this machine: {sorted(set(found))[:10]}")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(b"\n".join(lines) + b"\n")
    print(f"{output}: {len(lines)} records, {output.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
