"""What the speaker of a text feels, by the words of a lexicon, and how near a memory's feelings are to it.

Cues are weighed, the longest wins where they overlap; a negation silences what follows it in its clause, a degree word
makes it louder or softer; words in quotation marks, in names of files and in talk about programs are no feelings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memd.engine.recall.keywords import Keys, unicode_whole
from memd.model.scene import CALM, Emotion, EmotionWords, Mood
from memd.text.characters import is_cjk
from memd.text.simplified import simplified

NEGATED_WORDS = 4  # how far behind a negation a feeling is still denied
READ_CHARS = 4000  # from the end
HEARD = 0.9  # what the cues of a feeling must weigh together
SINGLE_CHAR = 0.7
MORE, LESS = 1.25, 0.92
AFTER_BUT = 1.3
TECHNICAL, TECHNICAL_SPOKEN = 0.35, 0.9
EXCLAIMED, SPOKEN = 1.1, 1.1

# Where two feelings weigh the same, the more telling one stands.
_ORDER = tuple(
    Emotion(one) for one in ("disgust", "anger", "fear", "sadness", "anticipation", "trust", "surprise", "joy")
)
_NEAR: dict[frozenset[Emotion], float] = {
    frozenset({Emotion.FEAR, Emotion.SADNESS}): 0.5, frozenset({Emotion.ANGER, Emotion.DISGUST}): 0.5,
    frozenset({Emotion.JOY, Emotion.ANTICIPATION}): 0.4, frozenset({Emotion.JOY, Emotion.TRUST}): 0.3,
    frozenset({Emotion.ANGER, Emotion.SADNESS}): 0.3, frozenset({Emotion.FEAR, Emotion.ANGER}): 0.2,
}  # fmt: skip

_CLAUSE = re.compile(r"[,.;:!?，。；：！？、\n]|\bbut\b|但是?|可是|不过")
_BUT = re.compile(r"\b(?:but|however)\b|但是|可是|不过|(?<!不)但")
_WORD = re.compile(r"[\w']+")
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our|us|mine)\b|[我咱俺]")
_QUOTED = re.compile(
    r"\"[^\"]{1,30}\"|“[^”]{1,30}”|「[^」]{1,30}」|《[^》]{1,30}》|`[^`]{1,60}`|'(?=\w)[^']{1,20}(?<=\w)'(?!\w)"
)
_BETWEEN_ZH = r"(?:[很太是会再用必要想能敢有多去在感到觉得]|什么|那么|怎么|特别|任何|一点|半点|丝毫|应该|因此|因为这个|让[我你他她]){0,3}\Z"


_WHOSE_MOTHER = frozenset("我你您他她俺咱爸老干奶姑姨舅婶后妈朋友孩子们的")


class _Cue(NamedTuple):
    word: str
    begin: int
    stop: int


class Feelings:
    """A lexicon made ready to read texts with."""

    def __init__(self, words: EmotionWords) -> None:
        self._words = words
        self._prefixes = {one[:-1] for one in words.cues if one.endswith("*")}
        self._keys = Keys(str.lower)
        plain = [one.removesuffix("*") for one in words.cues]
        self._keys.put("cues", [*plain, *words.silent, *words.more, *words.less, *words.technical])
        self._keys.settle()
        negations = "|".join(map(re.escape, words.negation_zh))
        self._negation_zh = re.compile(f"(?:{negations}){_BETWEEN_ZH}") if negations else None

    def read(self, text: str) -> Mood:
        """Return what the speaker of a text feels most, as the words say it."""
        written = simplified(text[-READ_CHARS:].replace("’", "'"))
        text = written.lower() if len(written.lower()) == len(written) else written
        found = list(self._found(text))
        cues = [one for one in _longest(found, text) if self._speaks(one, text) and not _is_title(one, written)]
        if not cues:
            return CALM
        loud = self._loudness(text, found)
        but = [one.end() for one in _BUT.finditer(text)]
        scores: dict[Emotion, float] = {}
        said: dict[Emotion, list[str]] = {}
        for cue in cues:
            degree = self._degree(cue, text) * loud * (AFTER_BUT if but and cue.begin >= but[-1] else 1.0)
            for emotion, weight in self._meaning(cue.word):
                scores[emotion] = scores.get(emotion, 0.0) + weight * degree
                said.setdefault(emotion, []).append(cue.word)
        best = max(scores, key=lambda one: (round(scores[one], 3), -_ORDER.index(one)))
        if scores[best] < HEARD:
            return CALM
        return Mood(best, min(1.0, scores[best] / 2.5), tuple(said[best]))

    def _meaning(self, word: str) -> Iterator[tuple[Emotion, float]]:
        small = SINGLE_CHAR if len(word) == 1 and is_cjk(word) else 1.0
        for emotion, weight in (*self._words.cues.get(word, ()), *self._words.cues.get(f"{word}*", ())):
            yield emotion, weight * small

    def _found(self, text: str) -> Iterator[_Cue]:
        for word, begin, end in self._keys.places(text):
            stop = end
            while word in self._prefixes and stop < len(text) and text[stop].isalpha() and not is_cjk(text[stop]):
                stop += 1
            if unicode_whole(text, begin, stop):
                yield _Cue(word, begin, stop)

    def _speaks(self, cue: _Cue, text: str) -> bool:
        if cue.word not in self._words.cues and f"{cue.word}*" not in self._words.cues:
            return False
        return not (_is_name(cue, text) or self._is_negated(cue, text))

    def _is_negated(self, cue: _Cue, text: str) -> bool:
        before = text[max(0, cue.begin - 60) : cue.begin]
        if self._negation_zh and self._negation_zh.search(before[-8:].rstrip(" ")):
            return True
        if is_cjk(text[cue.begin]):
            return False
        clause = _CLAUSE.split(before)[-1]
        return any(word in self._words.negation_en for word in _WORD.findall(clause)[-NEGATED_WORDS:])

    def _degree(self, cue: _Cue, text: str) -> float:
        near = text[max(0, cue.begin - 12) : cue.begin] + " " + text[cue.stop : cue.stop + 3]
        words = set(_WORD.findall(near))
        if any(
            one in near if is_cjk(one[0]) else one in words or (" " in one and one in near) for one in self._words.less
        ):
            return LESS
        if any(one in near if is_cjk(one[0]) else one in words for one in self._words.more):
            return MORE
        return 1.0

    def _loudness(self, text: str, found: list[_Cue]) -> float:
        spoken = _SPEAKER.search(text) is not None
        exclaimed = "!" in text or "！" in text
        loud = (EXCLAIMED if exclaimed else 1.0) * (SPOKEN if spoken else 1.0)
        if any(one.word in self._words.technical for one in found):
            loud *= TECHNICAL_SPOKEN if spoken or exclaimed else TECHNICAL
        return loud


def likeness(mood: Mood, feelings: tuple[Emotion, ...]) -> float:
    """Return how near a memory's feelings are to a mood, 0 to 1."""
    if mood.emotion is Emotion.NEUTRAL:
        return 0.0
    return max(
        (1.0 if one is mood.emotion else _NEAR.get(frozenset({one, mood.emotion}), 0.0) for one in feelings),
        default=0.0,
    )


