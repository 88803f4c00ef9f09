"""Which sessions there are, and one of them as it is now: what the file has, and what is on its way there."""

from __future__ import annotations

import asyncio
import unicodedata
from typing import TYPE_CHECKING

from memd.errors import SessionUnknownError
from memd.storage.layout import SESSIONS
from memd.storage.side import list_side
from memd.store.work.session_log import SessionLog, load_session

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.store import Store


def look_for_sessions(tree: Tree) -> dict[str, str]:
    """Return the files of all sessions by name; the newest month counts where a name stands twice. Blocks."""
    found: dict[str, str] = {}
    for month in list_side(tree, SESSIONS):
        if month.is_dir:
            for entry in list_side(tree, f"{SESSIONS}/{month.name}"):
                if entry.is_file and entry.name.endswith(".jsonl") and not entry.name.startswith("."):
                    found[entry.name.removesuffix(".jsonl")] = f"{SESSIONS}/{month.name}/{entry.name}"
        elif month.is_file and month.name.endswith(".jsonl") and not month.name.startswith("."):
            found.setdefault(month.name.removesuffix(".jsonl"), f"{SESSIONS}/{month.name}")
    return found


async def find_sessions(store: Store) -> dict[str, str]:
    """Return the files of all sessions as the directories are now, those that are only in the log included."""
    waiting = _waiting(store)  # what is written while we look is in one of the two
    found = await asyncio.to_thread(look_for_sessions, store.tree)
    for file in (*waiting, *_waiting(store)):
        found.setdefault(file.rpartition("/")[2].removesuffix(".jsonl"), file)
    for name, log in store.working.sessions.items():
        found.setdefault(name, log.file)
    known = store.working.files
    known.clear()
    known.update(found)
    return found


def _waiting(store: Store) -> list[str]:
    names = store.writer.applier.waiting_names(SESSIONS) if store.writer.applier else store.texts.lines
    return [name for name in names if name.startswith(f"{SESSIONS}/")]


async def session_of(store: Store, name: str) -> SessionLog:
    """Return a session as it is now, or raise SessionUnknownError; call in its turn."""
    wanted = unicodedata.normalize("NFC", name)
    working = store.working
    log = working.sessions.get(wanted)
    if log is not None and _is_current(store, log):
        working.sessions.move_to_end(wanted)
        return log
    file = log.file if log else working.files.get(wanted) or (await find_sessions(store)).get(wanted, "")
    if not file:
        raise SessionUnknownError(name)
    loaded = await asyncio.to_thread(load_session, store.tree, wanted, file, store.writer.waiting_lines(file))
    if not len(loaded) and loaded.identity is None:
        working.sessions.pop(wanted, None)
        working.files.pop(wanted, None)
        raise SessionUnknownError(name)
    working.put(loaded)
    return loaded


def _is_current(store: Store, log: SessionLog) -> bool:
    applier = store.writer.applier
    if applier and log.file in applier.being_appended:
        return True
    return store.tree.identify(log.file) == log.identity
