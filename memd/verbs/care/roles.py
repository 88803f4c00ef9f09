"""The verbs of roles: list them, tell which one an address means, make one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, structs

from memd.errors import BadNameError, NameTakenError, RoleUnknownError
from memd.formats.role_memory import new_document
from memd.formats.toml_writer import dump_profile
from memd.model.names import check_free, check_name
from memd.protocol.fields import Paged, Request, RoleName
from memd.protocol.roles import CreatedRole, FoundRole, LinkView, Roles, RoleView, ScopeView
from memd.service.scope import Place, make_role, scope_of
from memd.storage.layout import ROLES, memory_file
from memd.store.reading.discovery import addresses_of
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store


class GetRole(Request):
    """A role by any of its addresses."""

    role: RoleName


class AskScope(Request):
    """What a directory says of itself; a path never comes over the socket."""

    project: Annotated[str, Meta(max_length=200, description="host/owner/name, by the origin of its repository")] = ""
    named: Annotated[str, Meta(max_length=200, description="the role that its .memd-role names")] = ""
    mark: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$", description="of that file's place and what it says")] = ""


class CreateRole(Request):
    """A new role."""

    name: Annotated[str, Meta(max_length=200)]
    display_name: Annotated[str, Meta(max_length=200, description="what the role is called in full")] = ""
    fiction: Annotated[
        bool,
        Meta(description="it is a character or a story: what is said there is kept as its world, not as the user's"),
    ] = False


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