def _longest(cues: list[_Cue], text: str) -> list[_Cue]:
    """Return the cues without those inside longer ones."""
    kept: list[_Cue] = []
    taken = bytearray(len(text))
    for cue in sorted(cues, key=lambda one: (one.begin - one.stop, one.begin)):
        if not any(taken[cue.begin : cue.stop]):
            taken[cue.begin : cue.stop] = b"\x01" * (cue.stop - cue.begin)
            kept.append(cue)
    return sorted(kept, key=lambda one: one.begin)


def _is_title(cue: _Cue, written: str) -> bool:
    """Tell whether a cue is written with a capital inside a sentence, as names and titles are."""
    if not written[cue.begin].isupper() or written[cue.begin : cue.stop].isupper() or cue.word.startswith("i "):
        return False
    before = written[: cue.begin].rstrip(" \"'(“")
    return bool(before) and before[-1] not in ".!?。！？…:;\n-—," and not is_cjk(before[-1])


def _is_name(cue: _Cue, text: str) -> bool:
    """Tell whether a cue stands in quotation marks, or is a piece of a file's or program's name, or of 我妈的."""
    if cue.word == "妈的" and text[max(0, cue.begin - 1) : cue.begin] in _WHOSE_MOTHER:
        return True
    before, behind = text[max(0, cue.begin - 2) : cue.begin], text[cue.stop : cue.stop + 2]
    if len(behind) == 2 and behind[0] in "-_./" and behind[1].isalnum():
        return True
    if len(before) == 2 and before[1] in "-_./" and before[0].isalnum():
        return True
    return any(one.start() < cue.begin and cue.stop < one.end() for one in _QUOTED.finditer(text))
