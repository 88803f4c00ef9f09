"""Which of what was said fits a question: weighed as memories are, by the same models of meaning and words.

A quote that is missed costs no more than one that comes for nothing, where a memory that is missed costs more: so a quote has
to be likelier, and the more so where it is the agent's word or in another language. Among those about as likely the newest
comes first.

Source
    LEAST and FARTHER were set on tests/flow/said/talk.py, and held against tests/flow/said/other_talk.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall.lexicon import Lexicon
from memd.engine.recall.wanted.weighing import Question, Scales, Weighing, reason
from memd.text.analysis import tokens
from memd.text.characters import is_chinese

if TYPE_CHECKING:
    from memd.engine.said.cutting import Piece
    from memd.model.scene import Near

LEAST, BY_WORDS = (
    0.6,
    0.3,
)  # how likely a quote has to be wanted: with a model's likeness, and without, where less is said
FARTHER = 0.15  # for each reason to doubt it, how much likelier
FAINT = 0.15  # from which one is told of, where somebody wants to know why it did not come
STEP = 0.1  # what differs by less is equal
LOOKED_AT = 8  # of the best
ALIKE = 0.7  # share of a forgotten memory's words that a turn has which says the same
LEANS = 0.3  # the same where the memory came of that very session


class Quoted(NamedTuple):
    """A piece that fits a question: how likely it is wanted, how likely it has to be, and why it fits, as a sentence."""

    piece: Piece
    likely: float
    least: float
    why: str


class Forgotten(NamedTuple):
    """What a person wanted forgotten: the words of it, and the session it came of."""

    terms: frozenset[str]
    session: str


@dataclass(slots=True)
class Spoken:
    """What was said to one role and by it: pieces by their ids, and their words."""

    memories: dict[str, Piece] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    changes: int = 0

    def put(self, piece: Piece) -> None:
        """Hold a piece."""
        self.memories[piece.id] = piece
        self.lexicon.put(piece.id, Counter(tokens(piece.text)))
        self.changes += 1

    def drop(self, piece_id: str) -> None:
        """Let go of a piece."""
        if self.memories.pop(piece_id, None) is not None:
            self.lexicon.drop(piece_id)
            self.changes += 1


def fitting(
    spoken: Spoken,
    question: Question,
    near: Mapping[str, Near],
    weighing: Weighing,
    may: Callable[[Piece], bool],
) -> list[Quoted]:
    """Return the pieces that fit best, the likeliest first, among equals the newest; at most LOOKED_AT. `may`: which may come."""
    scales = Scales(spoken, question, {one: found for one, found in near.items() if one in spoken.memories}, weighing)
    found: list[Quoted] = []
    for key, weighed in scales.all().items():
        piece = spoken.memories[key]
        if weighed.probability >= FAINT and may(piece):
            least = (BY_WORDS if weighed.level is None else LEAST) + FARTHER * (
                (piece.speaker == "assistant") + (is_chinese(piece.text) != question.said.chinese)
            )
            found.append(
                Quoted(
                    piece,
                    weighed.probability,
                    least,
                    reason(piece, spoken.lexicon, question, weighing, key, weighed.level),
                )
            )
    found.sort(key=lambda one: (-(one.likely // STEP), -one.piece.at_s, -one.likely, one.piece.id))
    return found[:LOOKED_AT]


def forgotten_of(text: str, session: str) -> Forgotten:
    """Return what a text that is forgotten forbids to quote. A turn may tell its dates otherwise, so digits are no words of it."""
    terms = frozenset(tokens(text, unigrams=False))
    return Forgotten(frozenset(one for one in terms if not any(map(str.isdigit, one))) or terms, session)


def says_forgotten(piece: Piece, forgotten: Collection[Forgotten]) -> bool:
    """Tell whether a turn says what a person wanted forgotten."""
    if not forgotten:
        return False
    terms = {*tokens(piece.turn, unigrams=False)}
    return any(
        one.terms and len(one.terms & terms) >= len(one.terms) * (LEANS if one.session == piece.session else ALIKE)
        for one in forgotten
    )


def says(messages: Sequence[str], piece: Piece) -> bool:
    """Tell whether a piece stands in messages of the running conversation: what is seen already is not quoted."""
    return any(piece.words in " ".join(one.split()) for one in messages)
