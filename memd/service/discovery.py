"""Which roles there are: the directories below roles/, each checked by the rule for names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from memd.errors import Fault
from memd.model.names import collision_key, is_name
from memd.service.role import Role
from memd.storage.files import Tree
from memd.storage.layout import ROLES


def look_for_roles(tree: Tree) -> tuple[list[str], list[Fault]]:
    """Return the names of the roles, and what stands beside them that is none."""
    present: list[str] = []
    bad: list[Fault] = []
    for entry in tree.entries(ROLES):
        if entry.name.startswith("."):
            continue
        why, code = _fault_of(entry.name, entry.is_dir, present)
        if why:
            bad.append(Fault(f"{ROLES}/{shown(entry.name)}", 1, 1, why, code))
        else:
            present.append(entry.name)
    return present, bad


def find_role(roles: Iterable[Role], name: str) -> Role | None:
    """Return the role that a name, an alias, a display name or a uuid means."""
    wanted = unicodedata.normalize("NFC", name)
    known = {role.name: role for role in roles}
    if wanted in known:
        return known[wanted]
    for role in known.values() if wanted else ():
        profile = role.profile
        if wanted in (*profile.aliases, profile.uuid, profile.display_name):
            return role
    return None


def shown(name: str) -> str:
    """Return a name of the file system as a text that can be printed."""
    return name.encode("utf-8", "backslashreplace").decode()


def _fault_of(name: str, is_dir: bool, present: list[str]) -> tuple[str, str]:
    if not is_dir:
        return "a role must be a directory, not a link or a file", "role.not_a_directory"
    if not is_name(name):
        return "this is not a role's name", "name.bad"
    twin = next((other for other in present if collision_key(other) == collision_key(name)), "")
    return (f"its name collides with {twin!r}", "name.taken") if twin else ("", "")
