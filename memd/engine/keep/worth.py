"""Is a statement worth keeping? What people keep, learned from labelled statements and turns of many writers.

A linear model over general signs (words that most writers use, forms of speech, cues.py, shape) and the statement's
vector; without a vector a second one over the signs alone. Both are read in the first person, so that "I'm", "I am" and
"User is" weigh the same, and figures are one word.

Source
    Weights: memd/lexicons/worth.txt, worth_meaning.txt and judging.bin, made by `python -m tools.training judging` from
    tools/training/sets/{statements,turns,gate}_*.jsonl. Figures: tests/conformance/test_gate.py, test_gate_everyday.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.cues import find_cues
from memd.engine.keep.relation.figures import plain_figures
from memd.engine.keep.relation.person import first_person
from memd.engine.linear import Linear, as_features, shown
from memd.formats.times import WRITTEN
from memd.model.memory import READ_CHARS, Source
from memd.text import expressions as re
from memd.text.acts import read_message
from memd.text.analysis import as_said, phrases
from memd.text.characters import fold

if TYPE_CHECKING:
    from array import array

    from memd.engine.keep.cues import Cue

FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万两]{1,8}[年月日号点个次岁天周米公里元块分钟小时]")
_BEGIN, _END = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"  # of a word, beside Han as well
NAME = re.compile(
    rf"(?<![.!?]\s)(?<!^){_BEGIN}[A-Z][a-zéèüöäñ]+|{_BEGIN}[A-Z]{{2,}}{_END}|`[^`]+`|[\"“「《].{{1,30}}?[\"”」》]"
)
DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}\s*月|\bjan|\bfeb|\bmar(?:ch)?\b|\bapr|\bjun|\bjul|\baug|\bsep|\boct|\bnov|\bdec"
)
OWN = re.compile(r"\b(?:i|i'm|my|me|we|our|us|user|user's)\b|我|咱|用户|本人")
SIGN, HALF = 1.5, 0.5
MIDDLE = 5.0  # of a statement of which nothing is known
TOLD = 3  # of what is named to a person
LEAST_TOLD = 0.15  # points that something says, to be named
SHOUTED = 12  # letters of a text in capitals, of which more are no abbreviation
# A statement of a few words: whole at the first length or below, nothing from the second on.
SHORT, SHORT_BYTES = "length short", (16, 32)
ACTS = ("asks", "orders", "own", "reader", "courtesy", "pastes")
AS_TOLD = {
    "[it orders]": "it is an order",
    "[it own]": "it is about the speaker",
    "[it reader]": "it is about the assistant",
    "[it courtesy]": "it is courtesy",
    "[it pastes]": "it hands over a text",
    "[dated]": "it has a date",
    "[of the user]": "it is about the user",
    "[ends asking]": "it ends with a question",
    "[exclaims]": "it exclaims",
    "[lines]": "it has several lines",
}  # what signs are called where they are named to a person


class Read(NamedTuple):
    """A statement as it is judged: its signs, and what of cues.py speaks for and against it, both without the date of today.
    `plain`: as it is embedded; `counted`: with numerals in digits, as its phrases are read."""

    plain: str
    counted: str
    folded: str
    speaking_for: list[Cue]
    against: list[Cue]
    features: dict[str, float]


@dataclass(frozen=True, slots=True)
class Worth:
    """What was learned. `plane`: weights of a vector by `key`'s model; `kinds`: how vectors of a kind of statement lie."""

    words: Linear = field(default_factory=Linear)
    meaning: Linear = field(default_factory=Linear)
    plane: Sequence[float] = ()
    kinds: Mapping[str, array[float]] = field(default_factory=dict)

    def value(self, features: Mapping[str, float], vector: Sequence[float] | None = None) -> float:
        """Return how many points a statement is above MIDDLE, or below; what is 0 to 10 is cut by who uses it."""
        return self._sum(features, self._meant(vector))

    def rated(self, read: Read, vector: Sequence[float] | None = None) -> tuple[float, str]:
        """Return these points, and what says most for the statement, or against it, as a person would name it."""
        meant = self._meant(vector)
        value = self._sum(read.features, meant)
        return value, self._basis(read, vector, meant, against=value < 0)

    def _meant(self, vector: Sequence[float] | None) -> float | None:
        """Return what a vector says, None where there is none or it is of another model."""
        if vector is None or len(vector) != len(self.plane):
            return None
        return fsum(map(mul, self.plane, vector))

    def _sum(self, features: Mapping[str, float], meant: float | None) -> float:
        return self.words.value(features) if meant is None else self.meaning.value(features) + meant

    def _basis(self, read: Read, vector: Sequence[float] | None, meant: float | None, *, against: bool) -> str:
        said = dict[str, float]()
        if meant is not None and vector and self.kinds and meant * (-1 if against else 1) > LEAST_TOLD:
            said[f"reads like {self._kind(vector, against=against)}"] = meant
        model = self.words if meant is None else self.meaning
        for name, amount in model.telling(read.features, TOLD * 2, against=against):
            told = AS_TOLD.get(name) or shown(as_said(name, read.counted))
            said[told] = said.get(told, 0.0) + amount
        most = sorted(said.items(), key=lambda one: -abs(one[1]))[:TOLD]
        named = ", ".join(f"{name} {amount:+.1f}" for name, amount in most if abs(amount) >= LEAST_TOLD)
        word = "against it" if against else "for it"
        return f"{word}: {named}" if named else "little tells whether it matters"

    def _kind(self, vector: Sequence[float], *, against: bool) -> str:
        """Return the kind that a vector is most like, of those that are mostly kept, or that are not."""
        likeness = {name: fsum(map(mul, row, vector)) for name, row in self.kinds.items()}
        nearest = sorted(likeness, key=lambda name: (-likeness[name], name))
        told = (name for name in nearest if (fsum(map(mul, self.plane, self.kinds[name])) < 0) == against)
        return next(told, nearest[0])


