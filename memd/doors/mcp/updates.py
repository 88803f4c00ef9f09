"""Updates: what the daemon says has changed, as resources to read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memd.doors.mcp.resources import CURATED, MEMORIES, ROLES, uris_of
from memd.errors import MemdError

if TYPE_CHECKING:
    from memd.doors.mcp.asking import Desk

LISTING = ""  # what stands for the listing itself, among addresses


async def changed(desk: Desk, happening: dict[str, Any]) -> list[str]:
    """Return the addresses of what a happening changed, LISTING where it is which resources there are.

    After the daemon was away everything is: nobody knows what changed meanwhile.
    """
    if happening.get("anew"):
        return await _everything(desk)
    role = str(happening.get("role") or "")
    return changed_by(happening, await _addresses(desk, role) if role else [])


def changed_by(happening: dict[str, Any], addresses: Sequence[str] = ()) -> list[str]:
    """Return what a change means for the resources; `addresses` are those of its role, beside the name."""
    topic, role = happening.get("topic"), str(happening.get("role") or "")
    of_role = [uri for one in dict.fromkeys((role, *addresses)) for uri in _of_role(one)]
    if topic == "curated":
        return [uri for name, uri in CURATED.items() if name == happening.get("name")]
    if topic == "role":
        return [LISTING, ROLES, *of_role]
    if topic == "memory" or (topic == "file" and role):
        return [ROLES, *of_role]
    return []


async def _addresses(desk: Desk, role: str) -> list[str]:
    """Return every word by which a client may have asked for a role; its name alone where it is gone."""
    try:
        return [str(one) for one in (await desk.known(role))["addresses"]]
    except MemdError:
        return [role]


async def _everything(desk: Desk) -> list[str]:
    try:
        names = [word for one in await desk.roles() for word in await _addresses(desk, one["name"])]
    except MemdError:
        names = []
    return [LISTING, *CURATED.values(), ROLES, *(uri for name in names for uri in _of_role(name))]


def _of_role(role: str) -> list[str]:
    # Clients are told by the address they asked for: as listed, or as a person would write a Chinese name.
    plain = (f"{ROLES}/{role}", f"{ROLES}/{role}/{MEMORIES}")
    return [*dict.fromkeys((*uris_of(role), *plain))]
