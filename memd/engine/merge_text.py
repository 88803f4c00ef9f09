"""Merge two edits of one text, unit by unit: lines of a file, or entries of a curated one.

Pure. A unit that only one side touched is as that side has it. What both added at one place stands with both, theirs
first. What both changed differently is a conflict: theirs stands, and the caller keeps ours beside it.

Source
    Three-way merge as in diff3 (Khanna, Kunal, Pierce, 2007, "A Formal Investigation of Diff3").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from memd.formats.curated import entries_of
from memd.formats.git_files import Sides, between

MOST_PAIRS = 900  # units of one side times units of the other that are compared one by one
ALIKE = 0.5  # the share of characters two units have in common, from which one may have become the other
LOOKED_CHARS = 300


class Aligned(NamedTuple):
    """What became of each unit (nothing where it was removed), and what was added before each, and at the end."""

    kept: list[list[str]]
    added: list[list[str]]


def aligned(old: Sequence[str], new: Sequence[str], known: frozenset[str]) -> Aligned:
    """Return which unit of a new text each old one became: by likeness, and place by place between those that are alike.

    `known` are the units of the whole base: one of them that stands elsewhere now was moved, and became no other.
    """
    pairs = _likest(old, new, known)
    of_new = {at_new: at_old for at_old, at_new in pairs}
    for (i, j), (k, m) in pairwise([(-1, -1), *pairs, (len(old), len(new))]):
        if k - i == m - j:
            of_new.update((j + step, i + step) for step in range(1, k - i) if new[j + step] not in known)
    kept: list[list[str]] = [[] for _ in old]
    added: list[list[str]] = [[] for _ in range(len(old) + 1)]
    place = 0
    for at_new, unit in enumerate(new):
        if at_new in of_new:
            kept[of_new[at_new]] = [unit]
            place = of_new[at_new] + 1
        else:
            added[place].append(unit)
    return Aligned(kept, added)


def is_another(old: Sequence[str], new: Sequence[str]) -> bool:
    """Tell whether what stands in the place of some units is nothing that they have become, but others."""
    return bool(new) and all(_likeness(one, two, frozenset()) < ALIKE for one in old for two in new)


def _likest(old: Sequence[str], new: Sequence[str], known: frozenset[str]) -> list[tuple[int, int]]:
    """Return pairs of places, in order in both, whose units are most alike in all (dynamic programming).

    Of very many units only those that are the same are pairs.
    """
    if len(old) * len(new) > MOST_PAIRS:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(one, two, known) for two in new] for one in old]
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


def _likeness(one: str, other: str, known: frozenset[str]) -> float:
    if one == other or other in known:
        return float(one == other)
    return SequenceMatcher(None, one[:LOOKED_CHARS], other[:LOOKED_CHARS]).ratio()


SEPARATOR = "\n§\n"  # between entries in hermes' files
_SEPARATOR = re.compile(r"\r?\n§[ \t]*\r?\n")
_END = re.compile(r"\r?\n\Z")


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
    """Return theirs with our change of base. `entries`: by entry in place of line, the same addition on both sides once."""
    if theirs in (base, ours):
        return MergedText(ours, whole=True)
    if ours == base:
        return MergedText(theirs, whole=True)
    if not entries and is_made(base, ours, theirs):
        return MergedText(theirs, whole=True)
    form = _form_of((base, ours, theirs), entries=entries)
    found: list[str] = []
    whole = True
    for piece in _pieces(form.units(base), form.units(ours), form.units(theirs), entries=entries):
        found += piece.theirs
        if piece.ours == piece.theirs or (entries and not piece.ours):
            continue  # an entry that we took out and they changed stays, as changed
        if entries and is_another(piece.base, piece.ours):
            found += [one for one in piece.ours if one not in piece.theirs]  # we took one out, and added this
        else:
            whole = False
    return MergedText(form.text(found, theirs or ours), whole)


def merge_branch_text(base: str, ours: str, theirs: str, sides: Sides) -> MergedText:
    """Return both sides' changes of a text of entries; what both changed differently stands between git's markers.

    An entry that one side removed and the other changed stays, as changed. Not `whole` where there are markers.
    """
    form = _form_of((base, ours, theirs), entries=True)
    found: list[str] = []
    whole = True
    for piece in _pieces(form.units(base), form.units(ours), form.units(theirs), entries=True):
        if piece.ours == piece.theirs or not piece.ours:
            found += piece.theirs
        elif not piece.theirs:
            found += piece.ours
        else:
            parts = [f"{form.mark.join(part)}\n" for part in (piece.base, piece.ours, piece.theirs)]
            found.append(between(sides, parts[0], parts[1], parts[2]).removesuffix("\n"))
            whole = False
    return MergedText(form.text(found, ours or theirs), whole)


def without_fresh(text: str, known: Sequence[str], *, entries: bool) -> str:
    """Return a text without the units that none of the known texts has."""
    form = _form_of((text, *known), entries=entries)
    units = {one for each in known for one in form.units(each)}
    return form.text([one for one in form.units(text) if one in units or not _is_entry(one)], text)


class _Form(NamedTuple):
    """How a text falls into units: by lines, by entries of curated memory, or by what stands between two `§`."""

    mark: str
    entries: bool
    windows: bool  # every line ends with CR LF

    def units(self, text: str) -> list[str]:
        """Return the units of a text; the newline at its end belongs to none."""
        if "§" in self.mark:
            return _SEPARATOR.split(_END.sub("", text)) if text else []
        plain = text.replace("\r\n", "\n") if self.windows else text
        if not plain:
            return []
        plain = plain.removesuffix("\n")
        return entry_units(plain) if self.entries else plain.split("\n")

    def text(self, units: list[str], like: str) -> str:
        """Return the text of units, ended as another is."""
        end = "\n" if units and like.endswith("\n") else ""
        if "§" in self.mark:
            return self.mark.join(units) + (self.mark.partition("§")[0] if end else "")
        whole = "\n".join(units) + end
        return whole.replace("\n", "\r\n") if self.windows else whole


def _form_of(texts: Sequence[str], *, entries: bool) -> _Form:
    if not entries:
        return _Form("\n", entries=False, windows=False)
    if any(_SEPARATOR.search(one) for one in texts):
        mark = SEPARATOR.replace("\n", "\r\n") if any("\r\n§" in one for one in texts) else SEPARATOR
        return _Form(mark, entries=True, windows=False)
    # A text whose lines end in two ways keeps them, line by line.
    windows = any("\r\n" in one for one in texts) and all(one.count("\r\n") in (0, one.count("\n")) for one in texts)
    return _Form("\n", entries=True, windows=windows)


def entry_units(text: str) -> list[str]:
    """Return a curated file in pieces that belong together: an entry, a block of code, any other line."""
    starts = {max(one.start - (text[:1] == "\ufeff"), 0): one.stop for one in entries_of(text, "lines")}
    units: list[str] = []
    at = stop = 0
    fence = ""
    for line in text.split("\n"):
        joins = bool(units) and (at < stop or bool(fence))
        stop = max(stop, starts.get(at, 0))
        if joins:
            units[-1] += f"\n{line}"
        else:
            units.append(line)
        mark = line.lstrip()[:3]
        if at >= stop and mark in ("```", "~~~"):
            fence = "" if fence else mark
        at += len(line) + 1
    return units


def _pieces(base: list[str], ours: list[str], theirs: list[str], *, entries: bool) -> Iterator[Piece]:
    """Yield the text in pieces: what is settled has two equal sides, what both changed differently has not."""
    known = frozenset(base)
    theirs_fresh = frozenset(one for one in theirs if _is_entry(one)) - known if entries else frozenset()
    for old, mine, other in _regions(base, ours, theirs):
        if mine in (old, other):
            yield Piece(old, other, other)
        elif other == old:
            kept = _not_elsewhere(mine, theirs_fresh)
            yield Piece(old, kept, kept)
        elif not old:
            both = _both_added(_not_elsewhere(mine, theirs_fresh - set(other)), other) if entries else [*other, *mine]
            yield Piece(old, both, both)
        elif entries:
            yield from _one_by_one(old, mine, other, known, theirs_fresh)
        else:
            yield Piece(old, mine, other)


def _is_entry(unit: str) -> bool:
    """Tell whether a unit says something by itself: headings and blank lines may well stand more than once."""
    return bool(unit.strip()) and not unit.startswith("#")


def _not_elsewhere(mine: list[str], elsewhere: frozenset[str]) -> list[str]:
    """Return our units without those that the other side has added too, at another place, and the blank before each."""
    kept: list[str] = []
    for one in mine:
        if one not in elsewhere:
            kept.append(one)
        elif kept and not kept[-1].strip():
            kept.pop()
    return kept


def _both_added(mine: list[str], other: list[str]) -> list[str]:
    """Return what two sides added at one place: theirs first, what is in both once, each below its own heading."""
    blocks = SequenceMatcher(None, other, mine, autojunk=False).get_matching_blocks()
    found: list[str] = []
    at = a = 0
    for block in blocks:
        if block.size and not any(one.strip() for one in other[block.a : block.a + block.size]):
            continue  # blank lines alone are no anchor
        theirs = other[at : block.a]
        ours = [one for one in mine[a : block.b] if one not in other or not _is_entry(one)]
        head = next((number for number, one in enumerate(theirs) if one.startswith("#")), len(theirs))
        found += [*theirs[:head], *ours, *theirs[head:], *other[block.a : block.a + block.size]]
        at, a = block.a + block.size, block.b + block.size
    return found


def _one_by_one(
    old: list[str], mine: list[str], other: list[str], known: frozenset[str], theirs_fresh: frozenset[str]
) -> Iterator[Piece]:
    """Yield a region that both changed, unit by unit: neighbours may each be somebody else's."""
    ours, theirs = aligned(old, mine, known), aligned(old, other, known)
    for number in range(len(old) + 1):
        added = theirs.added[number]
        fresh = _both_added(_not_elsewhere(ours.added[number], theirs_fresh - set(added)), added)
        if fresh:
            yield Piece([], fresh, fresh)
        if number < len(old):
            was, left, right = [old[number]], ours.kept[number], theirs.kept[number]
            if left != right:
                left = _not_elsewhere(left, theirs_fresh)  # what it became stands already, somewhere else
            left, right = (right if left == was else left), (left if right == was else right)
            yield Piece(was, left, right)


