"""Close the roles that nobody asks for, so that what was once searched does not stay in memory for good."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from memd.storage.system import release_heap

if TYPE_CHECKING:
    from memd.store.store import Store

LOOK_S = 60.0


async def keep_closing(store: Store, stop: asyncio.Event) -> None:
    """Look again and again for roles that are idle, until it is time to stop."""
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await stop.wait()
        if not stop.is_set():
            await close_idle(store)
            await asyncio.to_thread(release_heap)
            if store.meaning.rest(in_use=_in_session(store), now_s=store.ports.monotonic()):
                await store.meaning.close()


def _in_session(store: Store) -> bool:
    """Tell whether a session is open."""
    return any(not log.totals.closed for log in store.working.sessions.values())


async def close_idle(store: Store) -> list[str]:
    """Close the roles that are idle and return their names; what was analysed of them is kept in the cache."""
    names = store.roles.close_idle()
    for name in names:
        store.meaning.forget(name)
    await asyncio.to_thread(store.roles.save_cache)
    return names
