"""The feelings memd knows, and the words that show them.

Source
    Plutchik's eight primary emotions, and neutral.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


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
