"""`python -m tests.training`: learn anew, and write the weights to memd/lexicons/. `--check` leaves out one set at a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from memd.engine.keep.relation.words import Thesaurus
from memd.formats.thesaurus import dump_thesaurus
from memd.formats.weights import dump_weights
from tests.training import orders, relations, worth

HERE = Path(__file__).parent
SETS = HERE / "sets"
CASES = HERE.parent / "conformance" / "cases"
DEMO = HERE.parent.parent / "workspace-demo"
LEXICONS = HERE.parent.parent / "memd" / "lexicons"
TITLE = "words and the groups they belong to; made by python -m tests.training"


OFFERED, HELD = 0.5, 0.3  # how much a text counts that people offer, or that a role holds, as one that orders nothing


def learn_orders(samples: list[dict[str, Any]], importance: list[float]) -> tuple[float, dict[str, float]]:
    """Learn from labelled attacks, and from the ordinary texts of the gate beside them."""
    ordinary = [one for one, _ in samples_of("gate")]
    held = [memory for role in _read(CASES / "recall.jsonl") for memory in role["memories"]]
    for path in sorted(DEMO.glob("roles/*/memory.json")):
        arrays = [array for array in json.loads(path.read_text("utf-8")).values() if isinstance(array, list)]
        held += [{"content": one.get("content") or one["value"]} for array in arrays for one in array]
    pairs = [{"content": one[side]} for one, _ in samples_of("relation") for side in ("old", "new")]
    beside = [{"text": one["content"]} for one in (*held, *pairs)]
    much = [*importance, *[OFFERED] * len(ordinary), *[HELD] * len(beside)]
    return orders.learn([*samples, *ordinary, *beside], much)


def learn_relations(samples: list[dict[str, Any]], importance: list[float]) -> tuple[float, dict[str, float]]:
    """Compile the thesaurus, and learn with it."""
    phrases = relations.compile_thesaurus(HERE / "thesaurus")
    (LEXICONS / "thesaurus.txt").write_bytes(dump_thesaurus(phrases, TITLE))
    print(f"thesaurus: {len(phrases)} phrases")
    return relations.learn(samples, importance, Thesaurus(phrases))


MODELS = {
    "relations": ("relation", learn_relations, "how statements stand to each other, in log odds"),
    "worth": ("gate", worth.learn, "importance of a statement, in points"),
    "orders": ("attack", learn_orders, "an order to the reader, in log odds"),
}
CLOSER = 3.0  # the cases themselves count more than what was written to go with them


def samples_of(stem: str) -> list[tuple[dict[str, Any], float]]:
    """Return labelled texts with how much each counts."""
    found = [(one, CLOSER) for one in _read(CASES / f"{stem}.jsonl")]
    for path in sorted(SETS.glob(f"{stem}_*.jsonl")):
        found += [(one, CLOSER if path.stem.endswith("_held") else 1.0) for one in _read(path)]
    return found


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def main(chosen: list[str]) -> None:
    """Learn the named models, or all."""
    for name in chosen or MODELS:
        stem, learn, title = MODELS[name]
        samples = samples_of(stem)
        bias, weights = learn([one for one, _ in samples], [much for _, much in samples])
        data = dump_weights(bias, weights, f"{title}; made by python -m tests.training from {len(samples)} examples")
        (LEXICONS / f"{name}.txt").write_bytes(data)
        print(f"{name}: {len(samples)} examples, {data.count(chr(10).encode()) - 2} weights, {len(data)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
