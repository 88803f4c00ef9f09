"""Learn what a statement may be of one matter with: the turn that brings the vector of a change towards what it changes.

"We moved to Ludlow" is no nearer to "I live on Marlow Street" than to most of what a person tells: a model of sentences holds near
what has the same words. So what is told is turned: D of I + D makes each change likeliest to be of what it changes, among all that
the same hand wrote. What the turn says of a pair is learned from beside other signs, so of each pair it is said by a turn that saw
nothing of its writer.

Source
    InfoNCE: van den Oord 2018; the turn: memd/storage/embedding/background.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tools.training import logistic

Floats = npt.NDArray[np.float32]
SCALE = 12.0  # log odds of a likeness of 1
SMALL = 0.1  # how strongly the turn is kept small, on the scale of log odds
FOLDS = 4
CHANGE = "contradiction"


class Hand(NamedTuple):
    """What one hand wrote in one language: the vectors of its changes, of all old statements, and which of these each change is of."""

    writer: str
    changes: Floats
    old: Floats
    targets: npt.NDArray[np.int64]


def hands_of(rows: Sequence[dict[str, Any]], writers: Sequence[str], old: Floats, new: Floats) -> list[Hand]:
    """Return the hands of labelled pairs with the vectors of both sides; pairs that were put together of others' are left out."""
    places: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, (row, writer) in enumerate(zip(rows, writers, strict=True)):
        if not (row.get("strange") or row.get("wide")):
            places[writer, row.get("voice", ""), row["lang"]].append(at)
    hands = []
    for (writer, _, _), own in places.items():
        numbers = {text: n for n, text in enumerate(dict.fromkeys(rows[at]["old"] for at in own))}
        first = {rows[at]["old"]: at for at in reversed(own)}
        changes = [at for at in own if rows[at]["relation"] == CHANGE]
        if changes:
            targets = np.array([numbers[rows[at]["old"]] for at in changes])
            hands.append(Hand(writer, new[changes], old[[first[text] for text in numbers]], targets))
    return hands


def turn_of(hands: Sequence[Hand]) -> Floats:
    """Return D of the turn that hands teach."""
    size = hands[0].old.shape[1]

    def loss(point: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        turn = SCALE * np.eye(size) + point.reshape(size, size)
        value, slopes = SMALL * float(point @ point) / 2, SMALL * point.reshape(size, size)
        for one in hands:
            sums = one.changes @ turn @ one.old.T
            sums -= sums.max(axis=1, keepdims=True)
            chances = np.exp(sums) / np.exp(sums).sum(axis=1, keepdims=True)
            right = np.arange(len(one.targets)), one.targets
            value -= float(np.log(chances[right] + 1e-12).sum())
            chances[right] -= 1
            slopes = slopes + one.changes.T @ (chances @ one.old)
        return value, slopes.ravel()

    found: Floats = (logistic.lowest(loss, np.zeros(size * size)).reshape(size, size) / SCALE).astype(np.float32)
    return found


def turned(turn: Floats, new: Floats) -> Floats:
    """Return vectors of what is told, turned."""
    found: Floats = new + new @ turn
    return found


def matters_of(
    rows: Sequence[dict[str, Any]], writers: Sequence[str], hands: Sequence[Hand], old: Floats, new: Floats
) -> Floats:
    """Return how far the sides of each pair are of one matter, as a turn says that saw nothing of who wrote what is told."""
    folds = {writer: n % FOLDS for n, writer in enumerate(sorted({one.writer for one in hands}))}
    home = {row["new"]: writer for row, writer in zip(rows, writers, strict=True) if writer in folds}
    of_pair = [home.get(row["new"], writer) for row, writer in zip(rows, writers, strict=True)]
    mine = np.array([folds.get(writer, at % FOLDS) for at, writer in enumerate(of_pair)])
    found = np.zeros(len(rows), np.float32)
    for fold in range(FOLDS):
        turn = turn_of([one for one in hands if folds[one.writer] != fold])
        own = mine == fold
        found[own] = (turned(turn, new[own]) * old[own]).sum(axis=1)
    return found
