"""The level of capture in force on this machine, whether it is paused, and what raising it comes to.

What memd.toml says is a request: above explicit it holds as far as this machine has raised it for this workspace
(service/granting.py). A pause is the machine's own, too: no file of the workspace begins or ends it.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import MemdError
from memd.formats.times import to_iso
from memd.model.settings import Settings
from memd.model.trust import CAPTURE
from memd.service.granting import pause
from memd.store.in_force import read_settings

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.store import Store

FOREVER_S = 253_402_300_799.0  # the last second of the year 9999: until a person ends it
OFF, PAUSED = "off", "paused"

KEPT = {
    "off": "Hooks keep nothing of conversations, and propose nothing. Recall goes on.",
    "explicit": "Kept: what a person asks to have remembered, at once. What else a turn had is proposed to the agent.",
    "inbox": "Besides what a person asks for, every conversation is gone through at its end, after a rest and once a night: what it told waits in the inbox (`memd review`) until you keep or drop it.",
    "auto": "Besides what a person asks for, every conversation is gone through at its end, after a rest and once a night: what the person clearly told is kept without a question; what is doubtful or delicate waits in the inbox (`memd review`).",
}


class InForce(NamedTuple):
    """What holds here: the level, what memd.toml asks for, what this machine allows, and until when it is paused, "" if it is not.

    `model` is the address of what is given what was said, "" where nothing is; `model_trouble` why it did not answer.
    """

    level: str
    asked: str
    granted: str
    paused_until: str
    model: str
    model_trouble: str


def level_in_force(store: Store) -> str:
    """Return off, explicit, inbox or auto, as it holds on this machine now."""
    return store.settings.capture.level


def is_paused(store: Store, now_s: float) -> bool:
    """Tell whether nothing of conversations is to be kept; `now_s` in seconds since 1970."""
    return now_s < store.in_force.trust.trusted.paused_until_s


def standing(store: Store) -> str:
    """Return the level in force, or "paused"."""
    return PAUSED if is_paused(store, store.ports.now()) else level_in_force(store)


def in_force(store: Store) -> InForce:
    """Return what holds, looked at anew."""
    store.in_force.look()
    trusted = store.in_force.trust.trusted
    until = to_iso(trusted.paused_until_s) if is_paused(store, store.ports.now()) else ""
    return InForce(
        level_in_force(store),
        asked_level(store.tree),
        str(trusted.granted.get(CAPTURE, "")),
        until,
        trusted.model.url if trusted.model else "",
        store.captured.asked.trouble,
    )


def asked_level(tree: Tree) -> str:
    """Return what memd.toml says, the default where it cannot be read. Blocks for one small file."""
    try:
        return read_settings(tree).capture.level
    except (MemdError, FileNotFoundError):
        return Settings().capture.level


async def pause_until(store: Store, until_s: float) -> float:
    """Keep nothing of conversations until then; a pause that lasts longer already stays. Return until when."""
    store.in_force.look()
    until_s = max(until_s, store.in_force.trust.trusted.paused_until_s)
    await asyncio.to_thread(pause, store.tree, store.in_force.trust, until_s)
    store.in_force.look()
    return until_s


def plan(path: str, level: str, remotes: list[str] | None) -> list[str]:
    """Return what a level means for a workspace, line by line; `remotes`: git's, None where it is no repository."""
    if remotes is None:
        pushed = "It is in no git repository: nothing is pushed."
    elif not remotes:
        pushed = "Its git repository has no remote: nothing is pushed until one is added and you push or `memd sync`."
    else:
        pushed = f"Its git repository has the remote {', '.join(remotes)}: what is committed and pushed, or sent by `memd sync`, leaves this machine."
    stop = 'Stop it with `memd pause` (for a while), `memd capture explicit`, or `memd capture off`; say "off the record" or 别记 in a conversation.'
    where = f"Where: memories in {os.path.join(path, 'roles')}, conversations in {os.path.join(path, 'sessions')} (git-ignored where hooks write them, unless sessions.version is on), what waits in {os.path.join(path, '.memory')} (git-ignored)."
    return [KEPT[level], where, pushed, stop]