def is_made(base: str, ours: str, now: str) -> bool:
    """Tell whether a text has every line that our change of base added, and none more often that it took out.

    A change that only takes out is never told: a line that is gone may be one that somebody changed.
    """
    before, after, there = (Counter(one.split("\n")) for one in (base, ours, now))
    added, removed = after - before, before - after
    return (
        bool(added)
        and all(there[line] >= after[line] for line in added)
        and all(there[line] <= after[line] for line in removed)
    )


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


def merge_lines(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return the lines of both sides of a log, without those that either side took out: what was erased does not come back.

    What theirs added stands before the line it stood before, behind what ours added there. A line that stands several times in ours, as an
    empty one does, stays where it is, and comes along with those between which it was added.
    """
    before, here, there = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    times = Counter(here)
    gone = (set(before) - set(here)) | (set(before) - set(there))
    added: dict[bytes, list[bytes]] = {}
    new: list[bytes] = []
    blank: list[bytes] = []
    for line in there:
        if times[line] == 1:
            added[line], new, blank = new, [], []
        elif line in times:
            blank.append(line)
        elif line not in gone:
            new += [*blank, line]
            blank = []
    merged = [*(one for kept in here for one in (*added.get(kept, ()), kept) if one not in gone), *new]
    return b"".join(one if one.endswith(b"\n") else one + b"\n" for one in merged[:-1]) + b"".join(merged[-1:])
