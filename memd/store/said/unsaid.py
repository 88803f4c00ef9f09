"""Turns that are never quoted: they say what was erased. Their ids are kept, nothing of what they say.

Only this machine's own turns are quoted, so this machine's own state has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.storage.layout import STATE, UNSAID
from memd.storage.replace import replace
from memd.storage.side import read_side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.storage.files import Tree


def read_unsaid(tree: Tree) -> set[str]:
    """Return the ids of the events. Blocks."""
    return {*(read_side(tree, UNSAID) or b"").decode("utf-8", "replace").split()}


def keep_unsaid(tree: Tree, events: Iterable[str]) -> None:
    """Add ids of events, durably. Blocks. StorageError where that cannot be done."""
    known = read_unsaid(tree)
    wanted = known | set(events)
    if wanted != known:
        tree.make_dirs(STATE)
        replace(tree, UNSAID, "".join(f"{one}\n" for one in sorted(wanted)).encode())
