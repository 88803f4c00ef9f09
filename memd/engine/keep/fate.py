"""What becomes of a statement of a conversation: it is kept, waits for a person, or is let go; and why.

Pure. The rules are asked in their order, and the first that answers decides: what is known, what is worth nothing and what
came too late before what somebody asked for; the level before the total.

Units
    `total` is on 0 to 10.
Source
    docs/decisions/0053-a-pass-is-one-record.md
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

AUTO, INBOX = "auto", "inbox"  # the levels at which something becomes of what was said


class Fate(StrEnum):
    """What becomes of a statement."""

    KEPT = "kept"
    STAGED = "staged"
    KNOWN = "known"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Weight:
    """What is known of a statement when it is decided. `near`: it is at least near the edge of what is worth keeping.

    `keep`: the gate lets it in; `known`: a memory says it; `later`: what it would change was told later than it; `doubt`: it
    may change something; `over`: what it tells has no worth any more.
    """

    total: float
    near: bool
    keep: bool
    by_user: bool = True
    asked: bool = False
    asserted: bool = True
    delicate: str = ""
    known: bool = False
    later: bool = False
    doubt: bool = False
    over: bool = False


class Decided(NamedTuple):
    """What becomes of a statement, and why."""

    fate: Fate
    why: str


def fate_of(weight: Weight, level: str) -> Decided:
    """Return what becomes of a statement at a level, AUTO or INBOX."""
    return _let_go(weight) or _waits(weight, level) or Decided(Fate.KEPT, "asked for" if weight.asked else "")


def _let_go(weight: Weight) -> Decided | None:
    if weight.known:
        return Decided(Fate.KNOWN, "a memory says the same")
    if not (weight.near or weight.keep):
        return Decided(Fate.REFUSED, "not worth keeping")
    if not (weight.asserted or weight.asked):
        return Decided(Fate.REFUSED, "it is not asserted")
    if weight.over:
        return Decided(Fate.REFUSED, "its time is over")
    if weight.later:
        return Decided(Fate.REFUSED, "what it would change was told later")
    if not weight.by_user and not weight.keep:
        return Decided(Fate.REFUSED, "borderline, and the agent said it")
    return None


def _waits(weight: Weight, level: str) -> Decided | None:
    if level != AUTO:
        return Decided(Fate.STAGED, "capture is at the level inbox")
    if not weight.by_user:
        return Decided(Fate.STAGED, "the agent said it")
    if weight.asked:
        return None
    if weight.delicate:
        return Decided(Fate.STAGED, f"delicate: {weight.delicate}")
    if weight.keep:
        return None  # where it may change something both are served, as a conflict
    return Decided(Fate.STAGED, "it may change what is known" if weight.doubt else "borderline")
