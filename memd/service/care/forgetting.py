"""Let the cache forget what was erased: the words of its role, and the documents that the full-text index only hides."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from memd.errors import MemdError, RoleUnknownError
from memd.store.reading.cache import erased_roles, give_up

if TYPE_CHECKING:
    from memd.store.following.indexing import Indexing
    from memd.store.store import Store

logger = logging.getLogger(__name__)

LOOK_S = 5.0


async def keep_forgetting(store: Store, indexing: Indexing, stop: asyncio.Event) -> None:
    """Look again and again whether something was erased, and give it up once it is out of the files."""
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await stop.wait()
        if not stop.is_set():
            await forget_erased(store, indexing)


async def forget_erased(store: Store, indexing: Indexing) -> bool:
    """Give up what the cache has of erased memories; False where there is nothing, or the files still have it."""
    roles = await asyncio.to_thread(erased_roles, store.cache_dir)
    if not roles or store.writer.depth:
        return False
    try:
        if indexing.runs:
            await indexing.rebuild()  # the old one serves meanwhile
        await asyncio.to_thread(give_up, store.cache_dir, roles, index=not indexing.runs)
        for name in roles:
            await _forget_vectors(store, name)
    except MemdError as error:
        logger.info("the cache is not rid of what was erased yet: %s", error)
        return False
    return True


async def _forget_vectors(store: Store, name: str) -> None:
    """Let the model forget what was erased of a role; one that is gone has nothing it was told of."""
    with contextlib.suppress(RoleUnknownError):
        role = await store.role(name)
        async with role.turn:
            await store.refresh(role)
            await store.meaning.erase(role)
