"""What the caller sees now, and the feelings memd knows with the words that show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memd.model.lore import Activation, Entry
    from memd.model.memory import Memory


# The feelings memd knows, and the words that show them.
#
# Source
#     Plutchik's eight primary emotions, and neutral.


class Emotion(StrEnum):
    """One feeling."""

    JOY = "joy"
    SADNESS = "sadness"
    ANGER = "anger"
    FEAR = "fear"
    SURPRISE = "surprise"
    DISGUST = "disgust"
    TRUST = "trust"
    ANTICIPATION = "anticipation"
    NEUTRAL = "neutral"


# Other words that callers and memory files use for them.
SYNONYMS: dict[str, Emotion] = {
    "happy": Emotion.JOY, "happiness": Emotion.JOY, "joyful": Emotion.JOY, "excited": Emotion.ANTICIPATION,
    "positive": Emotion.JOY, "sad": Emotion.SADNESS, "angry": Emotion.ANGER, "mad": Emotion.ANGER,
    "afraid": Emotion.FEAR, "scared": Emotion.FEAR, "anxious": Emotion.FEAR, "anxiety": Emotion.FEAR, "worried": Emotion.FEAR,
    "surprised": Emotion.SURPRISE, "disgusted": Emotion.DISGUST, "trusting": Emotion.TRUST, "hope": Emotion.ANTICIPATION,
    "hopeful": Emotion.ANTICIPATION, "grief": Emotion.SADNESS, "lonely": Emotion.SADNESS, "rage": Emotion.ANGER,
    "love": Emotion.JOY, "proud": Emotion.JOY, "pride": Emotion.JOY, "none": Emotion.NEUTRAL, "calm": Emotion.NEUTRAL,
    "喜悦": Emotion.JOY, "开心": Emotion.JOY, "高兴": Emotion.JOY, "快乐": Emotion.JOY, "幸福": Emotion.JOY, "喜": Emotion.JOY,
    "悲伤": Emotion.SADNESS, "难过": Emotion.SADNESS, "伤心": Emotion.SADNESS, "失落": Emotion.SADNESS, "哀": Emotion.SADNESS,
    "孤独": Emotion.SADNESS, "愤怒": Emotion.ANGER, "生气": Emotion.ANGER, "怒": Emotion.ANGER, "恐惧": Emotion.FEAR,
    "害怕": Emotion.FEAR, "担心": Emotion.FEAR, "焦虑": Emotion.FEAR, "惊讶": Emotion.SURPRISE, "惊喜": Emotion.SURPRISE,
    "厌恶": Emotion.DISGUST, "恶心": Emotion.DISGUST, "信任": Emotion.TRUST, "期待": Emotion.ANTICIPATION,
    "期望": Emotion.ANTICIPATION, "怀念": Emotion.SADNESS, "思念": Emotion.SADNESS, "中性": Emotion.NEUTRAL, "平静": Emotion.NEUTRAL,
}  # fmt: skip


def emotion_of(word: str) -> Emotion | None:
    """Return the emotion that a word stands for, None where it stands for none."""
    word = word.strip().lower()
    return Emotion(word) if word in set(Emotion) else SYNONYMS.get(word)


@dataclass(frozen=True, slots=True)
class EmotionWords:
    """A lexicon: cues with what they speak for and how loud, and the words around them that count."""

    cues: Mapping[str, tuple[tuple[Emotion, float], ...]]
    silent: frozenset[str]
    negation_en: frozenset[str]
    negation_zh: tuple[str, ...]
    more: frozenset[str]
    less: frozenset[str]
    technical: frozenset[str]


@dataclass(frozen=True, slots=True)
class Mood:
    """What a text shows: the feeling, how strong (0 to 1), and the words that say so."""

    emotion: Emotion
    intensity: float = 0.0
    words: tuple[str, ...] = ()


CALM = Mood(Emotion.NEUTRAL)


def _never() -> float:
    """A roll that every probability above 0 passes: for scenes without chance."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    """What the caller sees. Messages oldest first; times in seconds since the epoch.

    `as_of_s`: what was known and held then is asked, and `now_s` is that time too; None: what is known now.
    `times` are the intervals that the newest message speaks of, `mood` what its speaker feels, `length` how many
    messages the chat has so far, `roll` where chance comes from, `speakers` who has a name in it.
    """

    messages: tuple[str, ...]
    now_s: float
    topic: str = ""
    times: tuple[TimeSpan, ...] = ()
    mood: Mood = CALM
    length: int = 0
    roll: Callable[[], float] = _never
    role: str = ""
    occasion: str = "normal"
    clock: Callable[[], float] = _never
    as_of_s: float | None = None


class TimeSpan(NamedTuple):
    """An interval that a text speaks of, and the words that say it."""

    start_s: float
    end_s: float
    words: str
    loose: bool = False


class Strategy(StrEnum):
    """The ways a memory can speak for itself."""

    CONSTANT = "constant"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    TEMPORAL = "temporal"
    EMOTIONAL = "emotional"
    CONFLICT = "conflict"  # it comes along: what came says otherwise, or it does


class Near(NamedTuple):
    """How near a stored text is in meaning to what was asked, -1 to 1, by the best of its windows.

    `asked_z`: how far that is above what unrelated texts of its language have with what was asked, and `text_z` above
    what it has with unrelated questions of that language; both in standard deviations.
    """

    cosine: float
    asked_z: float
    text_z: float
    same_language: bool


class Evidence(NamedTuple):
    """One strategy's word for one memory: a score of 0 to 1, and a sentence made when somebody asks for it."""

    strategy: Strategy
    score: float
    say: Callable[[], str]

    @property
    def reason(self) -> str:
        """The sentence."""
        return self.say()


