"""Where activated entries stand in the prompt: before the role, after it, or between the messages.

Source
    docs/design/world-info.md#one-evaluation: ascending order in the prompt, the higher order nearer to the end; of equals the last
    admitted stands first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from memd.model.lore import Activation, Position


@dataclass(slots=True)
class Placed:
    """Texts by place. `at_depth`: (depth, speaker) -> texts; depth counts messages from the end."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    at_depth: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    elsewhere: dict[str, list[str]] = field(default_factory=dict)


def place(activated: Iterable[Activation], named: Callable[[str], str] = str) -> Placed:
    """Return the texts of entries, given as they were admitted, where they belong; `named` fills in names."""
    placed = Placed()
    for one in sorted(activated, key=lambda one: -one.entry.order):
        entry = one.entry
        content = named(entry.content)
        if not content:
            continue
        if entry.position is Position.BEFORE:
            placed.before.insert(0, content)
        elif entry.position is Position.AFTER:
            placed.after.insert(0, content)
        elif entry.position is Position.AT_DEPTH:
            placed.at_depth.setdefault((entry.depth, entry.speaker), []).insert(0, content)
        else:
            placed.elsewhere.setdefault(entry.position.name.lower(), []).insert(0, content)
    return placed
