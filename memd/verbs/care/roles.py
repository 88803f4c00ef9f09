"""The verbs of roles: list them, tell which one an address means, make one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, structs

from memd.errors import BadNameError, NameTakenError, RoleUnknownError
from memd.formats.role_memory import new_document
from memd.formats.toml_writer import dump_profile
from memd.model.names import check_free, check_name
from memd.service.scope.making import make_role
from memd.service.scope.scopes import Place, scope_of
from memd.storage.layout import ROLES, memory_file
from memd.store.reading.discovery import addresses_of
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import Paged, RoleName, Total

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store


class LinkView(Struct):
    """A link to another role, as its file has it."""

    role: Annotated[str, Meta(description="the address that the file gives")]
    weight: float
    means: Annotated[str, Meta(description="the role that is meant; empty where it leads nowhere, or to two")]


class RoleView(Reply):
    """A role, and what it holds."""

    name: str
    display_name: str
    aliases: list[str]
    uuid: str
    fiction: Annotated[bool, Meta(description="it is a character or a story: what is said there is its world's")]
    character_uuid: str
    links: list[LinkView]
    memories: int
    by_kind: Annotated[dict[str, int], Meta(description="how many memories of each kind there are")]
    constant: Annotated[int, Meta(description="how many are always in mind")]
    rejected: Annotated[str, Meta(description="why its file cannot be served")] | None


class Roles(Reply):
    """Roles by their names, and the directories that are none."""

    total: Total
    roles: list[RoleView]
    rejected: list[str]


class GetRole(Request):
    """A role by any of its addresses."""

    role: RoleName


class FoundRole(RoleView):
    """A role with every address that means it."""

    addresses: list[str]


class AskScope(Request):
    """What a directory says of itself; a path never comes over the socket."""

    project: Annotated[str, Meta(max_length=200, description="host/owner/name, by the origin of its repository")] = ""
    named: Annotated[str, Meta(max_length=200, description="the role that its .memd-role names")] = ""
    mark: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$", description="of that file's place and what it says")] = ""


class ScopeView(Reply):
    """Whose memory a directory gets, and why."""

    role: Annotated[str, Meta(description="whose memory it is now")]
    address: Annotated[str, Meta(description="what stands for it in any call: a role's name, or @ and the project")]
    person: Annotated[str, Meta(description="the role that gets what the person says of themselves")]
    project: str
    made: Annotated[bool, Meta(description="the project, or who is named, has a role already")]
    elsewhere: Annotated[str, Meta(description="the workspace that has this project's memory; else empty")]
    steps: Annotated[list[str], Meta(description="how it was found, in order")]


class CreateRole(Request):
    """A new role."""

    name: Annotated[str, Meta(max_length=200)]
    display_name: Annotated[str, Meta(max_length=200, description="what the role is called in full")] = ""
    fiction: Annotated[
        bool,
        Meta(description="it is a character or a story: what is said there is kept as its world, not as the user's"),
    ] = False


class CreatedRole(Reply):
    """A role that was made, with its memory's file."""

    name: str
    file: str


@verb("role.list")
async def list_roles(service: Service, asked: Paged) -> Roles:
    """List the roles."""
    store = service.store
    await store.roles.look()
    roles = sorted(store.roles.values(), key=lambda role: role.name)
    return Roles(
        total=len(roles),
        roles=[view_of(store, role) for role in asked.part(roles)],
        rejected=[str(one) for one in store.roles.bad],
    )


@verb("role.get")
async def get_role(service: Service, asked: GetRole) -> FoundRole:
    """Tell which role an address means, and what it holds."""
    role = await service.store.role(asked.role)
    addresses = addresses_of(role.name, role.own.profile, role.file.character_uuid)
    return FoundRole(**structs.asdict(view_of(service.store, role)), addresses=list(addresses))


@verb("role.of", errors=(RoleUnknownError,))
async def role_of_place(service: Service, asked: AskScope) -> ScopeView:
    """Tell whose memory a directory gets, by what it says of itself, and why."""
    found = await scope_of(service.store, Place(asked.project, asked.named, asked.mark))
    return ScopeView(found.role, found.address, found.person, found.project, found.made, found.elsewhere, found.steps)


@verb(
    "role.create",
    writes=True,
    errors=(
        BadNameError,
        NameTakenError,
    ),
)
async def create_role(service: Service, asked: CreateRole) -> CreatedRole:
    """Make a role.

    It is a directory with an empty memory.json, and a role.toml where there is something to say.
    """
    store = service.store
    name = check_name(asked.name)
    await store.roles.look()
    _ = store.writer.journal  # a workspace that is only read makes no roles
    check_free(name, [entry.name for entry in store.tree.entries(ROLES)])
    if taken := [role.name for role in store.roles.values() if name in addresses_of("", role.own.profile, "")]:
        raise NameTakenError(name, taken[0])  # the name of a directory goes before what another role calls itself
    document = new_document(store.ports.new_id()).dump()
    says = asked.display_name or asked.fiction
    profile = dump_profile(asked.display_name, fiction=asked.fiction).encode() if says else b""
    await asyncio.to_thread(make_role, store.tree, name, document, profile)
    await store.roles.look()
    return CreatedRole(name=name, file=memory_file(name))


def view_of(store: Store, role: Role) -> RoleView:
    """Return a role as replies show it."""
    figures = role.figures
    return RoleView(
        name=role.name,
        display_name=role.own.profile.display_name,
        aliases=list(role.own.profile.aliases),
        uuid=role.own.profile.uuid,
        fiction=role.own.profile.fiction,
        character_uuid=figures.character_uuid,
        links=[LinkView(link.role, link.weight, store.roles.linked(link.role)) for link in role.own.profile.links],
        memories=figures.memories,
        by_kind=figures.by_kind,
        constant=figures.constant,
        rejected=str(role.file.rejected) if role.file.rejected else None,
    )
