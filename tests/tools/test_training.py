"""What is shipped is what the tools make of the labelled texts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memd.engine.linear import Boosted
from memd.errors import StorageError
from memd.formats.lexicons import load_thesaurus, load_trees
from memd.storage.embedding.background import shipped
from memd.text.characters import fingerprint
from tools.training import boost, judging, logistic, recall
from tools.training import shipped as makers
from tools.training.__main__ import JUDGING, MADE_OF, RECALL, STAMPED, main
from tools.training.fit import Table, fit
from tools.training.relations import compile_thesaurus
from tools.training.shipped import LEXICONS, MAKERS, case_texts, samples_of, taught_texts
from tools.training.written import dump_trees


def test_every_lexicon_is_made_here_or_written_by_hand() -> None:
    by_hand = {"emotions.toml", "background.jsonl", "touches.txt"}
    made = {*(f"{name}.txt" for name in MAKERS), *recall.FILES, *judging.FILES}
    assert {path.name for path in LEXICONS.iterdir()} - by_hand == made


def test_the_vectors_of_the_background_are_of_its_texts_by_the_model_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert makers.is_background_current()
    texts, made = shipped()
    monkeypatch.setattr(makers, "shipped", lambda: (texts + b"\n", made))
    assert not makers.is_background_current()


@pytest.mark.parametrize("name", [RECALL, JUDGING])
def test_what_vectors_are_behind_was_learned_from_the_texts_and_features_that_are_here(name: str) -> None:
    stamp = f"inputs {MADE_OF[name]()}".encode()
    assert all(stamp in (LEXICONS / one).read_bytes().split(b"\n", 1)[0] for one in STAMPED[name])


def test_trees_as_lightgbm_tells_them_are_read_as_they_are_shipped() -> None:
    leaf = [{"leaf_value": value} for value in (-2.0, -1.0, 3.0)]
    dry = {"split_feature": 1, "threshold": 0.5, "left_child": leaf[1], "right_child": leaf[2]}
    warm = {"split_feature": 0, "threshold": 0.25, "left_child": leaf[0], "right_child": dry}
    made = {"tree_info": [{"tree_structure": warm}, {"tree_structure": {"leaf_value": 0.5}}]}
    trees = boost.read_trees(["warm air", "dry"], made)
    read = Boosted(*load_trees(dump_trees(trees.bias, trees.trees, "a test"), "a test"))
    cases = ((0.25, 0.9, -1.5), (0.26, 0.5, -0.5), (0.26, 0.51, 3.5))
    assert [read.value({"warm air": warm, "dry": dry}) for warm, dry, _ in cases] == [said for *_, said in cases]


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


def test_a_file_of_weights_tells_from_how_many_texts() -> None:
    head = (LEXICONS / "orders.txt").read_text("utf-8").split("\n", 1)[0]
    assert head.endswith(f"made by python -m tools.training from {len(samples_of('attack'))} examples")


@pytest.mark.slice  # all talk that is learned from is read
@pytest.mark.timeout(300)
def test_no_text_that_is_learned_from_is_one_that_measures() -> None:
    cases = {fingerprint(text) for text in case_texts()}
    assert len(cases) > 1000
    learned = list(taught_texts())
    assert len(learned) > 19_000
    assert [text for text in learned if fingerprint(text) in cases] == []


def test_what_is_nearly_a_case_is_refused() -> None:
    case = np.array([[1.0, 0.0]], np.float32)
    near, far = np.array([[0.98, 0.199]], np.float32), np.array([[0.9, 0.436]], np.float32)
    judging.refuse_cases(["far"], far, ["case"], case)
    with pytest.raises(SystemExit, match="near"):
        judging.refuse_cases(["near", "far"], np.concatenate([near, far]), ["case"], case)


def test_logistic_models_over_dense_tables_are_the_best_there_are() -> None:
    chance = np.random.default_rng(2)
    table = chance.normal(size=(300, 4)).astype(np.float32)
    labels = (table @ np.array([2.0, -1.0, 0.0, 0.5]) + 0.3 * chance.normal(size=300) > 0.2).astype(float)
    strength, much = np.array([1.0, 1.0, 1.0, 4.0]), np.ones(300)
    bias, weights = logistic.fit(table, labels, much, slope=0.5, strength=strength)

    def loss(bias: float, weights: Any) -> float:
        sums = 0.5 * (bias + table @ weights)
        return float((np.logaddexp(0, sums) - labels * sums).sum() + 0.25 * (strength * weights**2).sum() / 2)

    best = loss(bias, weights)
    for step in (-0.02, 0.02):
        assert loss(bias + step, weights) > best
        assert all(loss(bias, weights + step * one) > best for one in np.eye(4))


def test_kinds_over_dense_tables_are_told_apart() -> None:
    kinds = np.array([0, 1, 2] * 20)
    table = np.eye(3, dtype=np.float32)[kinds]
    biases, rows = logistic.fit_kinds(table, kinds, 3, np.ones(60), strength=np.full(3, 0.1))
    assert (np.argmax(table @ rows.T + biases, axis=1) == kinds).all()


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
