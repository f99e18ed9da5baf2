"""Drives the real CLI through the SDK over a story, against the scripted endpoint."""

import base64
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

from tests.endpoint import Endpoint, Scripted
from tests.recording.harbour.desk import desk_server
from tests.recording.harbour.policy import decide
from tests.recording.harbour.story import SYSTEM_PROMPT
from tests.recording.plan import Turn, replies

MODEL = "claude-sonnet-4-5"
BUILT_IN_TOOLS = ["Bash", "Read", "Write", "Edit"]

_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    # The story's window is the script's; the CLI's own compaction must not act on it.
    "DISABLE_AUTO_COMPACT": "1",
    # Tools are offered at once instead of being searched for.
    "ENABLE_TOOL_SEARCH": "0",
    "IS_SANDBOX": "1",
    "LANG": "C.UTF-8",
}


class RecordingError(Exception):
    """The session did not run as the story tells it."""


async def play(turns: Sequence[Turn], *, window_before: int, folder: Path, home: Path) -> None:
    """Run the story with `folder` as the working directory and `home` as everything the CLI may write to.

    RecordingError if a turn fails.
    """
    answers = replies(turns, window_before=window_before, folder=folder)
    with Endpoint(Scripted(answers)) as endpoint:
        async with ClaudeSDKClient(_options(endpoint.url, folder, home)) as client:
            for number, turn in enumerate(turns, start=1):
                await client.query(turn.prompt if turn.image is None else _with_image(turn.prompt, turn.image))
                async for message in client.receive_response():
                    if isinstance(message, ResultMessage) and message.is_error:
                        raise RecordingError(f"turn {number}: {message.subtype}, {message.errors or message.result}")


def transcript_file(home: Path) -> Path:
    """The one session the CLI has written. RecordingError if it is not one."""
    files = list(home.glob("projects/*/*.jsonl"))
    if len(files) != 1:
        raise RecordingError(f"{len(files)} transcript files instead of one")
    return files[0]


def _options(url: str, folder: Path, home: Path) -> ClaudeAgentOptions:
    scratch = home / "scratch"
    scratch.mkdir(parents=True)
    return ClaudeAgentOptions(
        system_prompt=SYSTEM_PROMPT,
        model=MODEL,
        cwd=str(folder),
        tools=BUILT_IN_TOOLS,
        mcp_servers={"desk": desk_server(folder)},
        can_use_tool=decide,
        setting_sources=[],
        env={
            **_QUIET,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "not-a-key",
            "CLAUDE_CONFIG_DIR": str(home),
            "CLAUDE_CODE_TMPDIR": str(scratch),
            "HOME": str(home),
            "TMPDIR": str(scratch),
        },
        stderr=lambda line: None,
    )


async def _with_image(prompt: str, image: bytes) -> AsyncIterator[dict[str, Any]]:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(image).decode()}
    content = [{"type": "image", "source": source}, {"type": "text", "text": prompt}]
    yield {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None}
