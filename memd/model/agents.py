"""Which agents memd serves by hooks, what their events are called and mean to memd, and how much of a text an agent takes.

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


# How much an agent takes of what a hook tells it, and how long a text is as agents count.
#
# Pure. Agents are written in JavaScript, which counts UTF-16 units: most characters are one, an emoji is two.

CONTEXT_UNITS = 9_500  # Claude Code shows the model 10,000 whole, and of more only a beginning


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clipped(text: str, room_units: int) -> str:
    """Return as much of a text as fits its room; no character is cut in two."""
    room = max(0, room_units)
    if units(text) <= room:
        return text
    return text.encode("utf-16-le", "surrogatepass")[: 2 * room].decode("utf-16-le", "ignore")
