"""Fit boosted trees by LightGBM, and read them as memd reads its own: nodes by the names of features.

Source
    Friedman 2001; histograms and the leaf with the most to gain split first: Ke and others 2017. Who only uses memd, or
    tests it, has no LightGBM: `requirements/training.txt` brings it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memd.engine.linear import Boosted
from memd.formats.lexicons import Node

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """How trees are fitted. `share`: of the samples that a tree sees, and `columns` of the features, others each; `least`: of a leaf;
    `strength` keeps leaves small.

    By writers that were left out, trees of a share each and of more leaves find .417 of what is wanted at .06 irrelevant a
    message, where trees of 12 leaves that see everything find .400.
    """

    rounds: int = 160
    step: float = 0.06
    leaves: int = 16
    share: float = 0.6
    least: int = 60
    strength: float = 10.0
    columns: float = 1.0


def fit(
    names: Sequence[str], table: npt.NDArray[np.float32], labels: Array, importance: Array, plan: Plan = Plan()
) -> Boosted:
    """Return trees of which the sum is the log odds that a label is 1."""
    import lightgbm  # noqa: PLC0415 - with what only training needs

    told = {
        "objective": "binary", "learning_rate": plan.step, "num_leaves": plan.leaves, "min_data_in_leaf": plan.least,
        "lambda_l2": plan.strength, "bagging_fraction": plan.share, "bagging_freq": 1, "feature_fraction": plan.columns, "seed": 0, "max_bin": 48,
        "deterministic": True, "force_row_wise": True, "verbosity": -1,
    }  # fmt: skip
    made = lightgbm.train(told, lightgbm.Dataset(table, labels, weight=importance), plan.rounds).dump_model()
    return read_trees(names, made)


def read_trees(names: Sequence[str], made: dict[str, Any]) -> Boosted:
    """Return the trees of a model as LightGBM tells it: a value goes above where it is more than the threshold."""
    trees = []
    for one in made["tree_info"]:
        nodes: list[Node] = []
        _write(one["tree_structure"], names, nodes)
        trees.append(tuple(nodes))
    return Boosted(0.0, tuple(trees))


def _write(node: dict[str, Any], names: Sequence[str], nodes: list[Node]) -> None:
    if "leaf_value" in node:
        nodes.append(Node("", float(node["leaf_value"])))
        return
    at = len(nodes)
    nodes.append(Node("", 0.0))
    _write(node["left_child"], names, nodes)
    nodes[at] = Node(names[node["split_feature"]], float(node["threshold"]), len(nodes))
    _write(node["right_child"], names, nodes)
