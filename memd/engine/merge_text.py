"""Merge two edits of one text, unit by unit: lines of a file, or entries of a curated one.

Pure. A unit that only one side touched is as that side has it. What both added at one place stands with both, theirs
first. What both changed differently is a conflict: theirs stands, and the caller keeps ours beside it.

Source
    Three-way merge as in diff3 (Khanna, Kunal, Pierce, 2007, "A Formal Investigation of Diff3").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

SEPARATOR = "\n§\n"  # between entries in hermes' files


class MergedText(NamedTuple):
    """A text, and whether all of our change found its place in it."""

    text: str
    whole: bool


def merge_text(base: str, ours: str, theirs: str, *, entries: bool = False) -> MergedText:
    """Return theirs with our change of base. `entries`: the same addition on both sides is made once."""
    if theirs in (base, ours):
        return MergedText(ours, whole=True)
    if ours == base:
        return MergedText(theirs, whole=True)
    mark = SEPARATOR if entries and any(SEPARATOR in one for one in (base, ours, theirs)) else "\n"
    parts = [_units(one, mark) for one in (base, ours, theirs)]
    found: list[str] = []
    whole = True
    for old, mine, other in _regions(*parts):
        if mine in (old, other):
            found += other
        elif other == old:
            found += mine
        elif not old:
            found += [*other, *(one for one in mine if not entries or not one.strip() or one not in other)]
        else:
            found += other
            whole = False
    end = "\n" if mark == "\n" and found and (theirs or ours).endswith("\n") else ""
    return MergedText(mark.join(found) + end, whole)


def is_taken_back(base: str, ours: str, now: str) -> bool:
    """Tell whether a text lacks all that our change of base had added, or has all again that it had taken out."""
    lines = [set(one.split("\n")) for one in (base, ours, now)]
    added, removed = lines[1] - lines[0], lines[0] - lines[1]
    if added:
        return not added & lines[2]
    return bool(removed) and removed <= lines[2]


def _units(text: str, mark: str) -> list[str]:
    if not text:
        return []
    return (text.removesuffix("\n") if mark == "\n" else text).split(mark)


def _regions(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield stretches of the three: those all agree on, and between them those they do not."""
    mine, other = _places(base, ours), _places(base, theirs)
    at, a, b = 0, 0, 0
    for place in range(len(base)):
        if place not in mine or place not in other:
            continue
        yield list(base[at:place]), list(ours[a : mine[place]]), list(theirs[b : other[place]])
        yield [base[place]], [base[place]], [base[place]]
        at, a, b = place + 1, mine[place] + 1, other[place] + 1
    yield list(base[at:]), list(ours[a:]), list(theirs[b:])


def _places(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    """Return for each unit of base that the other kept where it stands there."""
    found: dict[int, int] = {}
    # What is everywhere, such as a blank line, tells no place: left to itself it would cost the cube of the length.
    common = _common(base, other)
    found.update((place, place) for place in range(common))
    for block in SequenceMatcher(None, base[common:], other[common:]).get_matching_blocks():
        found.update((common + block.a + step, common + block.b + step) for step in range(block.size))
    return found


def _common(base: Sequence[str], other: Sequence[str]) -> int:
    """Return how many units both begin with."""
    return next(
        (at for at, (one, two) in enumerate(zip(base, other, strict=False)) if one != two), min(len(base), len(other))
    )
