"""MEMORY.md and USER.md as a list of statements, whatever a person's style: bullets, paragraphs, `§` entries."""

from __future__ import annotations

import re

_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_RULE = re.compile(r"^\s*(?:#{1,6}\s.*|[-=*_]{3,}|<!--.*-->|```.*|§)\s*$")


def statements(text: str) -> list[str]:
    """Return the statements in order: one for each bullet, and one for each paragraph."""
    found: list[list[str]] = []
    fresh = True
    for line in text.splitlines():
        if not line.strip() or _RULE.match(line):
            fresh = True
        elif _BULLET.match(line):
            found.append([_BULLET.sub("", line).strip()])
            fresh = False
        elif fresh:
            found.append([line.strip()])
            fresh = False
        else:
            found[-1].append(line.strip())
    return [" ".join(parts) for parts in found]
