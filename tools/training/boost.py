"""Fit boosted trees by numpy alone: histograms of binned features, the leaf with the most to gain split first.

Source
    Friedman 2001; splits by histograms after LightGBM (Ke et al. 2017): gain is G²/(H + strength) of both sides less the whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memd.engine.linear import Boosted
from memd.formats.lexicons import Node

Array = npt.NDArray[np.float64]
BINS = 48


@dataclass(frozen=True)
class Plan:
    """How trees are fitted. `least`: samples (by weight) of a leaf; `strength` keeps leaves small."""

    rounds: int = 160
    step: float = 0.06
    leaves: int = 12
    least: float = 60.0
    strength: float = 10.0


@dataclass
class _Leaf:
    rows: npt.NDArray[np.int64]
    histogram: Array  # 3 x features x BINS: slopes, curvatures, weights
    gain: float = 0.0
    feature: int = -1
    bin: int = 0


def fit(
    names: list[str], table: npt.NDArray[np.float32], labels: Array, importance: Array, plan: Plan = Plan()
) -> Boosted:
    """Return trees of which the sum is the log odds that a label is 1."""
    edges = [_edges(column) for column in table.T]
    binned = np.stack(
        [np.searchsorted(edge, column, side="left") for edge, column in zip(edges, table.T, strict=True)], 1
    )
    binned = binned.astype(np.int64) + np.arange(len(names)) * BINS
    share = float((labels * importance).sum() / importance.sum())
    bias = float(np.log(share / (1 - share)))
    sums = np.full(len(labels), bias)
    trees = []
    for _ in range(plan.rounds):
        chance = 1 / (1 + np.exp(-sums))
        slopes, curves = importance * (chance - labels), importance * chance * (1 - chance)
        trees.append(_tree(names, edges, binned, slopes, curves, importance, sums, plan))
    return Boosted(bias, tuple(trees))


def _edges(column: npt.NDArray[np.float32]) -> Array:
    """Return the values above which the next bin begins."""
    return np.unique(np.quantile(column.astype(float), np.linspace(0, 1, BINS)[1:-1]))


def _histogram(binned: npt.NDArray[np.int64], values: tuple[Array, Array, Array]) -> Array:
    width = binned.shape[1]
    flat = binned.ravel()
    return np.stack(
        [
            np.bincount(flat, weights=np.repeat(one, width), minlength=width * BINS).reshape(width, BINS)
            for one in values
        ]
    )


def _tree(
    names: list[str],
    edges: list[Array],
    binned: npt.NDArray[np.int64],
    slopes: Array,
    curves: Array,
    importance: Array,
    sums: Array,
    plan: Plan,
) -> tuple[Node, ...]:
    """Grow a tree, add what it says to `sums`, and return it."""

    def leaf_of(rows: npt.NDArray[np.int64], histogram: Array | None = None) -> _Leaf:
        if histogram is None:
            histogram = _histogram(binned[rows], (slopes[rows], curves[rows], importance[rows]))
        return _split(_Leaf(rows, histogram), plan)

    root = leaf_of(np.arange(len(slopes)))
    children: dict[int, tuple[_Leaf, _Leaf]] = {}
    leaves = [root]
    while len(leaves) < plan.leaves:
        best = max(leaves, key=lambda one: one.gain)
        if best.gain <= 0:
            break
        above = binned[best.rows, best.feature] - best.feature * BINS > best.bin
        less, more = best.rows[~above], best.rows[above]
        if len(less) < len(more):
            first = leaf_of(less)
            second = leaf_of(more, best.histogram - first.histogram)
        else:
            second = leaf_of(more)
            first = leaf_of(less, best.histogram - second.histogram)
        children[id(best)] = first, second
        leaves = [one for one in leaves if one is not best] + [first, second]
    nodes: list[Node] = []

    def write(one: _Leaf) -> None:
        if id(one) not in children:
            total, curve = float(slopes[one.rows].sum()), float(curves[one.rows].sum())
            value = -plan.step * total / (curve + plan.strength)
            sums[one.rows] += value
            nodes.append(Node("", value))
            return
        at = len(nodes)
        nodes.append(Node("", 0.0))
        first, second = children[id(one)]
        write(first)
        nodes[at] = Node(names[one.feature], float(edges[one.feature][one.bin]), len(nodes))
        write(second)

    write(root)
    return tuple(nodes)


def _split(leaf: _Leaf, plan: Plan) -> _Leaf:
    """Find where a leaf is best split."""
    slopes, curves, weights = (np.cumsum(one, axis=1) for one in leaf.histogram)
    whole = slopes[:, -1:] ** 2 / (curves[:, -1:] + plan.strength)
    rest = (slopes[:, -1:] - slopes, curves[:, -1:] - curves, weights[:, -1:] - weights)
    gains = slopes**2 / (curves + plan.strength) + rest[0] ** 2 / (rest[1] + plan.strength) - whole
    gains[(weights < plan.least) | (rest[2] < plan.least)] = -1.0
    at = int(gains.argmax())
    leaf.feature, leaf.bin = divmod(at, BINS)
    leaf.gain = float(gains.ravel()[at]) - 1e-6
    return leaf
