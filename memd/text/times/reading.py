"""Phrases of time in a text: which there are, and which of them belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.simplified import simplified
from memd.text.times import calendar as cal
from memd.text.times import chinese, english
from memd.text.times.calendar import Interval
from memd.text.times.needed import Held
from memd.text.times.rules import HALF, Atom, Kind, Rule

# Times that stand beside each other are one: a day and its part or its clock time, two days with "to" between them.
#
# Of a range whose ends come again (from Monday to Wednesday, 28 December to 3 January) the last that is past stands, as of a
# single day; an end that is known settles the other. What is moved from one day to another is no range.

NEAR = 40  # characters before a time that may say what it is
DAY = timedelta(days=1)

_JOIN = re.compile(r"(?:\s|,|，|的|in the|on|of|at|around|about|早|晚)*\Z", re.IGNORECASE)
# What stands between a day of the week and its date, and which of two is the date.
_ALSO = re.compile(r"\s*[,，]?\s*(?:on\s+)?(?:the\s+)?(?P<open>[（(])?\s*\Z", re.IGNORECASE)
_DATE = re.compile(r"\d|[一二三四五六七八九十廿][号日]")
_WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|(?:周|星期|礼拜)[一二三四五六日天]", re.IGNORECASE)
_RANGE = re.compile(r"\s*,?\s*(?:-|–|—|~|～|to|until|till|through|thru|and|一?直?到|至)\s*(?:the\s+)?\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_MOVED = re.compile(
    r"(?:\b(?:moved|postponed|rescheduled|pushed|shifted|changed|delayed|brought forward)\b[^.;!?]{0,30}|[改调挪换移]|推迟|提前|延期)\s*\Z",
    re.IGNORECASE,
)
_MOVED_TO = re.compile(r"\s*(?:改|推迟|提前|延期?|调|挪|换|移)", re.IGNORECASE)


_plain = lru_cache(maxsize=4)(simplified)  # asked for once for the last and once for the next of what comes again


def joined(text: str, atoms: list[Atom]) -> list[Atom]:
    """Let a date take the day of the week beside it, a clock time the part of the day, a day its part, and a day its clock time."""
    atoms = _dated(text, atoms)
    for kinds in ({Kind.CLOCK, Kind.PART}, {Kind.DAY, Kind.PART}, {Kind.DAY, Kind.CLOCK}):
        atoms = _paired(text, atoms, kinds)
    return atoms


def _dated(text: str, atoms: list[Atom]) -> list[Atom]:
    """Let a day of the week that stands beside a date be of it: "Friday, 11 December", 11号周五, 周五（11号）."""
    found: list[Atom] = []
    for atom in atoms:
        last = found[-1] if found else None
        between = _ALSO.match(text[last.stop : atom.begin]) if last else None
        if last and between and _whole_day(last) and _whole_day(atom):
            date = next((one for one in (last, atom) if _DATE.search(text[one.begin : one.stop])), None)
            date = date or next((one for one in (last, atom) if not one.interval.turns), None)
            if date and _WEEKDAY.search(text[(other := atom if date is last else last).begin : other.stop]):
                stop = atom.stop + (between["open"] is not None and text[atom.stop : atom.stop + 1] in (")", "）"))
                found[-1] = date._replace(begin=last.begin, stop=stop)
                continue
        found.append(atom)
    return found


def _whole_day(atom: Atom) -> bool:
    return atom.kind is Kind.DAY and atom.interval.end - atom.interval.start == DAY


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


# Find the times that a text mentions.
#
# Every rule of both languages looks for itself; the longest find wins over those it overlaps; a day then joins the part of
# the day or the clock time beside it, and two days with a word like "to" between them become a range. What stands in
# quotation marks, or is named as a song or a film, is a title.

READ_CHARS = 4000
TIMES = (Kind.DAY, Kind.SPAN)
MOST = 64

_QUOTED = re.compile(r"《[^《》]{0,200}》|「[^「」]{0,200}」|\"[^\"]{1,40}\"|“[^”]{1,40}”")
_TITLE = re.compile(
    r"[^\s，。！？,.!?、的了过我你他她]{0,5}(?:这首|是一首|是首|是一部|是部|是一本|这部|这本书|这个\s*(?:App|app|APP|软件|游戏)|头条)"
)

# Between a figure and a character, where many set a blank: 12 月 3 日.
_BLANK = re.compile(r"(?<=\d)(?<![A-Za-z]\d)[ \u00a0]{1,4}(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[ \u00a0]{1,4}(?=\d)")

_NAMED = re.compile(r"\s*(?:是|叫|is|was)\s*[^，。,.!?！？]{0,16}(?:名|name|昵称|绰号)", re.IGNORECASE)
_CALLED = re.compile(r"(?:叫做?|名为|名字是|called|named|band|song|film|movie|album)\s*\Z", re.IGNORECASE)
_PLAIN = re.compile(r"(?:the day (?:before|after) )?(?:yesterday|today|tomorrow|tonight)\Z", re.IGNORECASE)
_BEGINS = re.compile(r"(?:\A|[.!?:;\n—–-]|[^\x00-\x7f])[\s\"'“‘(\[*]*\Z")
_NAMES = re.compile(
    "明日方舟|明日之后|明日香|五月天|八月长安|星期五餐厅|周一围|今日头条|今日说法|昨日重现|昨日青空|明天会更好|后天性|六月雪|春晚|周末画报"
    "|USA Today|Monday\\.com|Black Friday|Cyber Monday|Taco Tuesday|Ruby Tuesday|Friday the 13th|Robinson Crusoe|Man Friday"
)


_DIGIT = re.compile(r"\d")


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
    text = _plain(text[:READ_CHARS])
    atoms = _atoms(text, now, now.tzinfo)

    def turned(atom: Atom) -> Atom:
        return _turned(atom, now, is_ahead) if is_ahead and atom.interval.turns and atom.kind in TIMES else atom

    try:
        atoms = [turned(one) for one in ranged(text, joined(text, atoms), turned)]
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
        if one.kind in TIMES and not _is_title(text, one, titles)
    ]
    return kept[:MOST]


@lru_cache(maxsize=4)
def _atoms(text: str, now: datetime, zone: tzinfo | None) -> list[Atom]:  # noqa: ARG001 - a moment is equal in any zone, its day is not
    """Return what the rules find; of what comes again the last and the next are asked of one text, one after the other."""
    return _longest(_found(text, now), len(text))


def _turned(atom: Atom, now: datetime, is_ahead: Callable[[int, int], bool]) -> Atom:
    """Return what comes again as it is meant: the next, or the last where a word before it (by Friday) has the next."""
    if is_ahead(atom.begin, atom.stop):
        return atom._replace(interval=cal.ahead(atom.interval, now))
    if atom.interval.turns == "week" and atom.interval.start > now:
        return atom._replace(interval=cal.last_before(atom.interval, now))
    return atom


def _found(text: str, now: datetime) -> Iterable[Atom]:
    if english.HINT.search(text):
        yield from _by(english.rules(), text, now)
    if chinese.HINT.search(text):
        close = _BLANK.sub("", text) if " " in text or "\u00a0" in text else text
        if close == text:
            yield from _by(chinese.rules(), text, now)
            return
        blanks = {at for blank in _BLANK.finditer(text) for at in range(*blank.span())}
        places = [at for at in range(len(text)) if at not in blanks]
        for atom in _by(chinese.rules(), close, now):
            yield atom._replace(begin=places[atom.begin], stop=places[atom.stop - 1] + 1)


def _by(rules: Iterable[Rule], text: str, now: datetime) -> Iterable[Atom]:
    held = Held(text, digits=_DIGIT.search(text) is not None)
    for rule in rules:
        if not held.has(rule.needs):
            continue
        for found in rule.pattern.finditer(text):
            try:
                interval = rule.build(found, now)
            except (OverflowError, ValueError, KeyError):
                continue  # before the year 1, after 9999, or in letters (ſ) that expressions alone take for ours
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


def _is_title(text: str, atom: Atom, titles: list[tuple[int, int]]) -> bool:
    if any(begin < atom.begin and atom.stop < end and end - begin <= 24 for begin, end in titles):
        return True
    said, behind = text[atom.begin : atom.stop], text[atom.stop :]
    if _TITLE.match(behind) or _NAMED.match(behind) or _CALLED.search(text[max(0, atom.begin - NEAR) : atom.begin]):
        return True
    # A plain word with a capital inside a sentence is a name.
    capital = said != said.lower() and not text.isupper()
    return bool(capital and _PLAIN.match(said) and not _BEGINS.search(text[max(0, atom.begin - NEAR) : atom.begin]))
