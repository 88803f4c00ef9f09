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

from memd.formats.conflict_markers import Sides, between

SEPARATOR = "\n§\n"  # between entries in hermes' files


MOST_PAIRS = 900  # units of one side times units of the other that are compared one by one
ALIKE = 0.5  # the share of characters two units have in common, from which one may have become the other
LOOKED_CHARS = 300


class Piece(NamedTuple):
    """A stretch of a text as the base and both sides have it, a list of units each."""

    base: list[str]
    ours: list[str]
    theirs: list[str]


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
    mark = _mark((base, ours, theirs), entries=entries)
    found: list[str] = []
    whole = True
    for piece in _pieces(base, ours, theirs, mark, entries=entries):
        found += piece.theirs
        whole = whole and piece.ours == piece.theirs
    return MergedText(_joined(found, mark, theirs or ours), whole)


def merge_branch_text(base: str, ours: str, theirs: str, sides: Sides) -> MergedText:
    """Return both sides' changes of a text of entries; what both changed differently stands between git's markers.

    An entry that one side removed and the other changed stays, as changed. Not `whole` where there are markers.
    """
    mark = _mark((base, ours, theirs), entries=True)
    found: list[str] = []
    whole = True
    for piece in _pieces(base, ours, theirs, mark, entries=True):
        if piece.ours == piece.theirs or not piece.ours:
            found += piece.theirs
        elif not piece.theirs:
            found += piece.ours
        else:
            forms = [f"{mark.join(form)}\n" if form else "" for form in (piece.base, piece.ours, piece.theirs)]
            found.append(between(sides, forms[0], forms[1], forms[2]).removesuffix("\n"))
            whole = False
    return MergedText(_joined(found, mark, theirs or ours), whole)


def _mark(texts: Sequence[str], *, entries: bool) -> str:
    return SEPARATOR if entries and any(SEPARATOR in one for one in texts) else "\n"


def _joined(units: list[str], mark: str, like: str) -> str:
    return mark.join(units) + ("\n" if mark == "\n" and units and like.endswith("\n") else "")


def _pieces(base: str, ours: str, theirs: str, mark: str, *, entries: bool) -> Iterator[Piece]:
    """Yield the text in pieces: what is settled has two equal sides, what both changed differently has not."""
    for old, mine, other in _regions(*(_units(one, mark) for one in (base, ours, theirs))):
        if mine in (old, other):
            yield Piece(old, other, other)
        elif other == old:
            yield Piece(old, mine, mine)
        elif not old:
            both = [*other, *(one for one in mine if not entries or not one.strip() or one not in other)]
            yield Piece(old, both, both)
        elif entries and len(old) * max(len(mine), len(other)) <= MOST_PAIRS:
            yield from _one_by_one(old, mine, other)
        else:
            yield Piece(old, mine, other)


def _one_by_one(old: list[str], mine: list[str], other: list[str]) -> Iterator[Piece]:
    """Yield a region that both changed, unit by unit: neighbours may each be somebody else's."""
    ours, theirs = aligned(old, mine), aligned(old, other)
    for number in range(len(old) + 1):
        fresh = [*theirs.added[number], *(one for one in ours.added[number] if one not in theirs.added[number])]
        if fresh:
            yield Piece([], fresh, fresh)
        if number < len(old):
            was, left, right = [old[number]], ours.kept[number], theirs.kept[number]
            left, right = (right if left == was else left), (left if right == was else right)
            yield Piece(was, left, right)


class Aligned(NamedTuple):
    """What became of each unit (nothing where it was removed), and what was added before each, and at the end."""

    kept: list[list[str]]
    added: list[list[str]]


def aligned(old: Sequence[str], new: Sequence[str]) -> Aligned:
    """Return which unit of a new text each old one became: place by place, or by likeness where the counts differ."""
    if len(old) == len(new):
        return Aligned([[one] for one in new], [[] for _ in range(len(old) + 1)])
    pairs = _likest(old, new)
    kept: list[list[str]] = [[] for _ in old]
    added: list[list[str]] = [[] for _ in range(len(old) + 1)]
    place = 0
    of_new = {at_new: at_old for at_old, at_new in pairs}
    for at_new, unit in enumerate(new):
        if at_new in of_new:
            kept[of_new[at_new]] = [unit]
            place = of_new[at_new] + 1
        else:
            added[place].append(unit)
    return Aligned(kept, added)


def _likest(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of places, in order in both, whose units are most alike in all (dynamic programming)."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(one, two) for two in new] for one in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            paired = best[i + 1][j + 1] + alike[i][j] if alike[i][j] >= ALIKE else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if alike[i][j] >= ALIKE and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(one: str, other: str) -> float:
    return 1.0 if one == other else SequenceMatcher(None, one[:LOOKED_CHARS], other[:LOOKED_CHARS]).ratio()


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
