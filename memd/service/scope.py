"""Whose memory a directory gets, and why: the one answer that hooks, MCP and the command line have.

What comes is what a directory says (storage/checkouts), which a stranger may have written: a project is only a name, under which
nothing but that project's memory lies; a `.memd-role` counts where this machine trusts that very file; and another workspace
is reached only by the settings that this machine granted.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from memd.engine.scope import is_of_the_person
from memd.errors import NameTakenError, RoleUnknownError, StorageError
from memd.formats.role_memory import new_document
from memd.formats.toml_writer import dump_project_profile
from memd.model.names import check_free, is_name
from memd.model.projects import MARK, is_project
from memd.model.trust import ROLE_FILES
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import ROLES, memory_file, profile_file, role_dir
from memd.storage.replace import create
from memd.store.reading.discovery import own_role, role_of_project

if TYPE_CHECKING:
    from memd.service.judging.offers import RememberRequest
    from memd.store.role.role import Role
    from memd.store.store import Store

TRIES = 3
STEM_CHARS = 40


async def role_made_for(store: Store, project: str) -> Role:
    """Return the role of a project, made now where it has none yet, linked to the person's own."""
    _ = store.writer.journal  # a workspace that is only read makes no roles
    for _ in range(TRIES):
        await store.roles.look()
        role = role_of_project(store.roles.values(), project)
        if role is not None:
            return role
        person = own_role(store.roles, store.settings.hooks.role)
        data = dump_project_profile(project, person.name).encode()
        name = _free_name(project, [entry.name for entry in store.tree.entries(ROLES)])
        # The same on each machine, so that both merge.
        document = new_document(str(uuid5(NAMESPACE_URL, project))).dump()
        with suppress(NameTakenError):  # somebody made it at the same moment: it is looked for again
            await asyncio.to_thread(make_role, store.tree, name, document, data)
    raise NameTakenError(stem_of_project(project), stem_of_project(project))


def _free_name(project: str, taken: list[str]) -> str:
    """Return the project's own short name, or one with a digest behind it where something else has that."""
    stem = stem_of_project(project)
    try:
        check_free(stem, taken)
    except NameTakenError:
        return f"{stem}-{hashlib.sha256(project.encode()).hexdigest()[:8]}"
    return stem


def stem_of_project(project: str) -> str:
    """Return a role's name for a project, made of its last two parts; who makes the role sees whether it is free."""
    parts = project.split("/")[-2:]
    kept = "-".join(parts)
    stem = "".join(char if is_name(f"a{char}a") else "-" for char in kept).strip(".- ")[:STEM_CHARS].rstrip(".- ")
    return stem if is_name(stem) else f"project-{stem}"[:STEM_CHARS].rstrip(".-")


def make_role(tree: Tree, name: str, document: bytes, profile: bytes) -> None:
    """Put a role in its place, made under another name first; NameTakenError. Blocks."""
    made = f"{ROLES}/.{token_hex(6)}{TEMPORARY_SUFFIX}"
    try:
        tree.make_dirs(made)
        for file, data in ((memory_file(name), document), (profile_file(name), profile)):
            if data:
                create(tree, f"{made}/{file.rpartition('/')[2]}", data, 0o644)
        tree.rename(made, role_dir(name))
    except FileExistsError:
        tree.remove_dir(made)
        raise NameTakenError(name, name) from None
    except BaseException:
        with suppress(OSError, StorageError):
            tree.remove_dir(made)
        raise


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
    said = "hooks.role" if store.settings.hooks.role else "the person's own role in this workspace"
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


async def at_home(store: Store, request: RememberRequest) -> RememberRequest:
    """Return a request with the role that it is kept in: of a project's address the person's own for what tells of them, else the project's.

    The project's role is made here where there is none and the text is worth keeping, or has to be seen by a person first.
    """
    project = request.role.removeprefix(MARK)
    if not request.role.startswith(MARK) or not is_project(project):
        return request
    store.in_force.look()
    await store.roles.look()
    own = own_role(store.roles, store.settings.hooks.role).name
    if is_of_the_person(request.content) or not store.settings.scopes.projects:
        return replace(request, role=own)
    role = role_of_project(store.roles.values(), project)
    if role is None and await _is_worth_it(store, replace(request, role=own)):
        role = await role_made_for(store, project)
    return replace(request, role=role.name if role else own)


async def _is_worth_it(store: Store, request: RememberRequest) -> bool:
    """Tell whether a text would be kept, or wait for a person, if the person's own role were asked."""
    # Only a project's first memory is judged here: what judges is not loaded for the other answers of this module.
    from memd.service.judging.offers import as_meant, look_at, must_wait  # noqa: PLC0415
    from memd.service.judging.vectors import vectors_of  # noqa: PLC0415
    from memd.service.memory.remember import come_in, judged  # noqa: PLC0415

    offer, role = await come_in(store, request)
    vectors = await vectors_of(store, role, look_at(store, role, offer))
    async with role.turn:
        await store.refresh(role)
        offer = as_meant(role, look_at(store, role, offer))
        return must_wait(store, offer) or judged(store, role, offer, vectors, store.ports.now()).verdict.keep
