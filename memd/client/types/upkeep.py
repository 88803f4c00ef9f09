"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class ShortMemory(Struct, kw_only=True, omit_defaults=True):
    """A memory, its text cut."""

    id: str
    kind: str
    content: str
    """Its first 120 characters."""


class ArchivedMemory(ShortMemory, kw_only=True):
    """One that goes to the archive."""

    why: str


class FadedMemory(ShortMemory, kw_only=True):
    """One that is worth little, and stays."""

    worth: float
    """As it is now, 0 to 10."""


class RoleUpkeep(Struct, kw_only=True, omit_defaults=True):
    """What upkeep does to a role."""

    role: str
    total: dict[str, int]
    """Of each kind, by its key: how many there are."""
    archive: list[ArchivedMemory]
    fold: list[list[ShortMemory]]
    """Episodes of which one takes the place, by group."""
    propose: list[FadedMemory]
    """For a person to forget; least worth first."""


class Upkeep(Reply, kw_only=True):
    """What upkeep does, by role."""

    would: bool
    """It is only planned."""
    roles: list[RoleUpkeep]
    remove: list[str]
    """Rotated audit and old score records that go for room in .memory/."""
    inbox: list[str] | None = None
    """Ids of texts that leave the inbox for the audit: their time is over."""
