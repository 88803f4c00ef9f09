"""What turns of a conversation prove: the statements that stand in them as their speaker's own, each with the turns it is made of.

A user's turn proves what it states itself: no question or request, nothing quoted, handed over, played or off the record. What talk/told.py
joins of several turns (an answer with its question, a name for a pronoun) is proved by those. An agent's turn proves what it found out.
Each statement stands here whole and, where nothing in it is put under a condition or in doubt, also clause by clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.proof.agreement import doubts_in
from memd.engine.keep.talk import own
from memd.engine.keep.talk.amendments import amended, correction_of
from memd.engine.keep.talk.dates import with_dates
from memd.engine.keep.talk.own import findings
from memd.engine.keep.talk.told import AGENT, USER, told_in, unheard_in
from memd.formats.times import zone_of
from memd.text import expressions as re
from memd.text.borders import asks
from memd.text.statements import READ_CHARS, statements

if TYPE_CHECKING:
    from memd.model.sessions import Told, Turn

SPEAKERS = {"user": USER, "human": USER, "assistant": AGENT, "agent": AGENT}
LEAST_CLAUSE = 4  # characters
_CLAUSES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|[;；，、。！？\n]\s*|,\s+|\s+(?:and|but|while|so)\s+|(?<=[\u4e00-\u9fff])(?:而且|并且|但是|不过|但)(?=[\u4e00-\u9fff])", re.IGNORECASE)  # fmt: skip
_OPINION = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bnobody)\b[^.!?]{0,20}\b(?:think|say|said|true|believe|mean|claim|sure|case)\b|\b(?:deny|denied|false|untrue|lie|lied|would)\b"
    r"|[不没](?:是说|觉得|认为|相信|真|承认|等于)|并非|假的|否认",
    re.IGNORECASE,
)
_STARTS = re.compile(r"\W*(?:(?:and|but|so)\s+)?(?:(?:I|we|you|he|she|they|it|this|that|there|my|our|your|his|her|their|the|a|an)\b|[A-Z])")  # fmt: skip
_BY_SELF = re.compile(r"\W*(?:(?:and|but|so)\s+)?(?:I|we|We)\b")
SELF_HAN = r"(?:我|咱)们?(?!的|家|姐|妹|哥|弟|爸|妈|父|母|爷|奶|外|老[公婆板师家]|妻|丈|女|男|朋|同|儿|孩|公司|邻|室)"
_BY_SELF_HAN, _OF_HAN = re.compile(rf"\W*{SELF_HAN}"), re.compile(r"\W*[我咱]")
_DENIES = re.compile(r"\b(?:not|never|no|nor|neither)\b|n['’]t\b", re.IGNORECASE)
QUOTED = re.compile(r"“([^”]{1,200})”|「([^」]{1,200})」|\"([^\"]{1,200})\"|‘([^’]{4,200})’(?!\w)")


class Evidence(NamedTuple):
    """A statement that stands in turns. `turns`: all that it is made of; `whole`: it is a statement and no clause of one."""

    text: str
    source: str
    turns: tuple[int, ...]
    whole: bool = True


class Proofs:
    """What a conversation proves, turn by turn; `turns` in their order, those after the ones that are named among them."""

    def __init__(self, turns: Sequence[Turn], zone: str) -> None:
        self.turns = {one.number: one for one in turns}
        self.unheard = unheard_in(turns)
        self._zone = zone_of(zone)
        self.told: list[Told] = told_in(turns, zone)
        self._own: dict[int, list[Evidence]] = {}

    def of(self, numbers: Iterable[int]) -> list[Evidence]:
        """Return what the turns of these numbers prove together."""
        named = [one for one in sorted(set(numbers)) if one in self.turns and one not in self.unheard]
        found = [one for number in named for one in self._of_turn(number)]
        found += [
            part
            for one in self.told
            if one.turn in named
            for part in _parted(Evidence(one.text, one.source, one.proof))
        ]
        return found

    def corrected_by(self, text: str, numbers: Iterable[int]) -> int:
        """Return the number of a later turn that corrects what a text says, 0 where there is none."""
        named = set(numbers)
        last = max(named)
        later = (one for number, one in sorted(self.turns.items()) if number > last and number not in self.unheard)
        for turn in (one for one in later if SPEAKERS.get(one.speaker.casefold()) == USER):
            for one in statements(own.own_text(turn.text[:READ_CHARS])):
                correction = correction_of(one.text) if one.text else None
                if correction is not None and not correction.weak and amended(correction, [text]) is not None:
                    return turn.number
        return 0

    def _of_turn(self, number: int) -> list[Evidence]:
        known = self._own.get(number)
        if known is None:
            turn = self.turns[number]
            source = SPEAKERS.get(turn.speaker.casefold(), "")
            said = own.own_text(turn.text[:READ_CHARS])
            texts = list(findings(said)) if source == AGENT else _stated(said) if source == USER else []
            dated = (Evidence(_dated(one, turn.at_s, self._zone), source, (number,)) for one in texts)
            known = self._own[number] = [part for one in dated for part in _parted(one)]
        return known


def _stated(said: str) -> list[str]:
    found = []
    for one in statements(said):
        raw = said[one.begin : one.end].strip()
        if one.tells and not (one.request or asks(one.text) or own.is_others(one.text) or own.hands_over(one.text)):
            found.append(raw)
    return found


def _parted(one: Evidence) -> list[Evidence]:
    """Return a statement and its clauses; of one that is put in doubt as a whole only itself, as a clause may be what is doubted.

    A clause without a subject of its own has that of the clause before it where it is the speaker; of another it is left out.
    """
    if doubts_in(one.text) or _OPINION.search(one.text):
        return [one]
    pieces = [piece.strip() for piece in _CLAUSES.split(QUOTED.sub(" ", one.text))]
    if len(pieces) < 2:
        return [one]
    found, head, denied = [one], "", False
    for number, piece in enumerate(pieces):
        if _STARTS.match(piece):
            head = "I " if _BY_SELF.match(piece) else ""
        elif _BY_SELF_HAN.match(piece):
            head = "我"
        elif _OF_HAN.match(piece) or not number:
            head = ""
        elif head and not (denied and head == "I "):
            piece = f"{head}{piece}"  # noqa: PLW2901  it is read with who it is about
        else:
            continue
        denied = _DENIES.search(piece) is not None
        if len(piece) >= LEAST_CLAUSE:
            found.append(one._replace(text=piece, whole=False))
    return found


def _dated(text: str, at_s: float, zone: tzinfo | None) -> str:
    try:
        return with_dates(text, datetime.fromtimestamp(at_s, zone or UTC).astimezone(zone))
    except (OverflowError, ValueError, OSError):
        return text  # beyond the calendar
