"""Learn how important statements are, so that the gate's total crosses its threshold where people would keep one."""

from __future__ import annotations

from typing import Any

import numpy as np

from memd.engine.keep.assess import Offered, assess
from memd.engine.keep.cues import find_cues
from memd.engine.keep.worth import MIDDLE, worth_features
from memd.engine.linear import Linear
from memd.engine.recall.compiled import Compiled
from memd.model.memory import Source
from memd.model.scores import WEIGHT_TENTHS, Dimension
from memd.model.settings import GateSettings
from memd.text.fold import fold
from tools.training.fit import Table, fit

ELSEWHERE = ("already_stored", "recalled_refed")  # not a matter of wording: memd compares texts for these
POINT = 2.0  # how many times likelier (log odds) a point of the total makes it that a statement is kept
SHARE = WEIGHT_TENTHS[Dimension.IMPORTANCE] / 10


def learn(samples: list[dict[str, Any]], importance: list[float]) -> tuple[float, dict[str, float]]:
    """Return bias and weights of the model of importance."""
    chosen = [(one, much) for one, much in zip(samples, importance, strict=True) if one["category"] not in ELSEWHERE]
    features, rest = zip(*(features_and_rest(one) for one, _ in chosen), strict=True)
    labels = np.array([float(one["keep"]) for one, _ in chosen])
    much = np.array([much for _, much in chosen])
    offset = (np.array(rest) + SHARE * MIDDLE - GateSettings().keep_from) / SHARE
    return fit(Table.of(features, 2), labels, much, offset=offset, slope=POINT * SHARE, strength=1.0)


def features_and_rest(sample: dict[str, Any]) -> tuple[dict[str, float], float]:
    """Return a sample's features, and what the other five dimensions give the total."""
    text, source = sample["text"], Source(sample["source"])
    folded = fold(text)
    speaking_for, against = find_cues(folded)
    curated = [line for line in sample["context"].get("user_md", "").split("\n") if line.strip()]
    ratings = assess(Offered(text, source, "", curated), Compiled(), Linear())
    rest = sum(ratings[one].value * WEIGHT_TENTHS[one] for one in Dimension if one is not Dimension.IMPORTANCE) / 10
    return worth_features(text, folded, source, speaking_for + against), rest