def names_in(text: str) -> int:
    """Return how many names and quotes there are in a text. One in capitals throughout has no names by them."""
    shouts = text.isupper() and sum(map(str.isupper, text)) > SHOUTED
    return len(NAME.findall(text.casefold() if shouts else text))


def undated(text: str) -> str:
    """Return a statement without the dates in brackets behind its words of time: they tell nothing that the words do not."""
    return WRITTEN.sub("", text)


def plain_of(text: str) -> str:
    """Return a statement as it is judged: a date in digits makes it like whatever has one."""
    return first_person(undated(text).strip())


def read_worth(text: str, source: Source | None, *, overheard: bool = False) -> Read:
    """Return what the judgement looks at: phrases as they are, signs and shape in brackets.

    `overheard`: nobody offered it. Of what is offered a few words are seldom chaff. Where nobody says who says it, it is the user.
    """
    plain = plain_of(text[:READ_CHARS])
    folded = fold(plain)
    speaking_for, against = find_cues(folded)
    named: dict[str, float] = {cue.name: SIGN for cue in (*speaking_for, *against)}
    if speaking_for:
        named["a sign for it"] = 1.0
    if against:
        named["a sign against it"] = 1.0
    named[f"source {source or Source.USER}"] = 1.0
    named["figures"] = min(3, len(FIGURE.findall(plain))) * HALF
    named["names"] = min(3, names_in(plain)) * HALF
    size = len(plain.encode("utf-8", "surrogatepass"))
    named[f"length {min(9, size.bit_length())}"] = 1.0
    if size < SHORT_BYTES[1] and not overheard:
        named[SHORT] = min(1.0, (SHORT_BYTES[1] - size) / (SHORT_BYTES[1] - SHORT_BYTES[0]))
    said = read_message(plain)
    named.update((f"it {act}", 1.0) for act in ACTS if getattr(said, act))
    shape = (
        ("dated", DATE.search(folded)),
        ("of the user", OWN.search(folded)),
        ("ends asking", re.search(r"[?？][\"”’)）]?\s*$", plain)),
        ("exclaims", re.search(r"[!！]", plain)),
        ("lines", "\n" in plain),
    )
    named.update((name, 1.0) for name, found in shape if found)
    counted = plain_figures(plain)
    return Read(plain, counted, folded, speaking_for, against, as_features(phrases(counted), named))
