"""role.list, role.get and role.create."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from contextlib import suppress
from secrets import token_hex
from typing import Any

from memd.errors import NameTakenError, RoleAmbiguousError, StorageError
from memd.formats.role_memory import new_document
from memd.formats.toml_writer import dump_profile
from memd.model.names import check_free, check_name
from memd.service.discovery import addresses_of, find_role
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import ROLES, memory_file, profile_file, role_dir
from memd.storage.replace import create


async def list_roles(workspace: Workspace) -> dict[str, Any]:
    """Return every role with what it holds, and the directories that are no roles."""
    await workspace.find_roles()
    roles = [_view(workspace, role) for role in sorted(workspace.roles.values(), key=lambda one: one.name)]
    return {"roles": roles, "rejected": [str(fault) for fault in workspace.bad_roles]}


async def get_role(workspace: Workspace, address: str) -> dict[str, Any]:
    """Return the role that an address means, as role.list tells it, with every address that means it."""
    role = await workspace.role(address)
    addresses = addresses_of(role.name, role.profile, role.character_uuid)
    return {**_view(workspace, role), "addresses": list(addresses)}


async def hidden_from(workspace: Workspace, role: Role) -> tuple[str, ...]:
    """Return the roles that a role may not look into: all but itself and those its own file links to."""
    await workspace.find_roles()
    near = {role.name, *(_meant(workspace, link.role) for link in role.profile.links)}
    return tuple(name for name in workspace.roles if name not in near)


def _meant(workspace: Workspace, address: str) -> str:
    """Return the role that a link means, "" where it leads nowhere, or to nobody knows which."""
    with contextlib.suppress(RoleAmbiguousError):
        found = find_role(workspace.roles.values(), address)
        return found.name if found else ""
    return ""


def _view(workspace: Workspace, role: Role) -> dict[str, Any]:
    kinds = Counter(memory.kind.value for memory in role.compiled.memories.values())
    return {
        "name": role.name,
        "display_name": role.profile.display_name,
        "aliases": list(role.profile.aliases),
        "uuid": role.profile.uuid,
        "character_uuid": role.character_uuid,
        "links": [
            {"role": link.role, "weight": link.weight, "means": _meant(workspace, link.role)}
            for link in role.profile.links
        ],
        "memories": len(role.compiled.memories),
        "by_kind": dict(kinds),
        "constant": len(role.compiled.constants),
        "rejected": str(role.rejected) if role.rejected else None,
    }


async def create_role(workspace: Workspace, name: str, display_name: str) -> dict[str, Any]:
    """Make a role: a directory with an empty memory.json, and a role.toml where there is something to say."""
    name = check_name(name)
    await workspace.find_roles()
    _ = workspace.journal  # a workspace that is only read makes no roles
    check_free(name, [entry.name for entry in workspace.tree.entries(ROLES)])
    if taken := [role.name for role in workspace.roles.values() if name in addresses_of("", role.profile, "")]:
        raise NameTakenError(name, taken[0])  # the name of a directory goes before what another role calls itself

    document = new_document(workspace.ports.new_id()).dump()
    profile = dump_profile(display_name).encode() if display_name else b""
    await asyncio.to_thread(_make, workspace.tree, name, document, profile)
    await workspace.find_roles()
    return {"name": name, "file": memory_file(name)}


def _make(tree: Tree, name: str, document: bytes, profile: bytes) -> None:
    """Put a role in its place whole or not at all: made under another name first. Blocks."""
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
