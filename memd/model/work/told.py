"""What was said in a conversation, turn by turn, and the statements that consolidation takes from it."""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """One message of a session. `number`: its place there, from 1; `speaker`: user, assistant, tool or system; `at_s` in seconds since 1970."""

    number: int
    speaker: str
    text: str
    at_s: float


class Told(NamedTuple):
    """A statement of a turn, such that it can stand by itself.

    `source`: user or agent, who said it; `turn`: the number of the turn that settles it; `proof`: of all turns that it is
    made of; `asked`: somebody asked for it to be remembered; `delicate`: why it should wait for a person, "" where it need not;
    `follows`: it goes on in the sentence of the statement before it; `after`: what was said right before it, its end.
    """

    text: str
    source: str
    turn: int
    at_s: float
    proof: tuple[int, ...]
    asked: bool = False
    delicate: str = ""
    follows: bool = False
    after: str = ""
