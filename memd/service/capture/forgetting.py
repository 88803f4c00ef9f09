"""What of a role was kept in a conversation, what of it a person means, and how it goes to the archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memd.service.memory.archiving import removals
from memd.service.memory.egress import ALL, safe_text
from memd.storage.itself import own_line, placed
from memd.text.analysis import tokens
from memd.text.characters import fold

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.store import Store

Kept = tuple[str, "Memory"]  # a memory, and the role that has it
MOST_TOLD = 5
TOLD_CHARS = 200


async def of_session(store: Store, role_name: str, session: str) -> list[Memory]:
    """Return the memories of a role that were kept in a session and hold, the oldest first; of all sessions where it is ""."""
    role = await store.role(role_name)
    async with role.turn:
        await store.refresh(role)
        known = role.compiled.memories.values()
        found = [one for one in known if not one.superseded_by and (one.session == session or not session)]
    return sorted(found, key=lambda one: one.when_s or 0.0)


def about(memories: Sequence[Kept], words: str) -> list[Kept]:
    """Return the memories that have all telling words of a subject; of one without such words, the subject itself."""
    wanted = set(tokens(words, unigrams=False))
    if wanted:
        return [one for one in memories if wanted <= set(tokens(one[1].text, unigrams=False))]
    plain = fold(words).strip()
    return [one for one in memories if plain and plain in fold(one[1].text)]


async def forget(store: Store, role_name: str, memory_id: str, reason: str) -> bool:
    """Move a memory to the archive, durably; False where it is gone already."""
    role = await store.role(role_name)
    async with role.turn:
        await store.refresh(role)
        memory = role.compiled.memories.get(memory_id)
        if memory is None:
            return False
        now_s = store.ports.now()
        done = store.commit(lambda n: removals(store, role, [memory], reason, n, now_s), at_s=now_s)
    await done
    return True


async def candidates_text(store: Store, memories: Sequence[Kept]) -> str:
    """Return what an agent is told where it is not sure which memory a person wants forgotten."""
    lines = []
    for role, one in memories[-MOST_TOLD:]:
        text = " ".join((await safe_text(store, one.text, ALL)).split())
        lines.append(f"- “{text[:TOLD_CHARS]}”: {own_line('forget', role, one.id[:8], '--workspace', store.path)}")
    more = len(memories) - len(lines)
    lists = placed(f"`memd list {memories[0][0]}`", store.path)
    told = "The person wants something forgotten, and memd is not sure which. Ask them, then run what forgets it:\n"
    return told + "\n".join(lines) + (f"\n- and {more} more ({lists})" if more > 0 else "")
