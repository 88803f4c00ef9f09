"""The gate: six dimensions to one total, and the total to a verdict.

Source
    docs/design/origins.md#what-memd-decides: the weights, 7, 5, explicit 8, one decimal, half up, and what a warning says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import BadScoreError
from memd.model.memory import WEIGHT_TENTHS, WORLD, Band, Dimension, Kind, Memory, Rating, Validity, Verdict
from memd.text.characters import fold
from memd.text.standing import Standing, read_standing
from memd.text.story import has_remark, is_played, remark_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memd.model.settings import GateSettings

CLAIM_MOST = 4.0  # how far a claimed total moves the assessed one
STEPS = 40  # halvings of the shift that is looked for
FAR_APART = 4.0  # a given value this far from the assessed one is reported


def check_name(name: str) -> Dimension:
    """Return the dimension of this name, or raise BadScoreError."""
    if name not in Dimension.__members__.values():
        raise BadScoreError(f"{name[:40]!r} is not a dimension")
    return Dimension(name)


def check_value(name: str, value: float) -> float:
    """Return the value of a dimension, or raise BadScoreError."""
    if not 0 <= value <= 10:
        raise BadScoreError(f"{name} is {value:g}, it must be from 0 to 10")
    return value


def weighed(values: Mapping[Dimension, float]) -> Decimal:
    """Return the weighted total on 0 to 10, exactly."""
    return sum((Decimal(str(values[one])) * WEIGHT_TENTHS[one] for one in Dimension), Decimal(0)) / 10


def total_of(values: Mapping[Dimension, float]) -> float:
    """Return the weighted total on 0 to 10, one decimal, rounded half up."""
    exact = weighed(values)
    return float(exact.quantize(Decimal("0.1"), ROUND_HALF_UP))


def judge(
    assessed: Mapping[Dimension, Rating],
    given: Mapping[Dimension, Rating],
    *,
    explicit: bool,
    settings: GateSettings,
    raised: str = "",
) -> Verdict:
    """Return the verdict over given dimensions, and assessed ones where none was given.

    `raised`: why the text is kept however it is judged, "" where nothing says so.
    """
    ratings = {one: given.get(one) or assessed[one] for one in Dimension}
    computed = total_of({one: rating.value for one, rating in ratings.items()})
    total = max(computed, settings.explicit_floor) if explicit else computed
    total = max(total, settings.keep_from) if raised else total
    band = _band(total, settings)
    remarks = tuple(
        f"{one.value} was given as {given[one].value:g} and assessed as {assessed[one].value:g} ({assessed[one].basis})"
        for one in given
        if abs(given[one].value - assessed[one].value) > FAR_APART
    )
    why = "by the explicit instruction" if explicit else f"as {raised}"
    reason, hint = _words(ratings, computed, total, band, why, settings)
    return Verdict(ratings, computed, total, band, band is Band.KEEP, reason, hint, remarks)


def claimed(
    assessed: Mapping[Dimension, Rating], given: Mapping[Dimension, Rating], total: float
) -> tuple[dict[Dimension, Rating], str]:
    """Return the assessment moved towards a claimed total, by CLAIM_MOST at most, and a remark where that is not all.

    A claim is evidence, and says nothing of any one dimension: all that were not given are moved alike, and stay assessed.
    """
    values = {one: rating.value for one, rating in ({**assessed, **given}).items()}
    now = total_of(values)
    wanted = min(now + CLAIM_MOST, max(now - CLAIM_MOST, total))
    low, high = -10.0, 10.0
    for _ in range(STEPS):
        shift = (low + high) / 2
        moved = {one: value if one in given else _within(value + shift) for one, value in values.items()}
        low, high = (shift, high) if weighed(moved) < wanted else (low, shift)
    words = f"moved by the claimed total {total:g}"
    ratings = {
        one: Rating(round(moved[one], 2), False, f"{rating.basis}; {words}") if moved[one] != rating.value else rating
        for one, rating in assessed.items()
    }
    far = abs(total - now) > CLAIM_MOST
    return (
        ratings,
        f"the claimed total {total:g} is far from the assessed {now:g}: it counts as {wanted:g}" if far else "",
    )


def _within(value: float) -> float:
    return min(10.0, max(0.0, value))


def _band(total: float, settings: GateSettings) -> Band:
    if total >= settings.keep_from:
        return Band.KEEP
    return Band.BORDERLINE if total >= settings.warn_from else Band.DISCARD


def _words(
    ratings: Mapping[Dimension, Rating],
    computed: float,
    total: float,
    band: Band,
    why: str,
    settings: GateSettings,
) -> tuple[str, str]:
    if band is Band.KEEP:
        floor = f", raised from {computed:g} {why}" if total > computed else ""
        return f"total {total:g} reaches {settings.keep_from:g}{floor}", ""
    weakest = sorted(Dimension, key=lambda one: (ratings[one].value - 10) * WEIGHT_TENTHS[one])[:2]
    named = "; ".join(f"{one.value} {ratings[one].value:g} ({ratings[one].basis})" for one in weakest)
    reason = f"total {total:g} is below {settings.keep_from:g}; weakest: {named}"
    return reason, _way_up(ratings, total, weakest[0], settings)


MOST_HOPED = 9.0  # of a dimension: that a text as it is would have more nobody can hope for


def _way_up(ratings: Mapping[Dimension, Rating], total: float, weakest: Dimension, settings: GateSettings) -> str:
    """Say what would change the verdict, in the terms of the weakest dimension."""
    missing = (settings.keep_from - total) * 10 / WEIGHT_TENTHS[weakest]
    value = ratings[weakest].value
    advice = ADVICE[weakest]
    if value + missing <= MOST_HOPED:
        return f"{advice} With {weakest.value} at {value + missing:.1f} it would be kept; `explicit` keeps it as it is."
    return f"{advice} {weakest.value.capitalize()} alone is not enough; `explicit` keeps it as it is."


ADVICE = {
    Dimension.IMPORTANCE: "Say why it matters: a decision, a rule, a preference, a date.",
    Dimension.NOVELTY: "Say what is new beside what is known already.",
    Dimension.RELEVANCE: "Say whom or what it concerns.",
    Dimension.CREDIBILITY: "Name who said it, or how it was verified.",
    Dimension.GRANULARITY: "State one definite thing: a name, a figure, a date.",
    Dimension.TIMELINESS: "Say how long it holds (validity), or give its date.",
}


# Which kind of memory a text is when nobody said, whose it is, and whether it stands in every conversation.
#
# An episode tells what happened at a time, all else is a fact. What stands in every conversation is a trait. In a role that
# is a character or a story all that is said is its world's, but for remarks out of character; in any other role what is
# played is. Only what is the user's can stand in every conversation.

_EPISODE = re.compile(
    r"\b(?:yesterday|today|tonight|this morning|last (?:night|week|month|year|\w+day)|ago|earlier|just (?:now|finished))\b"
    r"|\b(?:happened|met|visited|went|restored|fixed|shipped|finished|broke|argued|celebrated)\b.{0,60}\b(?:on|in|at|with|after)\b"
    r"|昨天|前天|今天|今早|今晚|上周|上个?月|去年|刚才|刚刚|那天|天前|周前"
)
READ_CHARS = 4000  # the beginning tells

MOST_STANDING = 20  # memories of a role that are constant because memd found it out
PLAYED = 2.0  # the most importance of what a character does or says in a role that is no story
STANDS = 8.0  # the least of what stands in every conversation
CONSTANT, FEELINGS = "isConstant", "emotionalContext"  # as a record's `inferred` names them


def infer_kind(text: str) -> Kind:
    """Return episodic for what happened, semantic for what holds."""
    return Kind.EPISODIC if _EPISODE.search(fold(text[:READ_CHARS])) else Kind.SEMANTIC


class Meant(NamedTuple):
    """How a text is meant. `played`: a character's, where no story is told; `mixed`: played, or told, with a remark in it."""

    world: bool
    played: bool
    mixed: bool
    standing: Standing | None


