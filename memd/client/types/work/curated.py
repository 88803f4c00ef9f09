"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memd.client.types.plain.declared import Reply
from memd.client.types.work.fields import SectionView


class CuratedOperation(Struct, kw_only=True, omit_defaults=True):
    """One of several edits."""

    action: Literal["add", "replace", "remove"]
    content: str = ""
    old_text: str = ""


class EntryText(Struct, kw_only=True, omit_defaults=True):
    """An entry of a curated file."""

    n: int
    """Counted from 1."""
    text: str


class CuratedView(Reply, kw_only=True):
    """A curated file by entry, and what is used of its limit."""

    file: str
    digest: str
    form: str
    """Bullets, paragraphs or sections."""
    chars: int
    """All but the white space around it."""
    limit: int
    """Characters that tools may write."""
    usage: str
    """Chars of limit, in words."""
    entries: list[EntryText]
    warning: str | None = None
    """It is nearly full."""


class ReadCurated(CuratedView, kw_only=True):
    """A curated file with its text."""

    text: str
    missing: bool
    """There is no such file."""
    withheld: list[str] | None = None
    """Entries that stay out of prompts."""


class EditedCurated(CuratedView, kw_only=True):
    """A curated file as it was left."""

    changed: bool


class TakenSnapshot(Reply, kw_only=True):
    """The curated memory, frozen."""

    digest: str
    file: str
    stored: bool
    """False where it was stored before."""
    sections: list[SectionView]
    faults: list[str] | None = None
    """Of curated files that cannot be read."""


class FrozenFile(Struct, kw_only=True, omit_defaults=True):
    """A curated file as a snapshot has it."""

    name: str
    text: str


class SnapshotSections(Reply, kw_only=True):
    """A stored snapshot, as a model may read it."""

    digest: str
    file: str
    sections: list[SectionView]
    files: list[FrozenFile]
