"""Whose memory a directory gets, and why: the one answer that hooks, MCP and the command line have.

What comes is what a directory says (storage/checkouts), which a stranger may have written: a project is only a name, under which
nothing but that project's memory lies; a `.memd-role` counts where this machine trusts that very file; and another workspace
is reached only by the settings that this machine granted.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import RoleUnknownError
from memd.model.projects import MARK, is_project
from memd.model.trust import ROLE_FILES
from memd.store.reading.discovery import own_role, role_of_project

if TYPE_CHECKING:
    from memd.store.store import Store

SETTINGS_FILE = "memd.toml"


@dataclass(frozen=True, slots=True)
class Place:
    """What a directory says: its project, and the role that its `.memd-role` names with the mark of that file.

    `shared`: another workspace of the person's sent whoever asks here, and this one sends nobody on.
    """

    project: str = ""
    named: str = ""
    mark: str = ""
    shared: bool = False


@dataclass(slots=True)
class Scope:
    """Whose memory it is. `role`: as it is now; `address`: what stands for it in any call; `person`: who gets what is said of oneself.

    `elsewhere`: the workspace that has the project's memory, an absolute path; `steps`: how it was found, in order.
    """

    role: str = ""
    address: str = ""
    person: str = ""
    project: str = ""
    made: bool = False
    elsewhere: str = ""
    steps: list[str] = field(default_factory=list)


async def scope_of(store: Store, place: Place) -> Scope:
    """Return whose memory a directory gets; RoleUnknownError where the person has no role of their own."""
    store.in_force.look()
    await store.roles.look()
    found = Scope()
    if place.named and await _is_named(store, place, found):
        return found
    own = own_role(store.roles, store.settings.hooks.role)
    found.role = found.address = found.person = own.name
    said = "hooks.role" if store.settings.hooks.role else "the person's own here"
    if not place.project or not is_project(place.project):
        found.steps.append(f"no project, so it is {own.name}: {said}")
        return found
    if not store.settings.scopes.projects:
        found.steps.append(f"its project is {place.project}, and scopes.projects is off: {own.name}, {said}")
        return found
    found.project, found.address = place.project, MARK + place.project
    found.steps.append(f"its project is {place.project}, by its origin")
    if not place.shared:
        await _send(store, found)
    if found.elsewhere:
        return found
    role = role_of_project(store.roles.values(), place.project)
    if role is None:
        found.steps.append(
            f"nothing is kept of this project yet: {own.name}, {said}; a role of its own comes with its first memory"
        )
        return found
    found.role, found.made = role.name, True
    found.steps.append(f"its memory is the role {role.name}; what the person says of themselves goes to {own.name}")
    return found


async def _is_named(store: Store, place: Place, found: Scope) -> bool:
    """Tell whether a `.memd-role` decides, and note what became of it."""
    granted = store.in_force.trust.trusted.granted.get(f"{ROLE_FILES}.{place.mark}")
    if granted != place.named:
        found.steps.append(
            f"its .memd-role names {place.named}, and this machine does not trust that file: it counts for nothing"
        )
        return False
    role = store.roles.get(place.named)
    if role is None:
        found.steps.append(f"its .memd-role names {place.named}, and there is no such role: it counts for nothing")
        return False
    found.role = found.address = role.name
    try:
        found.person = own_role(store.roles, store.settings.hooks.role).name
    except RoleUnknownError:
        found.person = role.name
    found.made = True
    found.steps.append(f"its .memd-role names {role.name}, and this machine trusts that file")
    return True


async def _send(store: Store, found: Scope) -> None:
    """Find the workspace that the settings in force send a project to."""
    asked = sent_to(store.in_force.file.asked.scopes.send, found.project)
    path = sent_to(store.settings.scopes.send, found.project)
    if asked and not path:
        found.steps.append(
            "scopes.send asks for another workspace, and this machine has not granted that (`memd trust`)"
        )
    if not path:
        return
    real, why = await asyncio.to_thread(_workspace_at, path)
    if why or real == store.path:
        found.steps.append(f"scopes.send names another workspace, and it is not used: {why or 'it is this one'}")
        return
    found.elsewhere = real
    found.steps.append(f"scopes.send has its memory in the workspace at {real}")


def sent_to(send: str, project: str) -> str:
    """Return the path that a setting has for a project: of the longest owner or project that it lies under; "" where none."""
    best = path = ""
    for one in send.split(","):
        name, equals, where = one.partition("=")
        name = name.strip().rstrip("/").casefold()
        if equals and name and len(name) > len(best) and (project == name or project.startswith(f"{name}/")):
            best, path = name, where.strip()
    return path


def _workspace_at(path: str) -> tuple[str, str]:
    """Return a workspace's resolved path, and why it is not used. Blocks."""
    whole = os.path.expanduser(path)
    if not os.path.isabs(whole):
        return "", "its path must be absolute"
    real = os.path.realpath(whole)
    try:
        found = os.stat(f"{real}/{SETTINGS_FILE}")
    except OSError:
        return "", "there is no workspace"
    return (real, "") if found.st_uid == os.geteuid() else ("", "it belongs to another user")
