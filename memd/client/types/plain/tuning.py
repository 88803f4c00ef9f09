"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class Tried(Struct, kw_only=True, omit_defaults=True):
    """A threshold, and what it would have done with what people decided."""

    keep_from: float
    in_force: bool
    would_keep: int
    would_drop: int
    right: int
    """As people decided."""
    lost: int
    """Would be dropped, and was kept by people."""
    noise: int
    """Would be kept, and was dropped or forgotten by people."""
    waiting_kept: int
    """Of what waits in the inbox now, undecided, it would keep so many."""


class Tuned(Reply, kw_only=True):
    """How thresholds would have done. Nothing is changed."""

    since: str
    """The time that was asked for; empty for all that is known."""
    decided: dict[str, int]
    """How many texts people decided of, by what they did."""
    kept: int
    dropped: int
    waiting: int
    thresholds: list[Tried]
    """The lowest first."""
