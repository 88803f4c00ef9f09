"""Turns of a conversation cut into what may be quoted, in somebody's own words and on the record; and which of it fits a question.

Left out are questions, requests and courtesies, what was handed over, quoted or played, and what is off the record: the rules
of consolidation. A short answer goes with the question it answers, and so does what an agent said to one.

A quote is weighed as memories are, by the same models of meaning and words. One that is missed costs no more than one that
comes for nothing, where a memory that is missed costs more: so a quote has to be likelier, and the more so where it is the
agent's word or in another language. Among those about as likely the newest comes first.

Units
    Characters. A piece is whole statements, at most PIECE_CHARS of them, but for one that is longer itself.
Source
    LEAST and FARTHER were set on tests/flow/said/talk.py, and held against tests/flow/said/other_talk.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.talk import own
from memd.engine.keep.talk.own import Record
from memd.engine.recall.lexicon import Lexicon
from memd.engine.recall.wanted.weighing import Question, Scales, Weighing, reason
from memd.text.acts import units_of
from memd.text.analysis import tokens
from memd.text.characters import is_chinese
from memd.text.statements import statements

if TYPE_CHECKING:
    from memd.model.scene import Near
    from memd.model.sessions import Turn

PIECE_CHARS = 240
PIECES = {"user": 8, "assistant": 4}  # of a turn, the first
TURN_CHARS = 4000  # that are read of a turn
SHORT_UNITS = 12.0  # an answer that is no longer leans on its question
LEAST_UNITS = 4.0  # what is shorter and answers nothing says nothing
QUESTION_CHARS = 120


class Piece(NamedTuple):
    """Something that was said. `words` are quoted; `asked`: the question that they answer, "" where they stand alone.

    `id` is of the piece, `event` of the turn in its session; `turn`: all of that turn that was read.
    """

    id: str
    event: str
    session: str
    speaker: str
    at_s: float
    words: str
    asked: str
    turn: str

    @property
    def text(self) -> str:
        """What a question is held against."""
        return f"{self.asked} {self.words}" if self.asked else self.words


@dataclass(slots=True)
class Hearing:
    """What is known of a conversation between one turn and the next. `unheard`: the answer to what is off the record."""

    playing: bool = False
    off: bool = False
    unheard: bool = False
    asked_by: str = ""
    asked: str = ""
    last: str = ""  # the person's last turn, by its event

    def take(self, session: str, event: str, turn: Turn, *, cut: bool = True) -> tuple[list[Piece], str]:
        """Return the pieces of one more turn, and the event of an earlier one that is taken back, "" where none is.

        `cut`: whether its pieces are wanted; else it is only heard.
        """
        text = turn.text[:TURN_CHARS]
        asked, asked_by = self.asked, self.asked_by
        self.asked = self.asked_by = ""
        if turn.speaker == "user":
            before, self.last = self.last, event
            record = own.record_of(text)
            if self._is_unheard(text, record):
                back = record is Record.BEFORE or own.takes_back(text)
                return [], before if back else ""
        elif turn.speaker != "assistant" or self._is_deaf():
            return [], ""
        if not cut:
            return [], ""
        said = own.own_text(text)
        told = statements(said)
        questions = [one.text for one in told if one.question]
        self.asked, self.asked_by = (questions[-1] if questions else "")[-QUESTION_CHARS:], turn.speaker
        answers = asked if asked_by != turn.speaker else ""
        pieces = []
        advises = turn.speaker == "assistant"  # in the form of requests
        wanted = [
            said[one.begin : one.end]
            for one in told
            if one.tells and (advises or not one.request) and not own.is_others(one.text)
        ]
        for number, words in enumerate(_joined(wanted)):
            if number == PIECES[turn.speaker]:
                break
            leans = answers if not number and (advises or units_of(words) <= SHORT_UNITS) else ""
            if leans or units_of(words) >= LEAST_UNITS:
                pieces.append(Piece(f"{event}#{number}", event, session, turn.speaker, turn.at_s, words, leans, text))
        return pieces, ""

    def _is_deaf(self) -> bool:
        deaf = self.playing or self.off or self.unheard
        self.unheard = False
        return deaf

    def _is_unheard(self, text: str, record: Record) -> bool:
        """Tell whether a person's turn gives nothing: it is played, off the record, or takes back what was said."""
        self.unheard = False
        if self.playing or own.begins_playing(text):
            self.playing = not own.stops_playing(text)
            return True
        if self.off and record is not Record.AGAIN:
            return True
        self.off = record is Record.ONWARD
        self.unheard = record in (Record.BEFORE, Record.OFF, Record.ONWARD)
        return self.unheard or own.takes_back(text)


def _joined(texts: list[str]) -> Iterator[str]:
    """Yield statements in their order, as many together as a piece has room for."""
    held = ""
    for one in texts:
        text = " ".join(one.split())
        if held and len(held) + len(text) + 1 > PIECE_CHARS:
            yield held
            held = ""
        held = f"{held} {text}" if held else text
    if held:
        yield held


# How likely a quote has to be wanted: with a model's likeness, and without, where less is said.
LEAST, BY_WORDS = 0.6, 0.3
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