PLAIN = Meant(world=False, played=False, mixed=False, standing=None)


def meaning_of(text: str, source: str, validity: str, *, fiction: bool, own: bool = False) -> Meant:
    """Return how a text from a source is meant in a role; what holds for a while does not stand in every conversation.

    `own`: it is of a remark out of character, whose mark it may have lost.
    """
    own = own or bool(remark_of(text))
    played = not own and is_played(text)
    world = not own and (fiction or played)
    standing = None if world or validity in {Validity.SHORT, Validity.MEDIUM} else read_standing(text)
    if standing is not None and not standing.counts_from(source):
        standing = None
    return Meant(world, played and not fiction, world and has_remark(text), standing)


def as_meant_for(meant: Meant, importance: Rating) -> Rating:
    """Return the importance of a text as it is meant."""
    if meant.played and importance.value > PLAYED:
        return Rating(PLAYED, False, "a character's words or doings, and the role is no story")
    if meant.standing is not None and importance.value < STANDS:
        by_itself = f"by itself {importance.value:g} ({importance.basis})"
        return Rating(STANDS, False, f"{meant.standing.what.value}; {by_itself}")
    return importance


def kind_of(meant: Meant, text: str) -> Kind:
    """Return the kind of a text of which nobody said one: what stands is a trait, what is played happened."""
    if meant.standing is not None:
        return Kind.TRAIT
    return Kind.EPISODIC if meant.played else infer_kind(text)


def standing_among(memories: Iterable[Memory]) -> int:
    """Return how many memories are constant because memd found it out."""
    return sum(
        one.constant and CONSTANT in one.inferred and not (one.disabled or one.superseded_by) for one in memories
    )


def of_one_world(ids: Iterable[str], memories: Mapping[str, Memory], *, world: bool) -> tuple[str, ...]:
    """Return those memories that a text can concern: a story's for what is of it, all others for what is the user's."""
    return tuple(one for one in ids if one in memories and memories[one].is_of_world is world)


def with_world(tags: Iterable[str]) -> list[str]:
    """Return tags with that of a story's world."""
    return list(dict.fromkeys([*tags, WORLD]))
