"""The files of memd/lexicons/ that are made, and of what: each as the bytes it is shipped as."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from memd.engine.keep.relation.units import Thesaurus
from memd.storage.embedding.background import digest_of, load_background, read_lines, shape_key, shipped
from memd.storage.embedding.model import DIGEST
from tools.training import changes, judging, orders, recall, relations
from tools.training.written import dump_thesaurus, dump_weights

ROOT = Path(__file__).parents[2]
SETS = ROOT / "tools" / "training" / "sets"
GROUPS = ROOT / "tools" / "training" / "thesaurus"
DEMO = ROOT / "workspace-demo"
LEXICONS = ROOT / "memd" / "lexicons"

CASES = ROOT / "tests" / "conformance" / "cases"
CASE_FILES = {
    "gate": ("text",),
    "gate-everyday": ("text",),
    "relation": ("old", "new"),
    "relation-updates": ("old", "new"),
}
MADE = "made by python -m tools.training"
FEATURES_OF_RECALL = (
    "memd/engine/recall/wanted/evidence.py", "memd/engine/recall/wanted/wording.py", "memd/engine/recall/wanted/doing.py",
    "memd/lexicons/touches.txt", "memd/text/acts.py", "memd/text/analysis.py", "memd/text/simplified.py",
    "tools/training/recall.py", "tools/training/boost.py",
)  # fmt: skip
FEATURES_OF_JUDGING = (
    "memd/engine/keep/worth.py", "memd/engine/keep/cues.py", "memd/engine/keep/assess.py", "memd/engine/keep/relation/compare.py",
    "memd/engine/keep/relation/judge.py", "memd/engine/keep/relation/topic.py", "memd/engine/keep/relation/units.py", "memd/engine/keep/relation/figures.py", "memd/engine/keep/relation/numerals.py", "memd/engine/keep/relation/amounts.py", "memd/text/statements.py", "memd/engine/keep/relation/person.py",
    "memd/text/borders.py", "memd/text/statement_words.py",
    "memd/text/acts.py", "memd/text/analysis.py", "memd/text/simplified.py", "tools/training/judging.py", "tools/training/worth.py", "tools/training/relations.py",
    "tools/training/matters.py",    "tools/training/neighbours.py", "tools/training/changes.py", "tools/training/boost.py", "memd/text/clauses.py", "memd/text/run_on.py", "tools/training/talks.py", "memd/engine/keep/talk/changes.py", "memd/engine/keep/talk/values.py",
)  # fmt: skip
CLOSER = 3.0  # how much more texts count that were written to be hard
OFFERED, HELD = 0.5, 0.3  # how much a text counts that people offer, or that a role holds, as one that orders nothing

Samples = list[dict[str, Any]]
Learned = tuple[float, dict[str, float]]


def samples_of(stem: str) -> list[tuple[dict[str, Any], float]]:
    """Return labelled texts with how much each counts."""
    found: list[tuple[dict[str, Any], float]] = []
    for path in sorted(SETS.glob(f"{stem}_*.jsonl")):
        found += [(one, CLOSER if path.stem.endswith("_held") else 1.0) for one in _read(path)]
    return found


@cache
def phrases() -> dict[str, str]:
    """Return the thesaurus, compiled from its groups."""
    return relations.compile_thesaurus(GROUPS)


def learn_orders(samples: Samples, importance: list[float]) -> Learned:
    """Learn from labelled attacks, and from the ordinary texts of the gate beside them."""
    ordinary = [one for stem in ("gate", "statements", "turns") for one, _ in samples_of(stem)]
    held = [{"content": one["text"]} for role, _ in samples_of("recall") for one in role["memories"]]
    for path in sorted(DEMO.glob("roles/*/memory.json")):
        arrays = [array for array in json.loads(path.read_text("utf-8")).values() if isinstance(array, list)]
        held += [{"content": one.get("content") or one["value"]} for array in arrays for one in array]
    pairs = [{"content": one[side]} for stem in judging.PAIRS for one, _ in samples_of(stem) for side in ("old", "new")]
    beside = [{"text": one["content"]} for one in (*held, *pairs)]
    much = [*importance, *[OFFERED] * len(ordinary), *[HELD] * len(beside)]
    return orders.learn([*samples, *ordinary, *beside], much)


def make_thesaurus() -> tuple[bytes, str]:
    """Return the bytes of the thesaurus, and what is in it."""
    return dump_thesaurus(phrases(), f"words and the groups they belong to; {MADE}"), f"{len(phrases())} phrases"


def make_weights(stem: str, title: str, learn: Callable[[Samples, list[float]], Learned]) -> tuple[bytes, str]:
    """Return the bytes of a model's weights, and of how much they were learned."""
    samples = samples_of(stem)
    bias, weights = learn([one for one, _ in samples], [much for _, much in samples])
    data = dump_weights(bias, weights, f"{title}; {MADE} from {len(samples)} examples")
    return data, f"{len(samples)} examples, {len(data.splitlines()) - 2} weights"


