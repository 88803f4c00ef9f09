"""The year of a date that names none. Where another phrase of its sentence names one, it is that: "in 2019, on May 3rd", 2019年那次，5月3日.

A year bounds nothing else (since 2019), and it is of the date's own clause, or one of the two clauses has no verb that is
known: what tells of something else has its own time. The date's words may not say otherwise: what is to come is not of a
year that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memd.engine.keep.event import signs
from memd.text import expressions as re
from memd.text.times.calendar import FIXED, LUNAR, MOVING, in_year
from memd.text.times.reading import read_times

if TYPE_CHECKING:
    from memd.text.times import Interval, Mention

NEAR = 24  # characters before a year that may say that it is a bound
LONGEST_MONTH = timedelta(days=31)
SETTLING, SOON = 60, timedelta(days=100)  # characters before a day that may say that something is settled for it
LEADING = 8  # characters before a day that may be of its phrase: "on the" 9th
_BOUND = re.compile(
    r"(?:\b(?:since|until|till|from|before|after|by|through|to)\s+|自从?|从|到|至|打)(?:about |around |early |late )?\Z",
    re.IGNORECASE,
)
_BOUND_BEHIND = re.compile(
    r"\s*(?:以来|起(?![来床])|至今|以前|之前|以后|之后|前|后|到|至|开始|onwards?|-|–)", re.IGNORECASE
)


def is_yearly(interval: Interval) -> bool:
    """Tell whether an interval comes again every year."""
    turns = interval.turns
    return turns == "year" or turns in FIXED or turns in LUNAR or turns in MOVING


def is_soon(text: str, begin: int, stop: int, now: datetime | None) -> bool:
    """Tell whether what is settled for a day, or comes on it, does so within SOON days: "moved my exam, dec 17" is not of last year."""
    settled = signs.ARRANGES.search(text[max(0, begin - SETTLING) : begin])
    if now is None or not (settled or signs.HAN_COMES.match(text, stop)):
        return False
    named = read_times(text[max(0, begin - LEADING) : stop], now, lambda *_: True)
    return bool(named) and timedelta() < named[-1].interval.start - now <= SOON


def with_years(
    text: str, mentions: Sequence[Mention], now: datetime, clause: Callable[[int, int], tuple[int, int]],
    sign: Callable[[int, int], str],
) -> list[Mention]:  # fmt: skip
    """Return mentions of a sentence with the years that others of them name.

    `clause` gives the bounds of the clause around some characters, `sign` what the words there say: past, ahead, or "".
    """
    years = [one for one in mentions if _is_year(text, one)]
    bound: list[Mention] = []
    for one in mentions:
        for year in years if is_yearly(one.interval) else ():
            if not _belongs(text, one, year, clause):
                continue
            there = in_year(one.interval, year.interval.start.year)
            said = sign(one.begin, one.stop)
            if there is None or (said == "ahead" and there.end <= now and _tells(text, clause(one.begin, one.stop))):
                continue
            bound.append(one._replace(interval=there._replace(turns="")))
            break
        else:
            bound.append(one)
    return bound


def with_months(text: str, mentions: Sequence[Mention], now: datetime) -> list[Mention]:
    """Return mentions of a sentence of which a bare day is of the month to come that stands before it: 下个月有个展，十六到十八号."""
    found: list[Mention] = []
    month: Interval | None = None
    for one in mentions:
        bare = one.interval.turns == "month" and "月" not in text[one.begin : one.stop]
        placed = _in_month(one.interval, month.start) if month and bare else None
        found.append(one._replace(interval=placed) if placed else one)
        month = one.interval if _is_month(one.interval) and one.interval.end > now else month
    return found


def _in_month(one: Interval, month: datetime) -> Interval | None:
    """Return days of a month as the same days of another one; None where that has no such day."""
    try:
        start = one.start.replace(year=month.year, month=month.month)
        last = (one.end - timedelta(days=1)).replace(year=month.year, month=month.month)
    except ValueError:
        return None
    return one._replace(start=start, end=last + timedelta(days=1), turns="") if start <= last else None


def _is_month(interval: Interval) -> bool:
    start, end = interval.start, interval.end
    return (start.day, end.day) == (1, 1) and end - start <= LONGEST_MONTH


def _is_year(text: str, one: Mention) -> bool:
    start, end = one.interval.start, one.interval.end
    whole = (start.month, start.day, end.month, end.day) == (1, 1, 1, 1) and end.year == start.year + 1
    before = text[max(0, one.begin - NEAR) : one.begin]
    return bool(
        whole and not one.interval.loose and not _BOUND.search(before) and not _BOUND_BEHIND.match(text[one.stop :])
    )


def _belongs(text: str, one: Mention, year: Mention, clause: Callable[[int, int], tuple[int, int]]) -> bool:
    own, other = clause(one.begin, one.stop), clause(year.begin, year.stop)
    if own == other:
        return True
    begin = max(0, own[0] - NEAR, other[1] if other[1] <= own[0] else 0)
    yearly = signs.YEARLY.search(text[begin : own[1]]) is not None  # a birthday is of no year that is told beside it
    return not (yearly or (_tells(text, own) and _tells(text, other)))


def _tells(text: str, bounds: tuple[int, int]) -> bool:
    part = text[slice(*bounds)]
    return bool(signs.ENGLISH.search(part) or signs.CHINESE.search(part))
