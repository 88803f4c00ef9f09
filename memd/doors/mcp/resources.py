"""The resources by addresses that begin with memd://: the curated files, the roles, what each remembers; and which of them changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memd.errors import BadParamsError, MemdError

if TYPE_CHECKING:
    from memd.doors.mcp.asking import Desk

MEMORY, USER, ROLES = "memd://curated/MEMORY.md", "memd://curated/USER.md", "memd://roles"
CURATED = {"MEMORY.md": MEMORY, "USER.md": USER}
FILES = {MEMORY: "memory", USER: "user"}
MEMORIES = "memories"
JSON, MARKDOWN = "application/json", "text/markdown"
PAGE = 1000  # memories of a role, and roles, that are told at once
FIXED = (
    {"uri": MEMORY, "name": "MEMORY.md", "title": "Memory", "mimeType": MARKDOWN,
     "description": "What an agent should always know about the work."},
    {"uri": USER, "name": "USER.md", "title": "User", "mimeType": MARKDOWN, "description": "Who the user is."},
    {"uri": ROLES, "name": "roles", "title": "Roles", "mimeType": JSON,
     "description": "The roles, with what each of them holds."},
)  # fmt: skip
TEMPLATES = (
    {"uriTemplate": f"{ROLES}/{{role}}", "name": "role", "title": "A role", "mimeType": JSON,
     "description": "A role's profile: names, links, and how many memories it has of each kind."},
    {"uriTemplate": f"{ROLES}/{{role}}/{MEMORIES}", "name": MEMORIES, "title": "A role's memories", "mimeType": JSON,
     "description": "A role's memories with their ids, at most 1,000."},
)  # fmt: skip


class Resources:
    """The resources of one server."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def listed(self) -> list[dict[str, Any]]:
        """Return the fixed ones, and two for each role; none of a role while nobody can be asked."""
        try:
            names = [one["name"] for one in await self.desk.roles()]
        except MemdError:
            names = []
        found: list[dict[str, Any]] = [*FIXED]
        for name in names:
            profile, memories = uris_of(name)
            found.append({"uri": profile, "name": name, "title": f"Role {name}", "mimeType": JSON})
            found.append(
                {"uri": memories, "name": f"{name} memories", "title": f"Memories of {name}", "mimeType": JSON}
            )
        return found

    async def read(self, uri: str) -> tuple[str, str]:
        """Return a resource's text and its kind."""
        if uri in FILES:
            return str((await self.desk.ask("curated.read", file=FILES[uri]))["text"]), MARKDOWN
        if uri == ROLES:
            return _dump(await self.desk.ask("role.list", limit=PAGE)), JSON
        role, slash, rest = uri.removeprefix(f"{ROLES}/").partition("/")
        if not uri.startswith(f"{ROLES}/") or not role or (slash and rest != MEMORIES):
            raise BadParamsError(f"uri: no resource {uri!r:.200}; resources/list has those there are")
        name = _unquoted(role)
        return _dump(await (self._memories(name) if slash else self.desk.ask("role.get", role=name))), JSON

    async def _memories(self, role: str) -> dict[str, Any]:
        """Return the memories of a role, so many as a client may want to read at once."""
        reply = await self.desk.ask("memory.list", role=role, limit=PAGE)
        found, total = reply["memories"], reply["total"]
        told = {"role": reply["role"], "total": total, "memories": found}
        if len(found) < total:
            told["note"] = f"{total - len(found)} more are not here; memory_list pages through all of them"
        return told


def uris_of(role: str) -> tuple[str, str]:
    """Return the addresses of a role: its profile, its memories."""
    from urllib.parse import quote  # noqa: PLC0415  not at every start

    name = quote(role, safe="")
    return f"{ROLES}/{name}", f"{ROLES}/{name}/{MEMORIES}"


def _unquoted(name: str) -> str:
    from urllib.parse import unquote  # noqa: PLC0415  not at every start

    try:
        found = unquote(name, errors="strict")
    except UnicodeDecodeError:
        raise BadParamsError(f"uri: {name!r:.200} is no percent-encoded UTF-8") from None
    if "\0" in found:
        raise BadParamsError("uri: it has a NUL character")
    return found


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


# Updates: what the daemon says has changed, as resources to read again.

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
