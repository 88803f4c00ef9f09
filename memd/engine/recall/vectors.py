"""How near texts are in meaning, by the vectors of a model: cosines over a role, made into evidence.

A cosine counts only where it stands out among those of the same role: models call everything a little alike.

Source
    Measured on the English recall cases with MiniLM-L6 (docs/trigger.md#7-how-well).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

LEAST, SPAN = 0.18, 0.33  # a cosine of LEAST says nothing, one of LEAST + SPAN says all
STANDS_OUT = 1.7  # standard deviations above the role's mean
MOST = 0.9


class Vectors:
    """The vectors of a role's memories, each of length 1."""

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._ids = list(vectors)
        self._rows = np.array([vectors[one] for one in self._ids], dtype=np.float32)

    def cosines(self, vector: Sequence[float]) -> dict[str, float]:
        """Return how near every memory is to a text's vector, -1 to 1; nothing where the lengths differ."""
        asked = np.array(vector, dtype=np.float32)
        if not self._ids or self._rows.ndim != 2 or self._rows.shape[1] != len(asked):
            return {}
        return dict(zip(self._ids, (self._rows @ asked).tolist(), strict=True))


def alike(cosines: Mapping[str, float]) -> dict[str, float]:
    """Return a score of 0 to 1 for the memories that stand out."""
    if not cosines:
        return {}
    values = np.array(list(cosines.values()))
    bar = max(LEAST, float(values.mean() + STANDS_OUT * values.std())) if len(values) > 3 else LEAST
    return {key: min(MOST, (one - LEAST) / SPAN) for key, one in cosines.items() if one > bar}
