"""hermes MEMORY.md and USER.md: entries with a line `§` between them.

Source
    docs/design/origins.md#hermes: joined by exactly a line break, §, a line break; no header, no last line break.
"""

from __future__ import annotations

from memd.formats.foreign.item import Foreign
from memd.model.memory import Kind

MARK = "\n§\n"


def is_it(text: str, name: str) -> bool:
    """Tell whether a text is a file of § entries."""
    return MARK in text.replace("\r\n", "\n") or name.rpartition("/")[2] in ("MEMORY.md", "USER.md")


def read(text: str, name: str) -> Foreign:
    """Return the entries: what the agent knows as facts, what is in USER.md tagged with it."""
    found = Foreign("hermes")
    leaf = name.rpartition("/")[2]
    tags = ["user"] if leaf == "USER.md" else []
    for entry in dict.fromkeys(one.strip() for one in text.replace("\r\n", "\n").split(MARK)):
        if entry:
            found.memories.append((Kind.SEMANTIC, {"content": entry, **({"tags": tags} if tags else {})}))
    return found
