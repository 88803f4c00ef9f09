"""What is shipped is what the tools make of the labelled texts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from memd.engine.linear import Boosted
from memd.errors import StorageError
from memd.formats.thesaurus import load_thesaurus
from memd.formats.weights import dump_trees, load_trees
from memd.storage.embedding.background import shipped
from tools.training import boost, recall
from tools.training import shipped as makers
from tools.training.__main__ import STAMPED, main
from tools.training.fit import Table, fit, fit_kinds
from tools.training.relations import compile_thesaurus
from tools.training.shipped import LEXICONS, MAKERS, inputs_of_recall, samples_of


def test_every_lexicon_is_made_here_or_written_by_hand() -> None:
    by_hand = {"emotions.toml", "background.jsonl"}
    assert {path.name for path in LEXICONS.iterdir()} - by_hand == {
        *(f"{name}.txt" for name in MAKERS),
        *recall.FILES,
    }


def test_the_vectors_of_the_background_are_of_its_texts_by_the_model_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert makers.is_background_current()
    texts, made = shipped()
    monkeypatch.setattr(makers, "shipped", lambda: (texts + b"\n", made))
    assert not makers.is_background_current()


def test_what_is_recalled_by_was_learned_from_the_texts_and_features_that_are_here() -> None:
    stamp = f"inputs {inputs_of_recall()}".encode()
    assert all(stamp in (LEXICONS / name).read_bytes().split(b"\n", 1)[0] for name in STAMPED)


def test_boosted_trees_find_what_two_features_say_only_together() -> None:
    chance = np.random.default_rng(1)
    table = chance.random((4000, 3)).astype(np.float32)
    labels = ((table[:, 0] > 0.5) & (table[:, 1] > 0.5)).astype(float)
    trees = boost.fit(["warm", "dry", "noise"], table, labels, np.ones(4000), boost.Plan(rounds=60))
    read = Boosted(*load_trees(dump_trees(trees.bias, trees.trees, "a test"), "a test"))
    said = [read.value({"warm": warm, "dry": dry}) for warm, dry in ((0.9, 0.9), (0.9, 0.1), (0.1, 0.9), (0.1, 0.1))]
    assert said[0] > 2
    assert max(said[1:]) < -2


@pytest.mark.parametrize(
    "text", ["# t\n", "# t\n0.1\nlevel>0.5@9 0.1 0.2\n", "# t\n0.1\nlevel>x@2 0.1 0.2\n", "# t\nbias\n"]
)
def test_damaged_trees_are_refused(text: str) -> None:
    with pytest.raises(StorageError):
        load_trees(text.encode(), "trees.txt")


def test_the_thesaurus_that_is_shipped_is_made_of_its_groups() -> None:
    data, told = MAKERS["thesaurus"]()
    assert data == (LEXICONS / "thesaurus.txt").read_bytes()
    assert told == f"{len(load_thesaurus(data, 'thesaurus.txt'))} phrases"


def test_the_weights_of_importance_that_are_shipped_are_learned_from_the_sets() -> None:
    """The quickest of the models to learn; `make check` learns all of them."""
    assert MAKERS["worth"]()[0] == (LEXICONS / "worth.txt").read_bytes()


@pytest.mark.parametrize(("name", "stem"), [("relations", "relation"), ("worth", "gate"), ("orders", "attack")])
def test_a_file_of_weights_tells_from_how_many_texts(name: str, stem: str) -> None:
    head = (LEXICONS / f"{name}.txt").read_text("utf-8").split("\n", 1)[0]
    assert head.endswith(f"made by python -m tools.training from {len(samples_of(stem))} examples")


def test_what_is_fitted_is_the_best_there_is() -> None:
    """Two features that are known by heart: the best weights leave no slope, and none beside them is better."""
    samples = [{"a": 1.0}, {"a": 1.0, "b": 1.0}, {"b": 1.0}, {}, {"b": 2.0}]
    labels, importance = np.array([1.0, 1.0, 0.0, 0.0, 0.0]), np.array([1.0, 2.0, 1.0, 1.0, 0.5])
    bias, weights = fit(Table.of(samples, 1), labels, importance, strength=0.5)

    def loss(bias: float, a: float, b: float) -> float:
        sums = [bias + one.get("a", 0) * a + one.get("b", 0) * b for one in samples]
        missed = [math.log1p(math.exp(-s if label else s)) for s, label in zip(sums, labels, strict=True)]
        return float(np.dot(missed, importance)) + 0.25 * (a * a + b * b)

    best = loss(bias, weights["a"], weights["b"])
    for step in (-0.01, 0.01):
        assert loss(bias + step, weights["a"], weights["b"]) > best
        assert loss(bias, weights["a"] + step, weights["b"]) > best
        assert loss(bias, weights["a"], weights["b"] + step) > best


def test_a_feature_that_is_too_rare_has_no_weight() -> None:
    table = Table.of([{"a": 1.0, "rare": 1.0}, {"a": 1.0}], 2)
    assert table.names == ["a"]


def test_kinds_are_told_apart_by_their_features() -> None:
    samples = [{"a": 1.0}, {"b": 1.0}, {"c": 1.0}] * 4
    biases, rows = fit_kinds(Table.of(samples, 1), np.array([0, 1, 2] * 4), 3, np.ones(12), strength=0.1)
    for at, one in enumerate(samples):
        sums = [
            bias + sum(row[name] * much for name, much in one.items()) for bias, row in zip(biases, rows, strict=True)
        ]
        assert int(np.argmax(sums)) == at % 3


def test_a_group_of_the_thesaurus_is_found_by_every_member(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("# words\n= big | large\n! big | small\n~ pet: cat | dog\n", "utf-8")
    assert compile_thesaurus(tmp_path) == {"big": "=0 !1", "larg": "=0", "small": "!1", "cat": "~2", "dog": "~2"}


def test_what_is_shipped_otherwise_is_told_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, _ = MAKERS["thesaurus"]()
    other = tmp_path / "thesaurus.txt"
    other.write_bytes(data + b"more\t=1\n")
    monkeypatch.setattr("tools.training.__main__.LEXICONS", tmp_path)
    assert main(["--check", "thesaurus"]) == 1
    assert "thesaurus.txt" in capsys.readouterr().err
    assert other.read_bytes() != data
    assert main(["thesaurus"]) == 0
    assert other.read_bytes() == data
    assert main(["--check", "thesaurus"]) == 0


def test_a_name_that_is_not_made_here_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["thesaurs"]) == 2
    assert "thesaurs" in capsys.readouterr().err
