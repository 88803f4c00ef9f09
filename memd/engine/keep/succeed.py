"""What a memory's `supersedes` and `covers` become when it takes a place, and when that is taken back.

Who takes the place of a memory also takes the place of those whose place that one had: so forgetting the middle of a
chain does not bring back its oldest. Without `covers` all that is named is meant whole; with it, only statements of
those digests, so one who is meant whole beside one who is not is named with all its statements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.text.clauses import Clause, clauses
from memd.text.scripts import is_cjk

if TYPE_CHECKING:
    from memd.model.memory import Memory

MOST = 16  # memories that one names; those further back are named by these


class Taken(NamedTuple):
    """The ids whose place is taken, and the digests of the statements; none: all of them."""

    supersedes: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()

    def put_into(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record that says so; what is empty is left out."""
        result = dict(record)
        for key, value in zip(("supersedes", "covers"), self, strict=True):
            if value:
                result[key] = list(value)
            else:
                result.pop(key, None)
        return result


def taken_by(memory: Memory) -> Taken:
    """Return what a memory has taken the place of."""
    return Taken(memory.supersedes, memory.covers)


def taking(older: Memory, covers: Collection[str], memories: Mapping[str, Memory]) -> Taken:
    """Return what taking the place of a memory, or of some of its statements, comes to."""
    if covers:
        return Taken((older.id,), tuple(covers))
    return _joined(Taken((older.id,)), taken_by(older), memories)


def also_taking(memory: Memory, older: Memory, memories: Mapping[str, Memory], covers: Collection[str] = ()) -> Taken:
    """Return what a memory has taken the place of when it takes another's place too, or that of some of its statements."""
    before = taken_by(memory)
    if not before.supersedes:
        return taking(older, covers, memories)
    if older.id in before.supersedes and not before.covers:
        return before
    return _joined(taking(older, covers, memories), before, memories)


def without(memory: Memory, given_back: Collection[str], memories: Mapping[str, Memory]) -> Taken:
    """Return what is left of what a memory has taken, when some get their place back."""
    left = tuple(one for one in memory.supersedes if one not in given_back)
    if not left or not memory.covers:
        return Taken(left)
    own = {one: digests_of(memories[one]) for one in memory.supersedes if one in memories}
    kept = {digest for one in left for digest in own.get(one, ())}
    freed = {digest for one in given_back for digest in own.get(one, ())} - kept
    covers = tuple(one for one in memory.covers if one not in freed)
    return Taken(left, covers) if covers else Taken()


def holding(memory: Memory) -> list[Clause]:
    """Return the statements of a memory of which nobody took the place."""
    return [one for one in clauses(memory.content) if one.digest not in memory.covered]


def ended(memory: Memory) -> str:
    """Return what a memory says, such that its last statement stays one when another follows."""
    said = memory.content.rstrip()
    if not memory.holds or said[-1:] in tuple(".!?。！？；;"):
        return said
    return said + ("。" if is_cjk(said[-1]) else ".")


def digests_of(memory: Memory) -> tuple[str, ...]:
    """Return the digests of all statements of a memory."""
    return tuple(dict.fromkeys(one.digest for one in clauses(memory.content)))


def _joined(first: Taken, second: Taken, memories: Mapping[str, Memory]) -> Taken:
    named = tuple(dict.fromkeys((*first.supersedes, *second.supersedes)))[:MOST]
    if not first.covers and not second.covers:
        return Taken(named)
    return Taken(named, tuple(dict.fromkeys((*_explicit(first, memories), *_explicit(second, memories)))))


def _explicit(taken: Taken, memories: Mapping[str, Memory]) -> Iterable[str]:
    if taken.covers:
        return taken.covers
    return (digest for one in taken.supersedes if one in memories for digest in digests_of(memories[one]))
