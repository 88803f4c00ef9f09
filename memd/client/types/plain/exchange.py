"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from memd.client.types.plain.declared import Reply


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
