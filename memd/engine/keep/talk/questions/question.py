"""A question as its answer will complete it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What a question asks for. TOLD: it tells something and wants it confirmed."""

    YES_NO = "whether it is so"
    TOLD = "to be confirmed"
    WHEN = "a time"
    WHO = "somebody"
    WHERE = "a place"
    WHAT = "something"


class Asked(NamedTuple):
    """A question in the words of who answers it.

    `form`: the statement that an answer makes of it, `{}` where the answer stands, "" where no form proves it; `denied`:
    the statement of a no; `beside`: what stands before the answer where there is no form; `subject`: what it is about;
    `bare`: nothing but a word of asking.
    """

    kind: Kind
    form: str
    denied: str = ""
    beside: str = ""
    subject: str = ""
    bare: bool = False
