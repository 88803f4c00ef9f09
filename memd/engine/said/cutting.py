"""Turns of a conversation cut into what may be quoted: what somebody told, in their own words, on the record.

Left out are questions, requests and courtesies, what was handed over, quoted or played, and what is off the record: the rules
of consolidation. A short answer goes with the question it answers, and so does what an agent said to one.

Units
    Characters. A piece is whole statements, at most PIECE_CHARS of them, but for one that is longer itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.talk import own
from memd.engine.keep.talk.own import Record
from memd.text.acts import units_of
from memd.text.statements import statements

if TYPE_CHECKING:
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
