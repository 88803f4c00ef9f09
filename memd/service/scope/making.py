"""Make the directory of a role: whole or not at all."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING

from memd.errors import NameTakenError, StorageError
from memd.formats.role_memory import new_document
from memd.formats.toml_writer import dump_project_profile
from memd.model.names import check_free, is_name
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import ROLES, memory_file, profile_file, role_dir
from memd.storage.replace import create
from memd.store.reading.discovery import own_role, role_of_project

if TYPE_CHECKING:
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
        with suppress(NameTakenError):  # somebody made it at the same moment: it is looked for again
            await asyncio.to_thread(make_role, store.tree, name, new_document(store.ports.new_id()).dump(), data)
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