@dataclass(slots=True)
class Candidate:
    """A memory that may come to mind, with all that speaks for it. Score is relevance times `priority` and `age`, both of 0.6 to 1."""

    role: str
    memory: Memory
    weight: float = 1.0
    own: bool = True
    evidence: list[Evidence] = field(default_factory=list)
    relevance: float = 0.0
    score: float = 0.0
    priority: float = 1.0
    age: float = 1.0

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it among the candidates of several roles."""
        return self.role, self.memory.id

    @property
    def reasons(self) -> list[str]:
        """Why it came to mind, strongest evidence first."""
        return [one.reason for one in sorted(self.evidence, key=lambda one: -one.score)]


class Measured(NamedTuple):
    """What a rule measured: relevance, likelihood, characters, tokens, memories or turns; what it would have had to be at least or at most, and of how much in all."""

    what: str
    value: float
    bound: float
    of: float = 0.0


class Refused(NamedTuple):
    """A candidate that was not injected: the rule's word, a sentence with the figures, and what was measured, if anything was."""

    candidate: Candidate
    why: str
    detail: str
    measured: Measured | None = None


@dataclass(slots=True)
class BookFound:
    """An entry of a book, or a page, that came; `score` below 1 of a page that came by what it says."""

    role: str
    activation: Activation
    text: str
    own: bool = True
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class BookRefused:
    """An entry of a book, or a page, that something spoke for and that did not come."""

    role: str
    entry: Entry
    why: str
    detail: str
    measured: Measured | None = None


class Quote(NamedTuple):
    """What somebody said in an earlier conversation of a role, which nobody kept. `asked`: the question that it answers, or "".

    `likely`: 0 to 1, how likely it is wanted, and `why`, as a sentence.
    """

    id: str
    role: str
    session: str
    speaker: str
    at_s: float
    words: str
    asked: str
    likely: float
    why: str


class QuoteRefused(NamedTuple):
    """A quote that fits and that did not come: the rule's word, and a sentence with the figures."""

    quote: Quote
    why: str
    detail: str
    measured: Measured | None = None


class Quotes(NamedTuple):
    """What was said that fits a scene, the best first, and what of it may not come. `looked`: anybody looked."""

    fitting: tuple[Quote, ...] = ()
    refused: tuple[QuoteRefused, ...] = ()
    looked: bool = False


@dataclass(frozen=True, slots=True)
class Injection:
    """The rendered block with what stands in it, how many characters of it each memory takes, and what found no room."""

    content: str
    activated: tuple[Candidate, ...]
    books: tuple[BookFound, ...]
    refused: tuple[Refused, ...]
    refused_books: tuple[BookRefused, ...]
    fence: str
    quotes: tuple[Quote, ...] = ()
    refused_quotes: tuple[QuoteRefused, ...] = ()
    chars: Mapping[tuple[str, str], int] = field(default_factory=dict)
