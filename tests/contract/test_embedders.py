"""What every maker of vectors promises: one of length 1 for each text, in order, the same whoever is asked with it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.storage.embedding_endpoint import Endpoint
from memd.storage.onnx_model import OnnxModel
from memd.store.recall.meaning import Embedder
from tests.contract.embedders import WordEmbedder, answering, make_model


@pytest.fixture(params=["endpoint", "model", "in memory"])
def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Embedder]:
    if request.param == "endpoint":
        with answering() as address:
            yield Endpoint(address, "made-up")
    elif request.param == "model":
        yield OnnxModel(str(tmp_path), make_model(tmp_path))
    else:
        yield WordEmbedder()


def likeness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


TEXTS = ["heating", "cat", "heating heating cat", "窑炉", "苍鹭 窑炉", "", "unknown words alone", "cat " * 3000, "\U0001f600", "boiler\n\nboiler"]  # fmt: skip


def test_each_text_has_one_vector_of_length_one_in_its_place(embedder: Embedder) -> None:
    found = embedder.embed(TEXTS)
    lengths = {text: round(math.fsum(a * a for a in one), 4) for text, one in zip(TEXTS, found, strict=True)}
    assert lengths.pop("") in (0.0, 1.0), "what says nothing is like nothing, or like other nothing"
    assert set(lengths.values()) == {1.0}
    assert len({len(one) for one in found}) == 1
    for text, vector in zip(TEXTS, found, strict=True):
        assert embedder.embed([text])[0] == pytest.approx(vector, abs=1e-4), text[:20]


def test_what_says_the_same_is_near_and_what_does_not_is_not(embedder: Embedder) -> None:
    heating, more, cat, kiln = embedder.embed(["heating", "heating heating", "cat", "窑炉"])
    assert likeness(heating, more) == pytest.approx(1.0, abs=1e-4)
    assert abs(likeness(heating, cat)) < 0.1
    assert abs(likeness(kiln, cat)) < 0.1


def test_nothing_asked_is_nothing_answered_and_many_are_all_answered(embedder: Embedder) -> None:
    assert embedder.embed([]) == []
    many = embedder.embed([("cat", "garden")[number % 2] for number in range(101)])
    assert len(many) == 101
    assert likeness(many[0], many[100]) == pytest.approx(1.0, abs=1e-4)
    assert likeness(many[0], many[99]) < 0.1


def test_it_says_which_model_it_is_and_whether_it_knows_chinese(embedder: Embedder) -> None:
    assert embedder.key
    assert embedder.chinese is not isinstance(embedder, OnnxModel), "of this vocabulary most Han characters are unknown"
