"""Find the times that a text mentions.

Every rule of both languages looks for itself; the longest find wins over those it overlaps; a day then joins the part of
the day or the clock time beside it, and two days with a word like "to" between them become a range. What stands in
quotation marks, or is named as a song or a film, is a title.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from memd.text.times import calendar as cal
from memd.text.times import chinese, english
from memd.text.times.calendar import Interval
from memd.text.times.rules import Atom, Kind, Rule

READ_CHARS = 4000
MOST = 64
NEAR = 40  # characters before a time that may say what it is

_JOIN = re.compile(r"(?:\s|,|，|的|in the|on|of|at|around|about|早|晚)*\Z", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|–|—|~|～|to|until|till|through|and|到|至)\s*(?:the\s+)?\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_QUOTED = re.compile(r"《[^《》]{0,200}》|「[^「」]{0,200}」|\"[^\"]{1,40}\"|“[^”]{1,40}”")
_TITLE = re.compile(
    r"[^\s，。！？,.!?、的了过我你他她]{0,5}(?:这首|是一首|是首|是一部|是部|是一本|这部|这本书|这个\s*(?:App|app|APP|软件|游戏)|头条)"
)


_NAMED = re.compile(r"\s*(?:是|叫|is|was)\s*[^，。,.!?！？]{0,16}(?:名|name|昵称|绰号)", re.IGNORECASE)
_CALLED = re.compile(r"(?:叫做?|名为|名字是|called|named|band|song|film|movie|album)\s*\Z", re.IGNORECASE)
_PLAIN = re.compile(r"(?:the day (?:before|after) )?(?:yesterday|today|tomorrow|tonight)\Z", re.IGNORECASE)
_BEGINS = re.compile(r"(?:\A|[.!?:;\n—–-]|[^\x00-\x7f])[\s\"'“‘(\[*]*\Z")
_NAMES = re.compile(
    "明日方舟|明日之后|明日香|五月天|八月长安|星期五餐厅|周一围|今日头条|今日说法|昨日重现|昨日青空|明天会更好|后天性|六月雪|春晚|周末画报"
    "|USA Today|Monday\\.com|Black Friday|Cyber Monday|Taco Tuesday|Ruby Tuesday|Friday the 13th|Robinson Crusoe|Man Friday"
)


class Mention(NamedTuple):
    """A time in a text: the interval, and the characters that say it."""

    interval: Interval
    begin: int
    stop: int


def read_times(text: str, now: datetime, is_ahead: Callable[[int, int], bool] | None = None) -> list[Mention]:
    """Return the times of a text in order; `now` is aware, and its zone is the scene's.

    `is_ahead` tells of the characters of a time that comes again (Friday, 5 May, 国庆节) whether the next is meant; else
    it is the last.
    """
    text = text[:READ_CHARS]
    atoms = _longest(_found(text, now), len(text))
    try:
        atoms = _joined(text, atoms)
        if is_ahead is not None:
            atoms = [
                _turned(one, now) if one.interval.turns and is_ahead(one.begin, one.stop) else one for one in atoms
            ]
        atoms = _ranged(text, atoms)
    except (OverflowError, ValueError):
        return []
    titles = [(one.start(), one.end()) for one in _QUOTED.finditer(text)]
    named = bytearray(len(text))
    for name in _NAMES.finditer(text):
        named[name.start() : name.end()] = b"\x01" * (name.end() - name.start())
    atoms = [one for one in atoms if not any(named[one.begin : one.stop])]
    kept = [
        Mention(one.interval, one.begin, one.stop)
        for one in atoms
        if one.kind in (Kind.DAY, Kind.SPAN) and not _is_title(text, one, titles)
    ]
    return kept[:MOST]


def _turned(atom: Atom, now: datetime) -> Atom:
    return atom._replace(interval=cal.ahead(atom.interval, now))


def _found(text: str, now: datetime) -> Iterable[Atom]:
    rules: list[Rule] = []
    if chinese.HINT.search(text):
        rules += chinese.rules()
    if english.HINT.search(text):
        rules += english.rules()
    for rule in rules:
        for found in rule.pattern.finditer(text):
            try:
                interval = rule.build(found, now)
            except (OverflowError, ValueError):
                continue  # before the year 1, or after 9999
            if interval is not None and interval.end > interval.start:
                begin, stop = found.span("core") if "core" in rule.pattern.groupindex else found.span()
                yield Atom(rule.kind, interval, begin, stop)


def _longest(atoms: Iterable[Atom], length: int) -> list[Atom]:
    kept: list[Atom] = []
    taken = bytearray(length)
    for atom in sorted(atoms, key=lambda one: (one.begin - one.stop, one.begin)):
        if not any(taken[atom.begin : atom.stop]):
            taken[atom.begin : atom.stop] = b"\x01" * (atom.stop - atom.begin)
            kept.append(atom)
    return sorted(kept, key=lambda one: one.begin)


def _joined(text: str, atoms: list[Atom]) -> list[Atom]:
    """Let a day take the part or the time of day before or behind it."""
    joined: list[Atom] = []
    for atom in atoms:
        if joined and _JOIN.match(text[joined[-1].stop : atom.begin]):
            both = _narrowed(joined[-1], atom)
            if both:
                joined[-1] = both
                continue
        joined.append(atom)
    return joined


def _narrowed(one: Atom, other: Atom) -> Atom | None:
    kinds = {one.kind, other.kind}
    if kinds == {Kind.PART, Kind.CLOCK}:
        part, clock = (one, other) if one.kind is Kind.PART else (other, one)
        return Atom(Kind.CLOCK, _in_part(part.interval, clock.interval), one.begin, other.stop)
    if Kind.DAY not in kinds or not kinds & {Kind.PART, Kind.CLOCK}:
        return None
    day, narrow = (one, other) if one.kind is Kind.DAY else (other, one)
    midnight = narrow.interval.start.replace(hour=0, minute=0, second=0, microsecond=0)
    if narrow.kind is Kind.CLOCK and day.interval.end - day.interval.start < timedelta(days=1):
        return Atom(Kind.SPAN, _clock_in(day.interval, narrow.interval, midnight), one.begin, other.stop)
    if day.interval.end - day.interval.start != timedelta(days=1):
        return None
    start = day.interval.start + (narrow.interval.start - midnight)
    interval = Interval(
        start, start + (narrow.interval.end - narrow.interval.start), loose=True, turns=day.interval.turns
    )
    kind = Kind.DAY if narrow.kind is Kind.PART else Kind.SPAN
    return Atom(Kind.SPAN if kind is Kind.SPAN else _still_day(narrow), interval, one.begin, other.stop)


def _clock_in(part: Interval, clock: Interval, midnight: datetime) -> Interval:
    """Return a clock time of today's, as it is in a part of another day: 后天下午三点."""
    moved = part.start.replace(hour=0, minute=0, second=0, microsecond=0) - midnight
    on_day = Interval(clock.start + moved, clock.end + moved, loose=True, turns=part.turns)
    return _in_part(part, on_day)._replace(turns=part.turns)


