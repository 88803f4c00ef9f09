"""What time says of a memory: whether it has ended, how much age takes from it, and whether a message speaks of its time.

A time that a message names brings what happened then; the more memories lie in it, the less it says of each. That
something is new brings nothing by itself, but where a memory's own trigger type is temporal.

Units
    seconds since the epoch; decay per day.
Source
    docs/design/origins.md#what-memd-decides: decay is exp(-days * timeDecayFactor). What was used lately has aged less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from memd.model.memory import Kind, Memory
from memd.model.scene import TimeSpan
from memd.text import expressions as re

DAY_S = 86_400.0
LONGEST = timedelta(days=100)  # a longer time in a memory's text is no date of it
SPANS = 8  # times of a message that are looked for
NAMED = 0.8  # a day that is named, and few memories in it
MANY = 4  # memories in the time named, beyond which each is less likely to be meant
OF_NOW = 0.35  # of that, where the time named is not over: today, this week
ELSEWHERE = 0.3  # of that, for a memory whose event was another time, where it is not asked what was told then
FACT = 0.5  # of that, for what is no episode: when a fact was noted says little
RECENT = 0.45  # what being new says for a memory whose trigger type is temporal
WHOLLY = 1.6  # a fifth of a week's event is more than half of what a day says of it, a day of a year's next to nothing
WIDE_DAYS = ((2.0, 1.0), (10.0, 0.9), (45.0, 0.8), (130.0, 0.6), (400.0, 0.45))

NOT_ASKED = 0.45  # of all that, where the message tells and does not ask what was then
_ASKS = re.compile(
    r"\b(?:what|who|where|which|how|why|when|did|was|were|happened|remember|remind|recall|told|tell me|anything|mention(?:ed)?|find|show|look up|said|notes?)\b"
    r"|\b(?:plans?|planned|schedule[d]?|calendar|coming up|free|busy|agenda|on (?:for|in|at|this|next|tomorrow|today))\b"
    r"|安排|计划|日程|有空|有事|什么|啥|怎么|怎样|谁|哪|吗|呢|几|多少|记得|想起|回忆|提过|说过|聊过|发生|来着|干嘛|如何|找|查|看看|[?？]",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:told|tell you|said|say|mention(?:ed)?|talk(?:ed)? about|discuss(?:ed)?|noted?|wrote)\b|说过|提过|聊|告诉|讲过|记下",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATED = re.compile(
    r"(?:19|20)\d\d[-/年.]|\d月\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d", re.IGNORECASE
)


def decay(memory: Memory, now_s: float, used_s: float | None = None) -> float:
    """Return what age leaves of a memory: 1 when new or just used, or when its time is unknown, towards 0."""
    if memory.when_s is None:
        return 1.0
    since_s = memory.when_s if used_s is None else max(memory.when_s, used_s)
    return math.exp(-max(0.0, (now_s - since_s) / DAY_S) * memory.decay_per_day)


def asks_what_was(text: str) -> bool:
    """Tell whether a message that names a time asks about it, and does not only tell what is or will be."""
    return _ASKS.search(text) is not None


def asks_what_was_told(text: str) -> bool:
    """Tell whether a message asks what was told at a time, and not what happened then."""
    return _TOLD.search(text) is not None


def days_in(memory: Memory) -> tuple[tuple[float, float], ...]:
    """Return the times of a memory's event, of its beginning to hold, and of the dates that its own text names, as intervals."""
    event = memory.event.span() if memory.event else None
    begins_s = memory.held.start_s if memory.held else None
    own = (*((event,) if event else ()), *(((begins_s, begins_s + DAY_S),) if begins_s is not None else ()))
    return own + tuple(one for one in _dates_said(memory, known=bool(own)) if one not in own)


def _dates_said(memory: Memory, *, known: bool) -> tuple[tuple[float, float], ...]:
    """Return the dates that a text names; where its event is `known`, only those that name their year."""
    if not (_DIGIT.search(memory.said) and _DATED.search(memory.said)):
        return ()
    from memd.text.times import read_times  # noqa: PLC0415  the rules of two languages

    try:
        written = datetime.fromtimestamp(memory.when_s if memory.when_s is not None else 0.0, UTC)
        return tuple(
            (one.interval.start.timestamp(), one.interval.end.timestamp())
            for one in read_times(memory.said, written)
            if one.interval.end - one.interval.start <= LONGEST
            and not (known and (one.interval.turns or not _YEAR.search(memory.said[one.begin : one.stop])))
        )
    except (OverflowError, ValueError, OSError):
        return ()


def meant(
    memories: Mapping[str, Memory],
    dates: Mapping[str, tuple[tuple[float, float], ...]],
    times: Iterable[TimeSpan],
    now_s: float,
    *,
    told: bool = False,
) -> dict[str, tuple[float, TimeSpan]]:
    """Return the memories of the times that a message names: how much that says (0 to 1), and the words.

    What has an event is of its event's time; else an episode is of its own. `told`: it is asked what was told then.
    """
    found: dict[str, tuple[float, TimeSpan]] = {}
    for span in dict.fromkeys(map(_by_days, list(times)[:SPANS])):
        inside = [
            one for one in memories.values() if one.when_s is not None and span.start_s <= one.when_s < span.end_s
        ]
        named = {key: share for key, days in dates.items() if (share := max(_share(one, span) for one in days))}
        events = sum(one.kind is Kind.EPISODIC for one in inside) + len(named)
        score = NAMED * _width(span) * min(1.0, (MANY / events) ** 0.5 if events else 1.0)
        if span.end_s > now_s:
            score *= OF_NOW
        for one in inside:
            said = score * (1.0 if one.kind is Kind.EPISODIC else FACT)
            if one.event is not None and one.id not in named and not told:
                said *= ELSEWHERE
            found[one.id] = max(found.get(one.id, (0.0, span)), (said, span), key=lambda pair: pair[0])
        whole = score / OF_NOW if span.end_s > now_s else score
        for key, share in named.items():
            found[key] = max(found.get(key, (0.0, span)), (whole * share, span), key=lambda pair: pair[0])
    return found


def _share(days: tuple[float, float], span: TimeSpan) -> float:
    """Return how much a time that is named says of an event: all, but where the event took far longer than that."""
    shared_s = min(days[1], span.end_s) - max(days[0], span.start_s)
    return min(1.0, WHOLLY * (shared_s / (days[1] - days[0])) ** 0.5) if shared_s > 0 else 0.0


def _by_days(span: TimeSpan) -> TimeSpan:
    """Return a part of a day as its day, with the morning after for a night: what happened is often noted later."""
    if not 3 * 3600 <= span.end_s - span.start_s < DAY_S:
        return span
    return span._replace(start_s=span.end_s - DAY_S, end_s=span.end_s + DAY_S / 4)


def _width(span: TimeSpan) -> float:
    days = (span.end_s - span.start_s) / DAY_S
    return next((share for wide, share in WIDE_DAYS if days <= wide), 0.3)
