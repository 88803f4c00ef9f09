"""Find which version of a file a save was made from, and make again what we had changed since.

Pure. An editor saves what it read some time ago with its person's changes. It read one of the versions of the last seconds:
one that lacks nothing of ours that the save has, and has nothing that the save lacks. What the person changed of that
version is meant; what we wrote into the file since is not known to the save, and is made again. What others saved is theirs
to keep.

Source
    docs/design/reliability.md#when-an-editor-writes-over-us: no way of renaming keeps an editor from saving over what it has not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from memd.engine.merge_text import MergedText, merge_text, without_fresh


class By(Enum):
    """How a version came to stand: an editor saved it; we brought an editor's save in, or back; we made a change."""

    SAVE = auto()
    MERGE = auto()
    CHANGE = auto()


class Version(NamedTuple):
    """A text that stood in a file, "" for none, until a time, and how it came of the one before."""

    text: str
    by: By
    until_s: float = float("inf")


def made_from(versions: Sequence[Version], saved: str) -> int:
    """Return which of the versions, oldest first, a save was most likely made from; of several the oldest.

    What a save has in common with others' saves tells nothing: its editor may have written it itself, and not have read it.
    What it lacks tells nothing where the newest version lacks it too: several saves may take the same out. A version that
    the save shares no line with, such as the nothing of a moment, lacks nothing and tells nothing: it is chosen only where
    all are so. One that is the save to the letter is its origin, of several the newest: that may be what a kill left.
    """
    if same := [n for n, one in enumerate(versions) if one.text == saved]:
        return same[-1]
    had = [_lines(one.text) for one in versions]
    lines, newest, changed = _lines(saved), had[-1], Counter[str]()
    for before, after, version in zip(had, had[1:], versions[1:], strict=False):
        if version.by is By.CHANGE:
            changed |= after - before
    read = lines & changed
    akin = [n for n, one in enumerate(had) if one & lines] or range(len(had))
    return min(akin, key=lambda n: (read - had[n]).total() + ((had[n] & newest) - lines).total())


def caught_up(versions: Sequence[Version], saved: str, *, entries: bool) -> MergedText:
    """Return a save with what we have written since the version it was made from."""
    text, whole = saved, True
    for before, after in pairwise(versions[made_from(versions, saved) :]):
        if after.by is not By.SAVE:
            merged = merge_text(before.text, after.text, text, entries=entries)
            text, whole = merged.text, whole and merged.whole
    return MergedText(text, whole)


def with_added(known: Sequence[str], saved: str, now: str, *, entries: bool) -> MergedText:
    """Return a text with what a save added to all that is known. What it was made from is not known: it takes nothing out."""
    base = without_fresh(saved, (*known, now), entries=entries)
    return merge_text(base, saved, now, entries=entries)


def _lines(text: str) -> Counter[str]:
    return Counter(line for one in text.split("\n") if (line := one.rstrip()))