MAKERS: dict[str, Callable[[], tuple[bytes, str]]] = {
    "thesaurus": make_thesaurus,
    "orders": partial(make_weights, "attack", "an order to the reader, in log odds", learn_orders),
}


def _read(path: Path) -> Samples:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def inputs_of_recall() -> str:
    """Return what stands for the texts and the features that recall is learned from."""
    read = [
        *SETS.glob("recall_*.jsonl"),
        *SETS.glob("asked_*.jsonl"),
        *SETS.glob("gate_*.jsonl"),
        *SETS.glob("relation_*.jsonl"),
    ]
    read += [LEXICONS / "background.jsonl", *(ROOT / name for name in FEATURES_OF_RECALL)]
    return _digest(read)


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def case_texts() -> Iterator[str]:
    """Yield the texts of the cases that measure the gate: nothing is learned from them."""
    for stem, names in CASE_FILES.items():
        for row in _read(CASES / f"{stem}.jsonl"):
            yield from (row[name] for name in names)


def taught_texts() -> Iterator[str]:
    """Yield the texts that the gate is learned from."""
    for stem in (*judging.STEMS, *judging.PAIRS):
        for row, _ in samples_of(stem):
            yield from (row[name] for name in ("text", "old", "new") if name in row)
    # Of pairs that are laid into roles, and of roles that only grew, what is nearly equal to a case is left out when it is learned.
    yield from changes.texts_of(list(changes.talked_in(SETS)))
    yield from (row["text"] for row in judging.told_rows(SETS))


def inputs_of_judging() -> str:
    """Return what stands for the texts and the features that the gate is learned from."""
    read = [
        path
        for stem in (*judging.STEMS, *judging.PAIRS, "recall", "talks", "changes", judging.TALKS)
        for path in SETS.glob(f"{stem}_*.jsonl")
    ]
    read += [LEXICONS / "shape.bin", *GROUPS.glob("*.txt"), *(ROOT / name for name in FEATURES_OF_JUDGING)]
    return _digest(read)


def make_judging() -> dict[str, bytes]:
    """Return the files that the gate needs, by name."""
    return judging.make(SETS, LEXICONS, Thesaurus(phrases()), inputs_of_judging(), MADE, list(case_texts()))


def make_recall() -> dict[str, bytes]:
    """Return the files that recall needs, by name."""
    return recall.make(SETS, LEXICONS, inputs_of_recall(), MADE)


def is_background_current() -> bool:
    """Tell whether the shipped vectors of the background are of its texts, by the packaged model in its shape."""
    texts, made = shipped()
    key = shape_key(DIGEST, (LEXICONS / "shape.bin").read_bytes())
    vectors = load_background(made, key, digest_of(texts))
    return vectors is not None and len(vectors) == len(read_lines(texts))
