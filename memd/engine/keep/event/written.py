"""The times of a text in which dates were written behind them, as talk/dates.py does: 周五（2026-11-20）, on Friday (2026-11-20).

A date in brackets parts a sentence, and the words that say whether it is past stand behind it. So a text is read without them; then
the date that is written holds: it was found when the text was said, and may be read much later.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from memd.engine.keep.event.resolve import COMPARED_CHARS, Told, names_time, resolve, signs_of
from memd.engine.recall.temporal import meant
from memd.formats.times import WRITTEN, moment_in, period_of
from memd.model.scene import TimeSpan
from memd.text import expressions as re
from memd.text.times import Interval, Mention, read_times

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled
    from memd.model.memory import Memory

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def resolve_written(text: str, now: datetime) -> Told:
    """Return what a text's times mean: as resolve does, where dates are written behind them by those."""
    begin = text[:COMPARED_CHARS]
    dates = list(WRITTEN.finditer(begin))
    if not dates:
        return resolve(text, now)
    told = resolve(WRITTEN.sub("", begin) + text[COMPARED_CHARS:], now)
    if told == Told():
        return resolve(text, now)  # the date is all that names a time
    first = dates[0]
    if len(dates) > 1 or first["about"] or first["to"]:
        return told
    return _held_to(told, first["date"], now.tzinfo)


def _held_to(told: Told, written: str, zone: tzinfo | None) -> Told:
    """Return a text's only time as the date says that is written behind it, where the two are apart."""
    found = None
    with suppress(ValueError, OverflowError):  # no date of the calendar
        found = _interval(written, zone)
    if found is None:
        return told
    if told.event is not None:
        apart = told.event.end <= found.start or found.end <= told.event.start
        return told._replace(event=found) if apart else told
    if told.since is not None and told.until is None and not found.start <= told.since < found.end:
        return told._replace(since=found.start)
    return told


def in_month_of(text: str, event: datetime, now: datetime) -> tuple[str, Interval] | None:
    """Return a text, and its time, of which a bare day of the month is a day of the month of an event that it moves.

    The date that stands behind the day becomes that one too. None where it names no such day alone, or that day is over: "the 22nd",
    said in August of an operation on 15 September, is 22 September.
    """
    begins = event.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    found = [one for one in read_times(text, begins, lambda *_: True) if one.interval.turns]
    if len(found) != 1 or found[0].interval.turns != "month":
        return None
    interval, stop = found[0].interval._replace(turns=""), found[0].stop
    if interval.start.month != begins.month or interval.start < now or interval.end - interval.start > DAY:
        return None
    if date := WRITTEN.match(text, stop):
        day = f"{interval.start:%Y-%m-%d}"
        text = text[: date.start("date")] + day + text[date.start("date") + len(day) :]
    return text, interval


def _interval(written: str, zone: tzinfo | None) -> Interval:
    numbers = [int(one) for one in re.findall(r"\d+", written)]
    year, month, day, hour, minute = [*numbers, *(0, 1, 1, 0, 0)[len(numbers) :]]
    start = datetime(year, month, day, hour, minute, tzinfo=zone)
    if len(numbers) == 1:
        return Interval(start, start.replace(year=start.year + 1))
    if len(numbers) == 2:
        return Interval(start, (start + timedelta(days=31)).replace(day=1))
    return Interval(start, start + (DAY if len(numbers) == 3 else HOUR))


# The times that a message or a search asks about: what comes again is asked of the past, of the future, or of both.

# What only asks about what is to come.
_COMING = re.compile(
    r"\b(?:plans?|planned|schedule|calendar|agenda|coming up|upcoming|will|going to|free|busy|due|what['’]?s on)\b|安排|计划|日程|打算|有空|要做|要去|到期",
    re.IGNORECASE,
)
# Words that a question about a time is made of beside the time itself: with nothing else in it, all of that time is asked.
_ASKING = re.compile(
    r"\b(?:what|whats|what's|who|where|when|which|how|why|did|do|does|is|are|was|were|will|have|has|had|i|we|me|my|our|you|us|the|a|an|any|anything|something"
    r"|everything|there|that|this|it|happen(?:ed|s|ing)?|happening|going|on|in|at|for|during|about|of|to|up|coming|plans?|planned|planning|scheduled?|calendar|agenda|events?"
    r"|appointments?|done|doing|tell|remember|show|list|free|busy|due|s|else|with|and|please|can|could)\b"
    r"|发生了?|什么事?|哪些|有什么|有哪些|有没有|安排|计划|日程|事情|干了?|做了?|什么|啥|我们?|你们?|的|了|吗|呢|吧|有|在|是|过|都|那|这|会|要|请|告诉|查|看看",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def asked_times(text: str, now: datetime) -> tuple[TimeSpan, ...]:
    """Return the times that a text names; `now` is aware, in the scene's zone. What comes again may be the last and the next."""
    try:
        last = read_times(text, now)
        turning = [(one.begin, one.stop) for one in last if one.interval.turns]
        if not turning:
            return tuple(_span(text, one) for one in last)
        signs = signs_of(text, turning)
        coming = _COMING.search(text) is not None
        following = read_times(text, now, lambda begin, stop: signs.get((begin, stop)) != "past")
        kept = [one for one in last if not (coming and _sign(one, signs) not in ("", "past"))]
        return tuple(dict.fromkeys(_span(text, one) for one in (*kept, *following)))
    except (OverflowError, ValueError, OSError):
        return ()  # at the ends of the calendar


def _sign(one: Mention, signs: dict[tuple[int, int], str]) -> str:
    return signs.get((one.begin, one.stop), "")


def _span(text: str, one: Mention) -> TimeSpan:
    interval = one.interval
    return TimeSpan(interval.start.timestamp(), interval.end.timestamp(), text[one.begin : one.stop], interval.loose)


def asks_for_a_time_alone(text: str, times: tuple[TimeSpan, ...]) -> bool:
    """Tell whether a text asks what was or is at a time, and names nothing beside it."""
    for one in times:
        text = text.replace(one.words, " ")
    return bool(times) and _LETTER.search(_ASKING.sub(" ", text)) is None


def happened(role: Compiled, words: str, times: tuple[TimeSpan, ...], now_s: float) -> dict[str, float]:
    """Return the memories of the times that a search names, and how much that says; without an event only where it names no more."""
    alone = asks_for_a_time_alone(words, times)
    found = meant(role.memories, role.dates, times, now_s)
    return {key: said for key, (said, _) in found.items() if alone or role.memories[key].event}


# The times that a memory's own words tell, where its record has none: it was written by hand, or by another program.
#
# They are read against the time the record says it was told at, and stand beside the record, never in it. Where it says no
# time, nothing is guessed.


def dated(memory: Memory, zone: tzinfo | None) -> Memory:
    """Return a memory with the times that its own words tell, in a zone (None: the system's own); as it is where they tell none."""
    if memory.undated is None or memory.is_of_world or not names_time(memory.content):
        return memory
    told = moment_in(memory.undated, zone)
    if told is None:
        return memory
    try:
        found = resolve_written(memory.content, told)
        event = found.event and period_of(_written(found.event.start), _written(found.event.end))
        held = period_of(_written(found.since), _written(found.until))
        planned = bool(event and event.start_s is not None and event.start_s > told.timestamp())
    except (OverflowError, ValueError, OSError):
        return memory  # at the ends of the calendar
    return replace(memory, event=event, held=held, planned=planned) if event or held else memory


def _written(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
