"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class MemoryView(Reply, kw_only=True):
    """A memory as replies show it: what is empty is not there."""

    id: str
    kind: str
    """Episodic, semantic, trait or goal."""
    name: str | None = None
    """A trait's name."""
    content: str
    keys: list[str] | None = None
    tags: list[str] | None = None
    topics: list[str] | None = None
    emotions: list[str] | None = None
    inferred: list[str] | None = None
    """Keys of its record that memd found out."""
    time: str | None = None
    """Since when it is remembered."""
    priority: int
    constant: bool
    """It is always in mind."""
    event: str | None = None
    """When what it tells happened or will, for a reader."""
    event_start: str | None = None
    """ISO 8601 with an offset."""
    event_end: str | None = None
    """Itself not in it."""
    planned: bool | None = None
    """That was to come when it was told."""
    valid_from: str | None = None
    """Since when it holds."""
    valid_until: str | None = None
    """Until when it holds."""
    disabled: bool | None = None
    validity: str | None = None
    score: float | None = None
    source: str | None = None
    """Who said so."""
    session: str | None = None
    speaker: str | None = None
    """Who says it there."""
    turn: int | None = None
    """The turn of the session."""
    run: str | None = None
    supersedes: str | None = None
    """The first of those whose place it took."""
    supersedes_all: list[str] | None = None
    """All whose place it took."""
    superseded_by: str | None = None
    """What took its place."""
    covered: list[str] | None = None
    """Its statements that others took the place of."""
    covered_by: list[str] | None = None
    """What took the place of a part of it."""
    holds: str | None = None
    """The rest, where others took a part."""
    conflicts_with: list[str] | None = None
    """What took the same place."""


class Aging(Struct, kw_only=True, omit_defaults=True):
    """What a memory is worth over time: its score, worn down by age and kept up by use."""

    now: float
    """0 to 10."""
    floor: float
    """`upkeep.floor`: what is worth less is proposed to be forgotten."""
    below: str | None = None
    """When it is worth less than that, unless it is used."""
    expires: str | None = None
    """When its time is over."""
    times: list[str]
    """From its beginning to a year from now."""
    course: list[float]
    """Its worth at each of these: as if its uses had all been at the last of them, and without use from now on."""


class ListedMemory(MemoryView, kw_only=True):
    """A memory among others."""

    expired: bool | None = None
    """Its time is over."""
    forgotten_at: str | None = None
    reason: str | None = None
    """Why it was forgotten."""
    withheld: str | None = None
    """Why it stays out of prompts."""
    worth: float | None = None
    """With `figures`: 0 to 10, by its score, its age and its use."""
    uses: int | None = None
    """With `figures`: how often it came to mind."""
    last_use: str | None = None
    expires: str | None = None
    """With `figures`: when its time is over."""
    related: list[str] | None = None
    """With `figures`: ids that it was linked to."""
