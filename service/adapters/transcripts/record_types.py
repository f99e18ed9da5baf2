"""The record types of Claude Code's JSONL, as seen in files and in the program (1.0 to 2.1.332)."""

CONVERSATION = frozenset({"user", "assistant", "system", "attachment"})

REPLAY = frozenset({"api-request-shape", "api-request-blob", "api-request", "api-request-resumed"})

BOOKKEEPING = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "atis-latch",
        "attribution-snapshot",
        "bridge-session",
        "content-replacement",
        "continued-in",
        "cost-state",
        "custom-title",
        "ended-by-model",
        "file-history-delta",
        "file-history-snapshot",
        "fork-context-ref",
        "history-suppression",
        "isolation-latch",
        "last-prompt",
        "memory-mode",
        "mode",
        "observer-ref",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "relocated",
        "session-owner",
        "summary",
        "tag",
        "tools-used",
        "worktree-state",
    }
)

ALL = CONVERSATION | REPLAY | BOOKKEEPING | {"progress"}
