"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from memd.client.types.views import Reply


class ImportedMemory(Struct, kw_only=True, omit_defaults=True):
    """One record of an import, raw as the foreign file has it."""

    kind: Literal["episodic", "semantic", "trait", "goal"]
    record: dict[str, Any]
    speaker: str = ""
    """Who says it, where the record does not tell."""
    session: str = ""
    """The session it comes from, likewise."""
    turn: int | None = None
    """The turn of the session, likewise."""


class TakenRecord(Struct, kw_only=True, omit_defaults=True):
    """A record that comes in."""

    number: int
    """Its place in the batch, from 0."""
    kind: str
    id: str
    text: str
    """Its beginning."""
    was: str | None = None
    """Its id in the file, where that is another memory's here."""


class RefusedRecord(Struct, kw_only=True, omit_defaults=True):
    """A record, a book or an entry of it that does not come in."""

    number: int | None = None
    """Of a record: its place in the batch."""
    kind: str | None = None
    text: str | None = None
    book: str | None = None
    """The book's title, where it is one."""
    why: str
    """Duplicate, or the code of an error."""
    detail: str


class BookFile(Struct, kw_only=True, omit_defaults=True):
    """A book that comes in."""

    name: str
    """Its file."""


class Imported(Reply, kw_only=True):
    """What of a batch came in; of a book's part, what is here of it; with `undo`, what was taken out."""

    import_id: str
    role: str | None = None
    waiting: int | None = None
    """Characters of a book whose other parts are awaited."""
    dry_run: bool | None = None
    taken: list[TakenRecord] | None = None
    refused: list[RefusedRecord] | None = None
    archived: int | None = None
    """Memories that were taken back."""
    books: list[BookFile | str] | None = None
    """With `undo` the files' names alone."""
    kept: list[str] | None = None
    """Books that are not as they came, roles that are gone."""
    uuid: str | None = None
    """The one the role has."""
    sessions: list[str] | None = None
    """Of the past that were taken out."""


class Exported(Reply, kw_only=True):
    """A part of what is given out."""

    role: str
    form: str
    content: str
    next: int | None
    """The offset of the next part; null at the end."""
    chars: int
    """Of the whole."""
    digest: str
    """Of the whole, with which the next part is asked."""


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
