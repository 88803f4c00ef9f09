"""Statements that a person told in one breath, as one: what ends and what takes its place, an answer and what it goes on with.

Cut apart, the first half would take the place of a memory and the second, which says what holds now, stand beside it: also where
they are two short sentences, "no, left in May. I'm at Bosch now".

Units
    Characters; together they are at most MOST_CHARS. Of a sentence that stands behind an end at most SHORT_WORDS, or SHORT_HAN of Han.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memd.engine.keep.cues import find_cues
from memd.engine.keep.talk.changes import bare, says_end
from memd.text import expressions as re
from memd.text.characters import fold, is_cjk

if TYPE_CHECKING:
    from memd.model.sessions import Told

MOST_CHARS = 240
SHORT_WORDS, SHORT_HAN = 12, 20
APART = ("a guess", "a hypothesis", "a joke")  # is not asserted, so it leaves what was told before it alone
# How a sentence begins that says what is so instead, and how one that tells something else.
_SO_NOW = re.compile(
    r"(?:so |but |and )?(?:i|we|it|he|she|they|now|instead|these days)\b|[^.!?]{1,60}\b(?:now|instead|these days|took over|takes over|does (?:it|that))\b"
    r"|(?:我们?|咱们?|他|她|它)?(?:现在|如今|目前|改|换|由|让|叫|搬|去|在|到|找|用|归|轮到|新)|[^，。]{1,8}(?:接|负责|来[带做管弄])",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"(?:and |but |oh |so )*(?:also|btw|by the way|plus|another|anyway|besides|if|maybe|i (?:guess|hope|think|wish|miss|love|hate))\b|(?:还有|另外|对了|顺便|也|又|不过|如果|要是|希望)",
    re.IGNORECASE,
)
_GONE = re.compile(r"\b(?:left|died|closed|resigned|split up|broke up|is off|is over)\b|走了|没了|倒闭|分了|挖走|退了")
_NOT = re.compile(r"\b(?:not|no longer|never|gone)\b|n['’]t\b|[不没]")


def together(told: Iterable[Told]) -> list[Told]:
    """Return statements with those of one sentence as one, in their order; what was asked for stays as it was asked for."""
    found: list[Told] = []
    for one in told:
        last = found[-1] if found else None
        one_breath = last is not None and last.turn == one.turn and (one.follows or _is_instead(last, one))
        if last is not None and one_breath and _may_be_one(last, one):
            found[-1] = _joined(last, one)
        else:
            found.append(one)
    return found


def _may_be_one(last: Told, one: Told) -> bool:
    if last.asked or one.asked or last.source != one.source or len(last.text) + len(one.text) >= MOST_CHARS:
        return False
    return not any(cue.name in APART for cue in find_cues(fold(one.text))[1])


def _is_instead(last: Told, one: Told) -> bool:
    """Tell whether a short sentence says what is so instead of what the one before it says has ended, or is not so as it was asked."""
    ended, said = bare(last.text), bare(one.text)
    answers = len(last.proof) > 1 and _NOT.search(last.text) is not None
    brief = len(said.split()) <= SHORT_WORDS and sum(map(is_cjk, said)) <= SHORT_HAN
    if not brief or says_end(said) or not (answers or says_end(ended) or _GONE.search(ended)):
        return False
    return _SO_NOW.match(said) is not None and _ELSE.match(said) is None


def _joined(last: Told, one: Told) -> Told:
    comma = "，" if is_cjk(last.text[-1]) or is_cjk(one.text[0]) else ", "
    text = f"{last.text.rstrip(' ,，;；.。!！')}{comma}{one.text}"
    proof = (*sorted({*last.proof, *one.proof} - {one.turn}), one.turn)
    return last._replace(text=text, proof=proof, delicate=last.delicate or one.delicate)
