"""Statements that a person told in one breath, as one: what ends and what takes its place, an answer and what it goes on with.

Cut apart, the first half would take the place of a memory and the second, which says what holds now, stand beside it.

Units
    Characters; together they are at most MOST_CHARS.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memd.engine.keep.cues import find_cues
from memd.text.characters import fold, is_cjk

if TYPE_CHECKING:
    from memd.model.sessions import Told

MOST_CHARS = 240
APART = ("a guess", "a hypothesis", "a joke")  # is not asserted, so it leaves what was told before it alone


def together(told: Iterable[Told]) -> list[Told]:
    """Return statements with those of one sentence as one, in their order; what was asked for stays as it was asked for."""
    found: list[Told] = []
    for one in told:
        last = found[-1] if found else None
        if last is not None and one.follows and last.turn == one.turn and _may_be_one(last, one):
            found[-1] = _joined(last, one)
        else:
            found.append(one)
    return found


def _may_be_one(last: Told, one: Told) -> bool:
    if last.asked or one.asked or last.source != one.source or len(last.text) + len(one.text) >= MOST_CHARS:
        return False
    return not any(cue.name in APART for cue in find_cues(fold(one.text))[1])


def _joined(last: Told, one: Told) -> Told:
    comma = "，" if is_cjk(last.text[-1]) or is_cjk(one.text[0]) else ", "
    text = f"{last.text.rstrip(' ,，;；')}{comma}{one.text}"
    proof = (*sorted({*last.proof, *one.proof} - {one.turn}), one.turn)
    return last._replace(text=text, proof=proof, delicate=last.delicate or one.delicate)
