"""A feeling is the speaker's own and felt: not denied, not a title, not a piece of a name, and 我妈的 is no curse."""

from __future__ import annotations

import pytest

from memd.engine.recall.emotions import Feelings
from memd.formats.lexicons import load_emotions
from memd.store.keep.template import shipped_lexicon


@pytest.fixture(scope="module")
def feelings() -> Feelings:
    return Feelings(load_emotions(shipped_lexicon("emotions.toml")))


@pytest.mark.parametrize(
    ("text", "emotion"),
    [
        ("I am so happy about the flat.", "joy"),
        ("I am not happy about the flat.", "neutral"),
        ("气死我了，又停电", "anger"),
        ("妈的，又停电了", "anger"),
        ("菜谱是照着我妈的手写菜谱本录的", "neutral"),
        ("奶妈的工资是每月六千", "neutral"),
        ("I moved anger.py to the new folder.", "neutral"),
    ],
)
def test_a_feeling_is_what_the_speaker_says_they_feel(feelings: Feelings, text: str, emotion: str) -> None:
    assert feelings.read(text).emotion.value == emotion
