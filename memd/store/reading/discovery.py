"""Which roles there are: the directories below roles/, each checked by the rule for names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memd.errors import Fault, RoleAmbiguousError, RoleUnknownError
from memd.model.names import collision_key, is_name
from memd.storage.layout import ROLES

MAIN = "main"  # the person's own role where nothing names another

if TYPE_CHECKING:
    from memd.model.settings import Profile
    from memd.storage.files import Tree
    from memd.store.role.role import Role


def look_for_roles(tree: Tree) -> tuple[list[str], list[Fault]]:
    """Return the names of the roles, and what stands beside them that is none."""
    present: dict[str, str] = {}  # by what a name may not share with another
    bad: list[Fault] = []
    for entry in tree.entries(ROLES):
        if entry.name.startswith("."):
            continue
        why, code = _fault_of(entry.name, entry.is_dir, present)
        if why:
            bad.append(Fault(f"{ROLES}/{shown(entry.name)}", 1, 1, why, code))
        else:
            present[collision_key(entry.name)] = entry.name
    return list(present.values()), bad


def addresses_of(name: str, profile: Profile, character_uuid: str) -> tuple[str, ...]:
    """Return every word that means a role: its directory, its display name, aliases and uuid, its file's characterUuid."""
    words = (name, profile.display_name, *profile.aliases, profile.uuid, character_uuid)
    return tuple(dict.fromkeys(unicodedata.normalize("NFC", word) for word in words if word))


def find_role(roles: Iterable[Role], name: str) -> Role | None:
    """Return the role that an address means, None where it means none; RoleAmbiguousError where it means two.

    This is the one place where addresses are understood, for every door. A directory's name goes before all others.
    """
    wanted = unicodedata.normalize("NFC", name)
    known = {role.name: role for role in roles}
    if not wanted or wanted in known:
        return known.get(wanted)
    meant = [
        role for role in known.values() if wanted in addresses_of(role.name, role.own.profile, role.file.character_uuid)
    ]
    if len(meant) > 1:
        raise RoleAmbiguousError(name, sorted(role.name for role in meant))
    return meant[0] if meant else None


def role_of_project(roles: Iterable[Role], project: str) -> Role | None:
    """Return the role that says it is a project's; of several the first by name."""
    return min(
        (role for role in roles if role.own.profile.project == project), key=lambda role: role.name, default=None
    )


def own_role(roles: Mapping[str, Role], wanted: str) -> Role:
    """Return the person's own role: the one that is wanted, main, or the only one that is no project's. RoleUnknownError."""
    persons = [role for role in roles.values() if not role.own.profile.project]
    found = find_role(roles.values(), wanted or MAIN) or (persons[0] if not wanted and len(persons) == 1 else None)
    if found is None:
        raise RoleUnknownError(wanted or MAIN, sorted(roles))
    return found


def shown(name: str) -> str:
    """Return a name of the file system as a text that can be printed."""
    return name.encode("utf-8", "backslashreplace").decode()


def _fault_of(name: str, is_dir: bool, present: Mapping[str, str]) -> tuple[str, str]:
    if not is_dir:
        return "a role must be a directory, not a link or a file", "role.not_a_directory"
    if not is_name(name):
        return "this is not a role's name", "name.bad"
    twin = present.get(collision_key(name), "")
    return (f"its name collides with {twin!r}", "name.taken") if twin else ("", "")
