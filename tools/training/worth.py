"""Learn what is worth keeping, so that the gate's total crosses its threshold where people would keep a statement.

A label is of a whole text, of which the best statement decides: of a text that is kept, the statement that the model
likes best is what it learns from, of one that is dropped all are. That is done a few times over (Andrews et al. 2003).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memd.engine.keep.assess import rest_of
from memd.engine.keep.worth import MIDDLE, SHORT, Worth, plain_of, read_worth
from memd.engine.linear import Linear
from memd.engine.recall.compiled import Compiled
from memd.model.memory import Offered, Source
from memd.model.settings import GateSettings
from memd.text.statements import statements
from tools.training import logistic

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
LEAST_WRITERS = 7  # that use a sign, for it to be a general one
POINT = 1.25  # log odds of a point of the total
SHARE = 0.5  # of the total that follows the judgement: importance and relevance
LEAN = 0.15  # points of the total that words alone give a text: a plain fact that they do not know is rather kept
# Points of the judgement that a statement of a few words gains: it has few signs to be known by, and of such by writers who were
# left out .56 to .78 of what is worth keeping was kept, at a precision of .88; of longer ones .9 at the same.
SHORT_BY_WORDS, SHORT_BY_MEANING = 0.6, 0.8
SIGN_STRENGTH, PLANE_STRENGTH = 5.0, 0.5  # how strongly weights are kept small
ROUNDS = 4
MOST_OF_ONE = 1.5  # how much all statements of one text that is dropped count
LEAST_OF_KIND = 60
KINDS = {
    "identity": "who somebody is", "preference": "a preference", "decision": "a decision", "commitment": "a commitment", "plan": "a plan",
    "project_fact": "how a project stands", "health": "a matter of health", "relationship": "somebody close", "workflow_rule": "a rule of work",
    "possession": "what somebody has", "place": "a place", "skill": "what somebody can do", "event": "an event of weight", "instruction": "a standing wish",
    "small_talk": "small talk", "transient": "a passing state", "vague": "nothing definite", "thanks": "thanks", "encouragement": "encouragement",
    "hypothetical": "a hypothesis", "question": "a question", "joke": "a joke", "agent_guess": "a guess", "agent_status": "a status report",
    "agent_plan": "what is done next", "request": "a request", "oneoff_tool": "passing tool output", "quote_or_fiction": "a quote or a story",
    "opinion_small": "a passing opinion", "general_knowledge": "what everybody can look up",
}  # fmt: skip


@dataclass
class Samples:
    """Labelled texts: those that the label is of, and their statements, each with the number of its text."""

    rows: list[dict[str, Any]]
    writers: list[str]
    texts: list[str] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    features: list[dict[str, float]] = field(default_factory=list)
    rest: list[float] = field(default_factory=list)

    def read(self) -> Samples:
        """Cut the texts into statements, and read these."""
        for number, row in enumerate(self.rows):
            source = Source(row["source"])
            for text in parts_of(row["text"]):
                self.texts.append(plain_of(text))
                self.owners.append(number)
                read = read_worth(text, source)
                self.features.append(read.features)
                self.rest.append(rest_of(Offered(text, source, "", ()), Compiled(), read))
        return self

    @property
    def labels(self) -> Array:
        """1 of a text that is kept."""
        return np.array([float(row["keep"]) for row in self.rows])


def parts_of(text: str) -> list[str]:
    """Return the statements that are judged of a text."""
    return [one.text for one in statements(text) if one.text and not one.handed] or [text]


def general(samples: Samples) -> list[str]:
    """Return the signs that LEAST_WRITERS use, but for that of a statement of a few words, which is not learned."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for owner, features in zip(samples.owners, samples.features, strict=True):
        for name in features:
            used[name].add(samples.writers[owner].partition(":")[0])
    return sorted(name for name, writers in used.items() if len(writers) >= LEAST_WRITERS and name != f"[{SHORT}]")


def table_of(features: Sequence[dict[str, float]], names: Sequence[str], vectors: Floats | None) -> Floats:
    """Return signs by columns, and vectors beside them."""
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(features), len(names)), np.float32)
    for row, one in enumerate(features):
        for name, amount in one.items():
            if name in place:
                table[row, place[name]] = amount
    return table if vectors is None else np.hstack([table, vectors])


