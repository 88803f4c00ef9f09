"""What is on its way from the turns of a conversation to the statements that are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memd.engine.keep.talk.questions.question import Asked


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