def _still_day(narrow: Atom) -> Kind:
    return Kind.SPAN if narrow.kind is Kind.CLOCK else Kind.DAY


def _in_part(part: Interval, clock: Interval) -> Interval:
    """Return a clock time of twelve hours as the part of the day says it."""
    if (
        clock.start.hour < 12
        and part.start.hour >= 11
        and clock.start + timedelta(hours=12) < part.end + timedelta(hours=1)
    ):
        return Interval(clock.start + timedelta(hours=12), clock.end + timedelta(hours=12), loose=True)
    return clock


def _ranged(text: str, atoms: list[Atom]) -> list[Atom]:
    ranged: list[Atom] = []
    for atom in atoms:
        last = ranged[-1] if ranged else None
        if last and {last.kind, atom.kind} <= {Kind.DAY, Kind.SPAN}:
            between = text[last.stop : atom.begin]
            is_and = between.strip().lower() == "and"
            if (
                _RANGE.match(between)
                and between.strip()
                and atom.interval.end > last.interval.start
                and (not is_and or _BETWEEN.search(text[max(0, last.begin - NEAR) : last.begin]))
            ):
                loose = last.interval.loose or atom.interval.loose
                turns = last.interval.turns and atom.interval.turns
                interval = Interval(last.interval.start, atom.interval.end, loose, turns)
                ranged[-1] = Atom(Kind.SPAN, interval, last.begin, atom.stop)
                continue
        ranged.append(atom)
    return ranged


def _is_title(text: str, atom: Atom, titles: list[tuple[int, int]]) -> bool:
    if any(begin < atom.begin and atom.stop < end and end - begin <= 24 for begin, end in titles):
        return True
    said, behind = text[atom.begin : atom.stop], text[atom.stop :]
    if _TITLE.match(behind) or _NAMED.match(behind) or _CALLED.search(text[max(0, atom.begin - NEAR) : atom.begin]):
        return True
    # A plain word with a capital inside a sentence is a name.
    capital = said != said.lower() and not text.isupper()
    return bool(capital and _PLAIN.match(said) and not _BEGINS.search(text[max(0, atom.begin - NEAR) : atom.begin]))