def learn(table: Floats, signs: int, samples: Samples, taught: npt.NDArray[np.bool_]) -> tuple[float, Array]:
    """Return bias and weights, of the texts that are `taught`, in points of the judgement."""
    owners, labels = np.array(samples.owners), samples.labels
    offset = (np.array(samples.rest) + SHARE * MIDDLE - GateSettings().keep_from) / SHARE
    strength = np.array([SIGN_STRENGTH] * signs + [PLANE_STRENGTH] * (table.shape[1] - signs))
    counts = np.bincount(owners, minlength=len(labels))
    dropped = np.flatnonzero(taught[owners] & (labels[owners] == 0))
    kept = np.flatnonzero(taught[owners] & (labels[owners] == 1))
    much = np.where(counts[owners] > 1, MOST_OF_ONE / counts[owners], 1.0)
    said = np.zeros(len(owners))
    for turn in range(ROUNDS):
        chosen = _best_of(kept, owners, said) if turn else kept
        weights = np.where(np.isin(kept, chosen), 1.0, 0.0) if turn else much[kept]
        rows = np.concatenate([dropped, kept[weights > 0]])
        importance = np.concatenate([much[dropped], weights[weights > 0]])
        bias, found = logistic.fit(
            table[rows], labels[owners[rows]], importance, offset=offset[rows], slope=POINT * SHARE, strength=strength
        )
        said = offset + bias + table @ found.astype(np.float32)
    return bias, found


def _best_of(rows: npt.NDArray[np.int64], owners: npt.NDArray[np.int64], said: Array) -> npt.NDArray[np.int64]:
    best: dict[int, int] = {}
    for row in rows.tolist():
        owner = int(owners[row])
        if owner not in best or said[row] > said[best[owner]]:
            best[owner] = row
    return np.array(sorted(best.values()), dtype=np.int64)


def worth_of(samples: Samples, vectors: Floats, taught: npt.NDArray[np.bool_] | None = None) -> Worth:
    """Return what is learned of samples with the vectors of their statements."""
    taught = np.ones(len(samples.rows), bool) if taught is None else taught
    names = general(samples)
    words_bias, words = learn(table_of(samples.features, names, None), len(names), samples, taught)
    bias, weights = learn(table_of(samples.features, names, vectors), len(names), samples, taught)
    return Worth(
        Linear(words_bias + LEAN / SHARE, _weights(names, words, SHORT_BY_WORDS)),
        Linear(bias, _weights(names, weights, SHORT_BY_MEANING)),
        weights[len(names) :].tolist(),
    )


def _weights(names: Sequence[str], learned: Array, short: float) -> dict[str, float]:
    return {**dict(zip(names, learned.tolist(), strict=False)), f"[{SHORT}]": short}


def kinds_of(samples: Samples, vectors: Floats) -> dict[str, Floats]:
    """Return how the vectors of each kind of statement lie: their mean, away from the mean of all."""
    owners = np.array(samples.owners)
    alone = np.bincount(owners, minlength=len(samples.rows))[owners] == 1
    middle, found = vectors.mean(axis=0), {}
    for category, name in KINDS.items():
        of_kind = alone & np.array([samples.rows[owner].get("category") == category for owner in owners])
        if of_kind.sum() >= LEAST_OF_KIND:
            away = vectors[of_kind].mean(axis=0) - middle
            found[name] = (away / np.linalg.norm(away)).astype(np.float32)
    return found


def verdicts(worth: Worth, samples: Samples, vectors: Floats | None) -> Array:
    """Return how many points of the total each text is above the threshold: its best statement's."""
    best = np.full(len(samples.rows), -np.inf)
    keep_from = GateSettings().keep_from
    for at, owner in enumerate(samples.owners):
        vector = None if vectors is None else vectors[at].tolist()
        value = MIDDLE + worth.value(samples.features[at], vector)
        total = samples.rest[at] + SHARE * min(10.0, max(0.0, value)) - keep_from
        best[owner] = max(best[owner], total)
    return best


def figures(said: Array, labels: Array, chosen: Iterable[bool]) -> tuple[float, float, float]:
    """Return accuracy, precision and recall of the chosen."""
    sel = np.array(list(chosen))
    kept, right = said[sel] > 0, labels[sel] > 0
    hits = float((kept & right).sum())
    return float((kept == right).mean()), hits / max(1.0, kept.sum()), hits / max(1.0, right.sum())
