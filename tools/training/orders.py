"""Learn which texts give orders to their reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from memd.engine.keep.scan.orders import order_features
from memd.text.characters import fold
from tools.training.fit import Table, fit

LABELS = ("injection", "exfiltration", "benign")
LEAST = 6  # texts that must have a phrase
DOUBT = -0.4  # log odds that a text must have beyond even chance: a false alarm waits for a person and loses nothing


def learn(samples: list[dict[str, Any]], importance: list[float]) -> tuple[float, dict[str, float]]:
    """Return bias and weights; from 0 on a text is held back. What people offer to remember, without a label, is benign."""
    chosen = [
        (one, much) for one, much in zip(samples, importance, strict=True) if one.get("label", "benign") in LABELS
    ]
    features = [order_features(fold(one["text"])) for one, _ in chosen]
    labels = np.array([float(one.get("label", "benign") != "benign") for one, _ in chosen])
    bias, weights = fit(Table.of(features, LEAST), labels, np.array([much for _, much in chosen]), strength=1.0)
    return bias - DOUBT, weights
