"""What is used of each limit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from memd.storage.layout import PRIVATE, SESSIONS
from memd.store.limits import WARN_SHARE, largest_files, largest_of_role, sizes_of

if TYPE_CHECKING:
    from memd.store.store import Store


async def limits_used(store: Store) -> dict[str, Any]:
    """Return each limit with what is used of it, and from 90 % on a warning with the largest items."""
    limits = store.settings.limits
    sizes = await asyncio.to_thread(sizes_of, store.tree, PRIVATE)
    sessions = await asyncio.to_thread(sizes_of, store.tree, SESSIONS)
    used: list[tuple[str, int, int, str]] = [
        ("memory_dir_bytes", sum(size for _, size in sizes), limits.memory_dir_bytes, largest_files(sizes)),
        ("sessions_bytes", sum(size for _, size in sessions), limits.sessions_bytes, largest_files(sessions)),
        ("scorings_per_day", store.room.scorings.count, limits.scorings_per_day, ""),
    ]
    for role in list(store.roles.values()):
        own = store.settings_of(role).limits
        largest = ""
        if role.file.bytes + role.file.extra_bytes >= own.role_bytes * WARN_SHARE:
            await store.roles.open(role)
            largest = largest_of_role(role)
        used.append((f"role_bytes {role.name}", role.file.bytes + role.file.extra_bytes, own.role_bytes, largest))
        used.append((f"role_memories {role.name}", role.count, own.role_memories, ""))
    shown = {name: _view(got, limit, largest) for name, got, limit, largest in used}
    if store.room.memory_dir.unwritten:
        shown["memory_dir_bytes"]["unwritten"] = store.room.memory_dir.unwritten
    return shown


def _view(got: int, limit: int, largest: str) -> dict[str, Any]:
    near = got >= limit * WARN_SHARE
    return {"used": got, "limit": limit, "warning": near, **({"largest": largest} if near and largest else {})}
