"""The host's policy: the permission callback of the recorded agent."""

from typing import Any

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext

REFUSAL = "Host policy P-7: nothing under archive/ is deleted. Move it to cold/ instead."


async def decide(
    tool: str, arguments: dict[str, Any], context: ToolPermissionContext
) -> PermissionResultAllow | PermissionResultDeny:
    """Everything is allowed but deleting from the archive."""
    command = str(arguments.get("command", "")) if tool == "Bash" else ""
    if "rm " in command and "archive/" in command:
        return PermissionResultDeny(message=REFUSAL)
    return PermissionResultAllow()
