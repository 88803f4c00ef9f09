"""How much an agent takes of what a hook tells it, and how long a text is as agents count.

Pure. Agents are written in JavaScript, which counts UTF-16 units: most characters are one, an emoji is two.
"""

from __future__ import annotations

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
