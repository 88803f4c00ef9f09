"""Memories that may say otherwise than others: noted where memd is not sure, and told to a person, who settles it.

That two conflict stands in the newer one's record (`conflictsWith`), and nowhere else: forgetting either, a git revert and
a merge of branches need no second write. Both are served meanwhile, the newest first and the older dated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.aging import is_expired
from memd.engine.keep.succeed import doubting
from memd.model.memory import doubts_of

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role
    from memd.store.store import Store

WHY_CHARS = 500


class Conflict(NamedTuple):
    """Two memories of which both stand: why they may not both hold, and how sure that is, 0 to 1."""

    newer: Memory
    older: Memory
    why: str
    sure: float | None

    @property
    def id(self) -> str:
        """By what a person names it: always the same for the same two."""
        return conflict_id(self.newer.id, self.older.id)


def conflict_id(newer_id: str, older_id: str) -> str:
    """Return what a person names a conflict by."""
    return hashlib.sha256(f"{newer_id}\n{older_id}".encode()).hexdigest()[:16]


def with_conflict(record: Mapping[str, Any], older_id: str, why: str, sure: float) -> dict[str, Any]:
    """Return a record that is about to be stored, such that it conflicts with an older memory: one step with its store."""
    return doubting(record, older_id, why[:WHY_CHARS], sure)


def conflicts_of(store: Store, role: Role) -> list[Conflict]:
    """Return what conflicts in a role, the latest first; call in its turn."""
    memories, now_s = role.compiled.memories, store.ports.now()
    found = []
    for older in memories.values():
        for one in older.rivals if older.earlier else ():
            newer = memories.get(one)
            if newer is None or is_expired(newer, now_s) or is_expired(older, now_s) or not _comes_later(newer, older):
                continue
            told = doubts_of((role.raw(newer.kind, newer.id) or {}).get("conflictsWith")).get(older.id, {})
            sure: object = told.get("sure")
            why = str(told.get("why") or "")[:WHY_CHARS] if told else "both took the place of the same memory"
            found.append(Conflict(newer, older, why, float(sure) if isinstance(sure, (int, float)) else None))
    return sorted(found, key=lambda one: (-(one.newer.when_s or 0.0), one.id))


def _comes_later(newer: Memory, older: Memory) -> bool:
    """Tell of two rivals whether the first came later: who names the other did."""
    if older.id in newer.conflicts or newer.id in older.conflicts:
        return older.id in newer.conflicts
    return ((newer.when_s or 0.0), newer.id) > ((older.when_s or 0.0), older.id)
