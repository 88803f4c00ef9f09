"""How near a role's memories are in meaning to a question: what the store's model is told of a role, and asked."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.model.scene import Near
    from memd.store.recall.meaning import Question
    from memd.store.role.role import Role
    from memd.store.store import Store


async def near_to(store: Store, role: Role, question: Question | None, wanted: Iterable[str] = ()) -> dict[str, Near]:
    """Return how near the best memories of a role are to a question, and those wanted; call in the role's turn."""
    memories = role.compiled.memories

    def newest(one: str) -> float:
        memory = memories.get(one)
        return max((memory.when_s if memory else None) or 0.0, store.recalled.used_s(role.name, one) or 0.0)

    mark = (id(role.compiled), role.marks.changes)
    return await store.meaning.near(
        role.name, memories, question, wanted, mark=mark, read=attrgetter("text"), newest=newest
    )
