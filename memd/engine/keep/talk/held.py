"""What is on its way from the turns of a conversation to the statements that are told, and why some goes no further.

A statement of the user's is told nobody where it asks or orders, says what others say, or holds only for the moment. Courtesies and
what has no verb are nothing that anybody misses: for these there is no reason to give.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.talk import own
from memd.engine.keep.talk.dates import with_dates
from memd.engine.keep.talk.passing import is_passing, settles
from memd.engine.keep.talk.persons import why_delicate
from memd.engine.keep.talk.supposed import is_supposed
from memd.model.sessions import Told
from memd.text.borders import asks, is_polite
from memd.text.statements import MOST_CHARS

if TYPE_CHECKING:
    from memd.engine.keep.talk.questions.question import Asked
    from memd.text.statements import Statement

QUESTION, REQUEST, OTHERS, HANDED, JOKE = "a question", "a request", "others say so", "handed over", "a joke"
MOMENT, SUPPOSED, SETTLED = "of the moment", "supposed, or not decided", "settles what was proposed"
NOTHING = "tells nothing"


class Held(NamedTuple):
    """A statement on its way. `text`: without dates; `follows`: it goes on in the sentence of the one before; `after`: what was said before it."""

    text: str
    source: str
    turn: int
    at_s: float
    proof: tuple[int, ...]
    asked: bool = False
    follows: bool = False
    after: str = ""


class Heard(NamedTuple):
    """What the agent asked in its last turn. `only`: the only question, in its words, where it is no offer."""

    questions: tuple[Asked, ...] = ()
    only: str = ""
    turn: int = 0


class Last(NamedTuple):
    """What was said right before what is read now; `proposed`: the agent's last turn offers or proposes something."""

    text: str = ""
    proposed: bool = False


@dataclass
class Quiet:
    """Why what is said gives nothing: a part is played, or it is off the record; `reply`: what the agent answers to that."""

    playing: bool = False
    off: bool = False
    reply: bool = False

    @property
    def now(self) -> bool:
        """Tell whether what is said now gives nothing."""
        return self.playing or self.off or self.reply


def as_told(one: Held, zone: tzinfo | None) -> Told:
    """Return what is held as it is told: with the dates behind its words of time."""
    now = time_of(one.at_s, zone)
    text = with_dates(one.text, now) if now else one.text
    delicate = why_delicate(one.text)
    return Told(text, one.source, one.turn, one.at_s, one.proof, one.asked, delicate, one.follows, one.after)


def time_of(at_s: float, zone: tzinfo | None) -> datetime | None:
    """Return a time in a zone, the system's own without one; None beyond the calendar."""
    try:
        return datetime.fromtimestamp(at_s, zone or UTC).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def before_rest(whole: str, rest: str) -> str:
    """Return what stands before the rest of a text."""
    return whole[: len(whole) - len(rest)] if whole.endswith(rest) else "."


def short(text: str) -> str:
    """Return a statement on one line, where it has no lines, and no longer than one may be."""
    text = " ".join(text.split()) if "\n" not in text else text.strip()
    return text if len(text) <= MOST_CHARS else text[:MOST_CHARS].rsplit(" ", 1)[0][:MOST_CHARS]


def why_not_told(one: Statement) -> str:
    """Return why a statement is none that tells something, "" where it may be one."""
    if is_polite(one.text.rstrip("啦哈了呀哦~～")):
        return NOTHING
    if asks(one.text):
        return QUESTION
    if one.request:
        return REQUEST
    if not one.tells:
        return NOTHING
    if own.is_others(one.text):
        return OTHERS
    if own.hands_over(one.text):
        return HANDED
    return JOKE if own.is_joked(one.text) else ""


def why_not_lasting(text: str, *, proposed: bool) -> str:
    """Return why a statement holds for nothing but the moment, "" where it may last; `proposed`: the agent's last turn proposes something."""
    if is_passing(text):
        return MOMENT
    if is_supposed(text):
        return SUPPOSED
    return SETTLED if proposed and settles(text) else ""
