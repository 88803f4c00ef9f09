"""The speaker's own feeling in English and Chinese sentences, denied and technical ones among them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memd.engine.recall.emotions import Feelings
from memd.formats.lexicons import load_emotions
from memd.store.keep.template import shipped_lexicon
from tests.conformance.conftest import Show

FLOOR = 0.75


def test_feelings_are_read_as_they_are_worded(cases: list[dict[str, Any]], show: Show) -> None:
    feelings = Feelings(load_emotions(shipped_lexicon("emotions.toml")))
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case in cases:
        is_right = feelings.read(case["text"]).emotion.value == case["emotion"]
        for key in (case["emotion"], case["lang"]):
            total[key] += 1
            right[key] += is_right
    share = {key: f"{right[key] / total[key]:.2f}" for key in total}
    show("Feelings", ("of", "right", "share"), [(key, right[key], share[key]) for key in sorted(total)])
    labels = {case["emotion"] for case in cases}
    assert sum(right[key] for key in labels) >= FLOOR * len(cases), share
