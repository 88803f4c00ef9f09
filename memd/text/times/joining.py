"""Times that stand beside each other are one: a day and its part or its clock time, two days with "to" between them.

Of a range whose ends come again (from Monday to Wednesday, 28 December to 3 January) the last that is past stands, as of a
single day; an end that is known settles the other. What is moved from one day to another is no range.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from memd.text.times import calendar as cal
from memd.text.times.calendar import Interval
from memd.text.times.rules import HALF, Atom, Kind

NEAR = 40  # characters before a time that may say what it is
DAY = timedelta(days=1)

_JOIN = re.compile(r"(?:\s|,|，|的|in the|on|of|at|around|about|早|晚)*\Z", re.IGNORECASE)
_RANGE = re.compile(r"\s*,?\s*(?:-|–|—|~|～|to|until|till|through|thru|and|一?直?到|至)\s*(?:the\s+)?\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_MOVED = re.compile(
    r"(?:\b(?:moved|postponed|rescheduled|pushed|shifted|changed|delayed|brought forward)\b[^.;!?]{0,30}|[改调挪换移]|推迟|提前|延期)\s*\Z",
    re.IGNORECASE,
)
_MOVED_TO = re.compile(r"\s*(?:改|推迟|提前|延期?|调|挪|换|移)", re.IGNORECASE)


def joined(text: str, atoms: list[Atom]) -> list[Atom]:
    """Let a clock time take the part of the day beside it, a day its part, and a day its clock time, in this order."""
    for kinds in ({Kind.CLOCK, Kind.PART}, {Kind.DAY, Kind.PART}, {Kind.DAY, Kind.CLOCK}):
        atoms = _paired(text, atoms, kinds)
    return atoms


def _paired(text: str, atoms: list[Atom], kinds: set[Kind]) -> list[Atom]:
    paired: list[Atom] = []
    for atom in atoms:
        last = paired[-1] if paired else None
        if last and {last.kind, atom.kind} == kinds and _JOIN.match(text[last.stop : atom.begin]):
            both = _narrowed(last, atom)
            if both:
                paired[-1] = both
                continue
        paired.append(atom)
    return paired


def _narrowed(one: Atom, other: Atom) -> Atom | None:
    kinds = {one.kind, other.kind}
    if kinds == {Kind.PART, Kind.CLOCK}:
        part, clock = (one, other) if one.kind is Kind.PART else (other, one)
        return Atom(Kind.CLOCK, _in_part(part.interval, clock.interval), one.begin, other.stop)
    day, narrow = (one, other) if one.kind is Kind.DAY else (other, one)
    midnight = cal.midnight(narrow.interval.start)
    if narrow.kind is Kind.CLOCK and day.interval.end - day.interval.start < DAY:
        return Atom(Kind.SPAN, _clock_in(day.interval, narrow.interval), one.begin, other.stop)
    if day.interval.end - day.interval.start != DAY:
        return None
    if narrow.interval.turns == HALF:
        return Atom(Kind.SPAN, day.interval, one.begin, other.stop)
    start = day.interval.start + (narrow.interval.start - midnight)
    interval = Interval(
        start, start + (narrow.interval.end - narrow.interval.start), loose=True, turns=day.interval.turns
    )
    return Atom(Kind.SPAN if narrow.kind is Kind.CLOCK else Kind.DAY, interval, one.begin, other.stop)


def _clock_in(part: Interval, clock: Interval) -> Interval:
    """Return a clock time of today's, as it is in a part of another day: 后天下午三点."""
    moved = cal.midnight(part.start) - cal.midnight(clock.start)
    on_day = Interval(clock.start + moved, clock.end + moved, loose=True, turns=part.turns)
    return _in_part(part, on_day)._replace(turns=part.turns)


def _in_part(part: Interval, clock: Interval) -> Interval:
    """Return a clock time of twelve hours as the part of the day says it: 下午三点, one o'clock at night."""
    early, late = part.start - timedelta(hours=1), part.end + timedelta(hours=1)
    for hours in (0, 12, 24):
        start = clock.start + timedelta(hours=hours)
        if early <= start < late and (not hours or clock.start.hour <= 12):
            return Interval(start, clock.end + timedelta(hours=hours), loose=True)
    return clock


def ranged(text: str, atoms: list[Atom], turned: Callable[[Atom], Atom]) -> list[Atom]:
    """Let two times with a word like "to" between them be a range. `turned` gives what is meant of what comes again."""
    found: list[Atom] = []
    for atom in atoms:
        last = found[-1] if found else None
        both = _range(last, atom, turned) if last and _is_range(text, last, atom) else None
        if both:
            found[-1] = both
        else:
            found.append(atom)
    return found


def _is_range(text: str, one: Atom, other: Atom) -> bool:
    between = text[one.stop : other.begin]
    if not ({one.kind, other.kind} <= {Kind.DAY, Kind.SPAN} and between.strip() and _RANGE.match(between)):
        return False
    before = text[max(0, one.begin - NEAR) : one.begin]
    if _MOVED.search(before.removesuffix("from ")) or _MOVED_TO.match(text[other.stop :]):
        return False
    return between.strip().lower() != "and" or _BETWEEN.search(before) is not None


def _range(one: Atom, other: Atom, turned: Callable[[Atom], Atom]) -> Atom | None:
    """Return the range from one to the other; None where the second is not after the first."""
    first, last, turns = one.interval, other.interval, ""
    if first.turns and first.turns == last.turns:
        turns = first.turns
        if last.start <= first.start:
            first = cal.last_before(first, last.start)
        elif (nearer := cal.next_after(last, first.start)).start < last.start:
            last = nearer
    else:
        if first.turns and last.turns:
            first = turned(one).interval
        if last.turns:
            last = cal.next_after(last, first.start)
        elif first.turns:
            first = cal.last_before(first, last.start)
    if last.end <= first.start or last.start < first.start:
        return None
    loose = first.loose or last.loose
    return Atom(Kind.SPAN, Interval(first.start, last.end, loose, turns), one.begin, other.stop)
