"""The file of what recall remembers of itself: read at start, written a while after it changed, never in git."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from memd.errors import StorageError
from memd.storage.layout import RECALLED, STATE
from memd.storage.replace import replace
from memd.storage.side import is_unreadable
from memd.store.recall.recalled import STATE_BYTES, Recalled

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.store import Store

logger = logging.getLogger(__name__)

SAVE_S = 5.0


def load_recalled(tree: Tree, recalled: Recalled) -> None:
    """Take in what was kept; where nothing can be read, recall begins anew. Blocks."""
    try:
        recalled.load(tree.read(RECALLED, STATE_BYTES)[0])
    except (FileNotFoundError, StorageError):
        return


def save_recalled(store: Store) -> None:
    """Keep the state, where it changed and this process may write. Blocks; nothing may change meanwhile."""
    recalled = store.recalled
    if not recalled.changed or store.writer.running is None:
        return
    recalled.changed = False
    _write(store.tree, recalled.dump())


async def keep_saving(store: Store, stop: asyncio.Event) -> None:
    """Keep the state every few seconds until it is time to stop."""
    recalled = store.recalled
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SAVE_S):
                await stop.wait()
        if recalled.changed and store.writer.running is not None:
            recalled.changed = False
            await asyncio.to_thread(_write, store.tree, recalled.dump())


def _write(tree: Tree, data: bytes) -> None:
    if is_unreadable(tree, RECALLED):
        return  # what stands there is not ours
    try:
        tree.make_dirs(STATE)
        replace(tree, RECALLED, data)
    except (OSError, StorageError) as error:
        logger.info("what recall remembers of itself is not kept: %s", error)
