"""Find which version of a file a save was made from, and make again what we had changed since.

Pure. An editor saves what it read some time ago with its person's changes. The version it read is the one of the last
seconds that differs least from the save, line by line; of several the oldest. What the person changed of that version is
meant; what we wrote into the file since is not known to the save, and is made again. What others wrote is theirs to keep.

Source
    facts on reliability, 2.5: no way of renaming keeps an editor from saving over what it has not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memd.engine.merge_text import MergedText, merge_text, without_fresh


class Version(NamedTuple):
    """A text that stood in a file, "" for none, until a time; `ours`: we made it of the one before."""

    text: str
    ours: bool
    until_s: float = float("inf")


def made_from(versions: Sequence[Version], saved: str) -> int:
    """Return which of the versions, oldest first, a save was most likely made from.

    What a save lacks tells nothing where the newest version lacks it too: several saves may take the same out.
    """
    lines, newest = _lines(saved), _lines(versions[-1].text)
    costs = []
    for one in versions:
        had = _lines(one.text)
        costs.append((lines - had).total() + ((had & newest) - lines).total())
    return costs.index(min(costs))


def caught_up(versions: Sequence[Version], saved: str, *, entries: bool) -> MergedText:
    """Return a save with what we have changed since the version it was made from."""
    text, whole = saved, True
    for before, after in pairwise(versions[made_from(versions, saved) :]):
        if after.ours:
            merged = merge_text(before.text, after.text, text, entries=entries)
            text, whole = merged.text, whole and merged.whole
    return MergedText(text, whole)


def with_added(known: Sequence[str], saved: str, now: str, *, entries: bool) -> MergedText:
    """Return a text with what a save added to all that is known. What it was made from is not known: it takes nothing out."""
    base = without_fresh(saved, (*known, now), entries=entries)
    return merge_text(base, saved, now, entries=entries)


def _lines(text: str) -> Counter[str]:
    return Counter(line for one in text.split("\n") if (line := one.rstrip()))
