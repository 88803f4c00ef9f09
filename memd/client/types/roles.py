"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class LinkView(Struct, kw_only=True, omit_defaults=True):
    """A link to another role, as its file has it."""

    role: str
    """The address that the file gives."""
    weight: float
    means: str
    """The role that is meant; empty where it leads nowhere, or to two."""


class RoleView(Reply, kw_only=True):
    """A role, and what it holds."""

    name: str
    display_name: str
    aliases: list[str]
    uuid: str
    fiction: bool
    """It is a character or a story: what is said there is its world's."""
    character_uuid: str
    links: list[LinkView]
    memories: int
    by_kind: dict[str, int]
    """How many memories of each kind there are."""
    constant: int
    """How many are always in mind."""
    rejected: str | None
    """Why its file cannot be served."""


class Roles(Reply, kw_only=True):
    """Roles by their names, and the directories that are none."""

    total: int
    """How many there are, this part among them."""
    roles: list[RoleView]
    rejected: list[str]


class FoundRole(RoleView, kw_only=True):
    """A role with every address that means it."""

    addresses: list[str]


class ScopeView(Reply, kw_only=True):
    """Whose memory a directory gets, and why."""

    role: str
    """Whose memory it is now."""
    address: str
    """What stands for it in any call: a role's name, or @ and the project."""
    person: str
    """The role that gets what the person says of themselves."""
    project: str
    made: bool
    """The project, or who is named, has a role already."""
    elsewhere: str
    """The workspace that has this project's memory; else empty."""
    steps: list[str]
    """How it was found, in order."""


class CreatedRole(Reply, kw_only=True):
    """A role that was made, with its memory's file."""

    name: str
    file: str
