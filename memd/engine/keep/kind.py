"""Which kind of memory a text is when nobody said, whose it is, and whether it stands in every conversation.

An episode tells what happened at a time, all else is a fact. What stands in every conversation is a trait. In a role that
is a character or a story all that is said is its world's, but for remarks out of character; in any other role what is
played is. Only what is the user's can stand in every conversation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memd.model.memory import WORLD, Kind, Memory, Rating, Validity
from memd.text.characters import fold
from memd.text.standing import Standing, read_standing
from memd.text.story import has_remark, is_played, remark_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
