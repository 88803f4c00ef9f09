"""Which agents memd serves by hooks, what their events are called, and what an event means to memd.

Source
    Claude Code's settings and SDK; the schemas in Codex's binary; Gemini CLI's reference of hooks; VS Code's docs on
    agent hooks. docs/agents.md says which of them were tried with the agent itself.
"""

from __future__ import annotations

# What memd does with an event: start (a window begins), prompt, tool (before a call), stop (a turn ended), compact, end; ask (the person
# is about to be asked whether a call may pass) is answered by the hook alone.
_SHARED = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool",
    "Stop": "stop",
    "PreCompact": "compact",
}
_ENDED = {"SessionEnd": "end"}
EVENTS: dict[str, dict[str, str]] = {
    "claude": {**_SHARED, **_ENDED},
    "codex": {**_SHARED, **_ENDED, "PermissionRequest": "ask"},  # its PreToolUse refuses and never allows
    "gemini": {
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "BeforeTool": "tool",
        "AfterAgent": "stop",
        "PreCompress": "compact",
        **_ENDED,
    },
    "vscode": _SHARED,  # which never says that a conversation ended
}
AGENTS = tuple(EVENTS)
MEANINGS = ("start", "prompt", "tool", "stop", "compact", "end")
