"""The times that a message or a search asks about: what comes again is asked of the past, of the future, or of both."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from memd.engine.keep.event.resolve import sign_of
from memd.engine.recall.temporal import meant
from memd.model.scene import TimeSpan
from memd.text.times import Mention, read_times

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled

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
        signs = {(one.begin, one.stop): sign_of(text, one.begin, one.stop) for one in last if one.interval.turns}
        if not signs:
            return tuple(_span(text, one) for one in last)
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
