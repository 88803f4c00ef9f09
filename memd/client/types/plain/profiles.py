"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class ProfileLine(Struct, kw_only=True, omit_defaults=True):
    """A memory in a profile."""

    id: str
    role: str
    """Whose it is: the role's, or that of one it is linked to."""
    kind: str
    """Episodic, semantic, trait or goal."""
    text: str
    time: str | None = None
    """Since when it is remembered."""
    event: str | None = None
    """When what it tells happened or will, for a reader."""
    source: str | None = None
    """Who said so."""
    worth: float
    """0 to 1, by which it got its room: weight, use, age."""
    conflicts_with: list[str] | None = None
    """What says otherwise."""


class ProfilePart(Struct, kw_only=True, omit_defaults=True):
    """A part of a profile, the newest first."""

    name: str
    title: str
    """In the language of what is asked or known."""
    memories: list[ProfileLine]


class ProposedLine(Struct, kw_only=True, omit_defaults=True):
    """What USER.md might have: nobody writes it there but a person."""

    id: str
    """Of the memory that says so."""
    what: str
    """Identity, preference, health, home or work."""
    text: str


class ProfileView(Reply, kw_only=True):
    """What holds of a subject now, or held."""

    role: str
    subject: str
    """As it was asked; empty: the user."""
    of: str
    """Of whom it is."""
    several: list[str] | None = None
    """Whom the words may mean, where that is not one."""
    content: str
    """The block for a prompt; empty where nothing is known."""
    fence: str
    """What marks the block's ends and does not occur between them."""
    parts: list[ProfilePart]
    known: int
    """Memories that hold and are of the subject."""
    shown: int
    left_out: int
    """Those of them that had no room, repeat another or are withheld."""
    delicate: int
    """Left out beside them, as they are private of somebody else."""
    withheld: list[str] | None = None
    """Ids of what may not stand in a prompt."""
    waiting: int
    """Texts of the inbox that may be of the subject: nothing of them is in it."""
    proposed: list[ProposedLine] | None = None
    """For USER.md, if a person likes."""
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What is wrong with a link; what nobody can tell of then."""
    elapsed_ms: float
