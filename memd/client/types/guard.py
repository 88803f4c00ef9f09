"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class MeantRemember(Struct, kw_only=True, omit_defaults=True):
    """The parameters of the remember that was meant, ready to send."""

    role: str
    content: str
    source: str
    explicit: bool | None = None
    kind: str | None = None
    name: str | None = None
    """A trait's name."""
    keys: list[str] | None = None
    tags: list[str] | None = None
    validity: str | None = None
    session: str | None = None


class GuardRuling(Reply, kw_only=True):
    """What is to be done with a call, or after a message."""

    action: str
    why: str
    target: str
    """The files or the tool concerned."""
    hint: str
    """What to do instead."""
    remember: list[MeantRemember]
    commands: list[str]
    """The same as lines for a shell."""
    violations: int
    """How many the session has by now; 0 where this is none."""
    allowed: int
    """How many a session may have."""
