"""Make what the gate judges by: what is worth keeping, and how statements stand to each other, by meaning and by words."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memd.engine.keep.relation.units import Thesaurus
from memd.engine.keep.worth import plain_of
from memd.formats.lexicons import Planes
from memd.storage.embedding.background import Shaped, load_shape, shape_key
from memd.storage.embedding.model import Packaged
from tools.training import changes, matters, relations, talks, worth
from tools.training.neighbours import beside_of, neighbours_of
from tools.training.vectors import Vectors
from tools.training.written import dump_planes, dump_trees, dump_turn, dump_weights

Floats = npt.NDArray[np.float32]
FILES = (
    "worth.txt", "worth_meaning.txt", "relations.txt", "relations_meaning.txt", "changes.txt", "changes_trees.txt", "changes_meaning.txt", "changes_meaning_trees.txt", "judging.bin",
    "relating.bin", "matter.bin",
)  # fmt: skip
NEARLY_EQUAL = 0.97  # the cosine from which a text is one that measures
STATES = "states"  # of whose pairs each is of a matter of its own
PAIRS = ("pairs", "relation", STATES, "parts")
STEMS = ("statements", "turns", "gate")
TALKS = "unscripted"
AT_ONCE = 2  # folds that are fitted side by side
EMBEDDED = 4  # statements of what is told, as many as memd embeds
ELSEWHERE = ("already_stored", "recalled_refed")  # not a matter of wording: memd compares texts for these


def samples_of(sets: Path) -> worth.Samples:
    """Return all labelled statements and turns, of every writer."""
    rows: list[dict[str, Any]] = []
    writers: list[str] = []
    for stem in STEMS:
        for path in sorted(sets.glob(f"{stem}_*.jsonl")):
            for row in map(json.loads, path.read_text("utf-8").splitlines()):
                if row.get("category") not in ELSEWHERE:
                    rows.append(row)
                    writers.append(f"{path.stem}:{row.get('persona', '')}")
    for row in told_rows(sets):
        rows.append(row)
        writers.append(row["writer"])
    return worth.Samples(rows, writers).read()


def told_rows(sets: Path) -> Iterator[dict[str, Any]]:
    """Yield the labelled statements of conversations that are learned from, with their `writer`."""
    for path in sorted(sets.glob(f"{TALKS}_*.jsonl")):
        if talks.HELD not in path.name:
            yield from ({**row, "writer": f"{path.stem}:"} for row in talks.statements_of(path))


def pairs_of(sets: Path, thesaurus: Thesaurus, model: Shaped, known: Vectors, cases: Floats) -> relations.Pairs:
    """Return all labelled pairs of statements, of every writer, and such as only stand near each other."""

    def vectors_of(texts: list[str]) -> Floats:
        return model.centred(known.of("statement", [plain_of(one) for one in texts]))

    rows: list[dict[str, Any]] = []
    writers: list[str] = []
    for stem in PAIRS:
        for path in sorted(sets.glob(f"{stem}_*.jsonl")):
            read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            rows += read
            writers += [path.stem] * len(read)
    near = neighbours_of(sets, thesaurus, vectors_of, cases, NEARLY_EQUAL)
    apart = [pair for pair in zip(rows, writers, strict=True) if pair[1].startswith(STATES)]
    near += beside_of([row for row, _ in apart], [writer for _, writer in apart], vectors_of)
    return relations.read_pairs(rows, writers, near, thesaurus)


def sides_of(pairs: relations.Pairs, model: Shaped, known: Vectors) -> tuple[Floats, Floats]:
    """Return the vectors of what was known, and of what is offered: of several statements the mean of theirs, as they are embedded."""
    old = known.of("statement", [one["old"] for one in pairs.rows])
    parts = [list(dict.fromkeys(map(plain_of, worth.parts_of(one["new"])))) for one in pairs.rows]
    each = model.centred(known.told([part for some in parts for part in some]))
    each *= np.array([len(part) for some in parts for part in some], np.float32)[:, None]
    starts = np.cumsum([0, *(len(some) for some in parts[:-1])])
    new = np.add.reduceat(each, starts)
    return model.centred(old), new / np.linalg.norm(new, axis=1, keepdims=True)


def judges_of(
    pairs: relations.Pairs, hands: Sequence[matters.Hand], old: Floats, new: Floats, of_matter: Floats
) -> list[changes.Judge]:
    """Return of each fold of hands what was learned of all others."""
    home = {row["new"]: writer for row, writer in zip(pairs.rows, pairs.writers, strict=True) if not row.get("strange")}
    folds = np.array(
        [
            changes.fold_of(changes.hand_of(row.get("writer") or home.get(row["new"], writer)))
            for row, writer in zip(pairs.rows, pairs.writers, strict=True)
        ]
    )

    def judge_of(fold: int) -> changes.Judge:
        others = [one for one in hands if changes.fold_of(changes.hand_of(one.writer)) != fold]
        related = relations.relations_of(pairs, old, new, of_matter, folds != fold)
        return changes.Judge(related, matters.turn_of(others))

    with ThreadPoolExecutor(AT_ONCE) as pool:  # numpy lets others run while it multiplies
        return list(pool.map(judge_of, range(changes.FOLDS)))


def embedding_of(model: Shaped, known: Vectors) -> changes.Embedding:
    """Return what gives the vectors of a stored text, and of one that is told: of several statements their mean."""

    @cache
    def of(text: str) -> Floats:
        found: Floats = model.centred(known.of("statement", [text]))[0]
        return found

    def told(text: str) -> Floats:
        parts = list(dict.fromkeys(map(plain_of, worth.parts_of(text))))[:EMBEDDED]
        each = model.centred(known.told(parts))
        mean = np.sum([one * len(part) for one, part in zip(each, parts, strict=True)], axis=0)
        found: Floats = (mean / np.linalg.norm(mean)).astype(np.float32)
        return found

    return changes.Embedding(of, told)


def shaped(model: Packaged, lexicons: Path) -> Shaped:
    """Return the packaged model in the shape that is shipped."""
    data = (lexicons / "shape.bin").read_bytes()
    found = load_shape(data, model.key)
    if found is None:
        raise SystemExit("shape.bin is of another model: make recall first")
    return Shaped(model, *found, shape_key(model.key, data))


def nearly_equal(texts: Sequence[str], vectors: Floats, of_cases: Floats) -> set[str]:
    """Return the texts that are nearly equal to a case."""
    return {text for text, most in zip(texts, (vectors @ of_cases.T).max(axis=1), strict=True) if most >= NEARLY_EQUAL}


def refuse_cases(texts: Sequence[str], vectors: Floats, cases: Sequence[str], of_cases: Floats) -> None:
    """End with the texts that are nearly equal to a case: what measures is not learned from."""
    near = nearly_equal(texts, vectors, of_cases)
    if near:
        told = "; ".join(repr(one[:60]) for one in sorted(near)[:10])
        raise SystemExit(f"{len(near)} texts are nearly equal to cases of {len(cases)}: {told}")


def make(
    sets: Path, lexicons: Path, thesaurus: Thesaurus, inputs: str, title: str, cases: Sequence[str]
) -> dict[str, bytes]:
    """Return the files of all that is learned here, by name. `inputs` stands for what they are made of."""
    known = Vectors(Packaged())
    model = shaped(known.model, lexicons)
    of_cases = model.centred(known.of("statement", cases))
    samples, pairs = samples_of(sets), pairs_of(sets, thesaurus, model, known, of_cases)
    vectors = model.centred(known.told(samples.texts))
    old, new = sides_of(pairs, model, known)
    whole = [row["text"] for row in samples.rows]
    told = [row[side] for row in pairs.rows if row.get("near") or not row.get("strange") for side in ("old", "new")]
    said = list(changes.said_in(sets))
    known.save()
    of_said = changes.texts_of(said)
    near = nearly_equal(of_said, model.centred(known.of("statement", of_said)), of_cases)
    known.save()
    said = [one for one in said if near.isdisjoint((one.told.text, *one.known))]
    for texts in (whole, told):
        refuse_cases(texts, model.centred(known.of("statement", texts)), cases, of_cases)
    hands = matters.hands_of(pairs.rows, pairs.writers, old, new)
    turn, of_matter = matters.turn_of(hands), matters.matters_of(pairs.rows, pairs.writers, hands, old, new)
    kept, related = worth.worth_of(samples, vectors), relations.relations_of(pairs, old, new, of_matter)
    judges = judges_of(pairs, hands, old, new, of_matter)
    by_words, by_meaning = (
        changes.learn(said, changes.Learning(judges, thesaurus, one)) for one in (None, embedding_of(model, known))
    )
    known.save()
    of_texts = f"{title} from {len(samples.rows)} texts of {len(set(samples.writers))} writers; inputs {inputs}"
    strange = sum(bool(one.get("strange")) for one in pairs.rows)
    of_pairs = (
        f"{title} from {len(pairs.rows) - strange} pairs of {len(set(pairs.writers)) - 1} writers; inputs {inputs}"
    )
    of_talks = f"{title} from {len(said)} statements of conversations; inputs {inputs}"
    rows = {
        "worth": array("f", kept.plane),
        **{name: array("f", row) for name, row in worth.kinds_of(samples, vectors).items()},
    }
    bias, beside = kept.words.bias, kept.meaning.bias
    return {
        "worth.txt": dump_weights(bias, kept.words.weights, f"what is worth keeping, by words, in points; {of_texts}"),
        "worth_meaning.txt": dump_weights(beside, kept.meaning.weights, f"the same beside a vector; {of_texts}"),
        "relations.txt": dump_weights(
            0.0, relations.flat(related.words), f"how statements stand to each other, in log odds; {of_pairs}"
        ),
        "relations_meaning.txt": dump_weights(
            0.0, relations.flat(related.meaning), f"the same beside vectors; {of_pairs}"
        ),
        "changes.txt": dump_weights(
            by_words[0].bias,
            by_words[0].weights,
            f"what a statement of a conversation changes, in log odds; {of_talks}",
        ),
        "changes_trees.txt": dump_trees(0.0, by_words[1].trees, f"the same, by trees; {of_talks}"),
        "changes_meaning.txt": dump_weights(
            by_meaning[0].bias, by_meaning[0].weights, f"the same beside vectors; {of_talks}"
        ),
        "changes_meaning_trees.txt": dump_trees(
            0.0, by_meaning[1].trees, f"the same beside vectors, by trees; {of_talks}"
        ),
        "judging.bin": dump_planes(Planes(model.key, rows)),
        "relating.bin": dump_planes(Planes(model.key, related.planes)),
        "matter.bin": dump_turn(turn, model.key),
    }
