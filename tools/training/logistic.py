"""Fit logistic models over dense tables by L-BFGS, in numpy alone.

Source
    Liu and Nocedal 1989; the step is halved until the loss has fallen enough (Armijo).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
MEMORY, ROUNDS, ENOUGH, HALVINGS = 12, 250, 1e-4, 25
CLOSE = 1e-6  # of the loss, by which it must fall to go on


def fit(
    table: Floats, labels: Array, importance: Array, *, offset: Array | None = None, slope: float = 1.0, strength: Array
) -> tuple[float, Array]:
    """Return bias and weights w that fit sigmoid(slope * (offset + bias + w.x)) to labels of 0 to 1.

    `strength` of each column is the weight of w^2 / 2 on the scale of slope * w.
    """
    start = np.zeros(len(table)) if offset is None else offset

    def loss(point: Array) -> tuple[float, Array]:
        sums = slope * (start + table @ point[:-1].astype(np.float32) + point[-1])
        errors = importance * (1 / (1 + np.exp(-np.clip(sums, -60, 60))) - labels) * slope
        kept = strength * slope * slope
        value = float((importance * (np.logaddexp(0, sums) - labels * sums)).sum() + (kept * point[:-1] ** 2).sum() / 2)
        slopes = (errors.astype(np.float32) @ table).astype(float) + kept * point[:-1]
        return value, np.append(slopes, errors.sum())

    found = lowest(loss, np.zeros(table.shape[1] + 1))
    return float(found[-1]), found[:-1]


def fit_kinds(
    table: Floats, kinds: npt.NDArray[np.int64], count: int, importance: Array, *, strength: Array
) -> tuple[Array, Array]:
    """Return biases and rows of weights of `count` kinds, that fit softmax(bias + w.x) to the kinds of the samples."""
    wanted = np.eye(count)[kinds]

    def loss(flat: Array) -> tuple[float, Array]:
        point = flat.reshape(count, -1)
        sums = table @ point[:, :-1].T.astype(np.float32) + point[:, -1]
        most = sums.max(axis=1, keepdims=True)
        logs = sums - most - np.log(np.exp(sums - most).sum(axis=1, keepdims=True))
        errors = importance[:, None] * (np.exp(logs) - wanted)
        value = float(-(importance[:, None] * wanted * logs).sum() + (strength * point[:, :-1] ** 2).sum() / 2)
        slopes = (errors.T.astype(np.float32) @ table).astype(float) + strength * point[:, :-1]
        return value, np.column_stack([slopes, errors.sum(axis=0)]).ravel()

    found = lowest(loss, np.zeros(count * (table.shape[1] + 1))).reshape(count, -1)
    return found[:, -1], found[:, :-1]


def lowest(loss: Callable[[Array], tuple[float, Array]], point: Array) -> Array:
    """Return where a loss is about lowest, from a point on; `loss` gives its value and its slopes."""
    value, slopes = loss(point)
    steps: list[tuple[Array, Array]] = []
    for _ in range(ROUNDS):
        ahead = _direction(slopes, steps)
        fall = float(ahead @ slopes)
        if fall >= 0:
            ahead, steps = -slopes, []
            fall = -float(slopes @ slopes)
        length = 1.0 if steps else min(1.0, 1 / float(np.linalg.norm(slopes) + 1e-12))
        for _ in range(HALVINGS):
            after = point + length * ahead
            value_after, slopes_after = loss(after)
            if value_after <= value + ENOUGH * length * fall:
                break
            length /= 2
        else:
            return point
        steps = [*steps, (after - point, slopes_after - slopes)][-MEMORY:]
        fell = value - value_after
        point, value, slopes = after, value_after, slopes_after
        if fell < CLOSE * abs(value):
            break
    return point


def _direction(slopes: Array, steps: list[tuple[Array, Array]]) -> Array:
    ahead, factors = -slopes, []
    for moved, changed in reversed(steps):
        curve = float(changed @ moved)
        factor = float(moved @ ahead) / curve if curve > 1e-12 else 0.0
        factors.append(factor)
        ahead = ahead - factor * changed
    if steps:
        moved, changed = steps[-1]
        ahead = ahead * (float(moved @ changed) / float(changed @ changed) if float(moved @ changed) > 0 else 1.0)
    for (moved, changed), factor in zip(steps, reversed(factors), strict=True):
        curve = float(changed @ moved)
        back = float(changed @ ahead) / curve if curve > 1e-12 else 0.0
        ahead = ahead + moved * (factor - back)
    return ahead
