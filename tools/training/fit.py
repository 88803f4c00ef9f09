"""Fit linear models by logistic regression, exactly and with the same result on every machine: numpy alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
ROUNDS = 3000
CLOSE = 1e-5  # of the greatest slope, where it stops


@dataclass(frozen=True)
class Table:
    """Samples as rows of a sparse table: the row, column and amount of each entry, and the columns' names."""

    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    amounts: Array
    names: list[str]
    height: int

    @classmethod
    def of(cls, samples: Sequence[Mapping[str, float]], least: int) -> Table:
        """Tabulate features by name; those in fewer than `least` samples are left out."""
        counts = Counter(name for one in samples for name, amount in one.items() if amount)
        names = sorted(name for name, count in counts.items() if count >= least)
        place = {name: n for n, name in enumerate(names)}
        entries = [
            (row, place[name], amount)
            for row, one in enumerate(samples)
            for name, amount in one.items()
            if name in place
        ]
        rows, columns, amounts = zip(*entries, strict=True)
        return cls(np.array(rows), np.array(columns), np.array(amounts, dtype=float), names, len(samples))

    def times(self, weights: Array) -> Array:
        """Return the sum of each row under weights by column."""
        return np.bincount(self.rows, weights=self.amounts * weights[self.columns], minlength=self.height).astype(float)

    def turned(self, values: Array) -> Array:
        """Return the sum of each column under values by row."""
        return np.bincount(self.columns, weights=self.amounts * values[self.rows], minlength=len(self.names)).astype(
            float
        )


def fit(
    table: Table,
    labels: Array,
    importance: Array,
    *,
    offset: Array | None = None,
    slope: float = 1.0,
    strength: float = 1.0,
) -> tuple[float, dict[str, float]]:
    """Return bias and weights w that fit sigmoid(slope * (offset + bias + w.x)) to labels of 0 and 1.

    `strength` is the weight of |w|^2 / 2 on the scale of slope * w, so that it means the same for every slope.
    """
    start = np.zeros(table.height) if offset is None else offset * slope
    step = 1.0 / (_steepness(table, importance) + strength)
    point = np.zeros(len(table.names) + 1)
    ahead, pace = point.copy(), 1.0
    for _ in range(ROUNDS):
        slopes = _slopes(table, labels, importance, start, ahead, strength)
        moved = ahead - step * slopes
        if np.dot(slopes, moved - point) > 0:
            pace = 1.0  # it has gone past: begin anew from here
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead = moved + (pace - 1) / faster * (moved - point)
        point, pace = moved, faster
        if float(np.abs(slopes).max()) < CLOSE * float(importance.sum()) / table.height:
            break
    weights = {name: float(value) / slope for name, value in zip(table.names, point[:-1], strict=True)}
    return float(point[-1]) / slope, weights


def _slopes(table: Table, labels: Array, importance: Array, start: Array, point: Array, strength: float) -> Array:
    sums = start + table.times(point[:-1]) + point[-1]
    errors = importance * (1 / (1 + np.exp(-np.clip(sums, -60, 60))) - labels)
    return np.append(table.turned(errors) + strength * point[:-1], errors.sum())


def _steepness(table: Table, importance: Array) -> float:
    """Return an upper bound of the curvature, by power iteration."""
    vector = np.ones(len(table.names) + 1)
    size = 1.0
    for _ in range(60):
        vector /= np.linalg.norm(vector)
        values = importance * 0.25 * (table.times(vector[:-1]) + vector[-1])
        vector = np.append(table.turned(values), values.sum())
        size = float(np.linalg.norm(vector))
    return size * 1.05
