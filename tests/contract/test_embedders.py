"""What every maker of vectors promises: one of length 1 for each text, in order, the same whoever is asked with it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

from memd.storage.embedding.model import Endpoint, Model, OnnxModel, Packaged
from tests.contract.embedders import WordModel, answering, make_model, packaged

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats


@functools.cache
def loaded() -> Packaged:
    """The packaged model, once for all tests."""
    return Packaged()


@pytest.fixture(params=["endpoint", "model", "in memory", pytest.param("packaged", marks=packaged)])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Model]:
    if request.param == "endpoint":
        with answering() as address:
            yield Endpoint(address, "made-up")
    elif request.param == "model":
        yield OnnxModel(str(tmp_path), make_model(tmp_path))
    elif request.param == "packaged":
        yield loaded()
    else:
        yield WordModel()


def likeness(one: Floats, other: Floats) -> float:
    return float(one @ other)


TEXTS = ["heating", "cat", "heating heating cat", "窑炉", "苍鹭 窑炉", "", "unknown words alone", "cat " * 300, "\U0001f600", "boiler\n\nboiler"]  # fmt: skip


@pytest.mark.parametrize("ask", ["questions", "passages"])
def test_each_text_has_one_vector_of_length_one_in_its_place(model: Model, ask: str) -> None:
    make = getattr(model, ask)
    found = make(TEXTS)
    assert (found.shape[0], found.dtype) == (len(TEXTS), numpy.float32)
    lengths = dict(zip(TEXTS, numpy.linalg.norm(found, axis=1).round(3).tolist(), strict=True))
    assert lengths.pop("") in (0.0, 1.0), "what says nothing is like nothing, or like other nothing"
    assert set(lengths.values()) == {1.0}
    for text, vector in zip(TEXTS, found, strict=True):
        assert make([text])[0] == pytest.approx(vector, abs=1e-4), text[:20]


def test_what_says_the_same_is_nearer_than_what_does_not(model: Model) -> None:
    (asked,) = model.questions(["heating"])
    more, cat, kiln = model.passages(["heating heating", "cat", "窑炉"])
    others = [likeness(asked, cat), likeness(asked, kiln), likeness(kiln, cat)]
    assert likeness(asked, more) > max(others) + 0.02


def test_nothing_asked_is_nothing_answered_and_many_are_all_answered(model: Model) -> None:
    assert len(model.passages([])) == 0
    many = model.passages([("cat", "garden")[number % 2] for number in range(101)])
    assert len(many) == 101
    assert likeness(many[0], many[100]) == pytest.approx(1.0, abs=1e-3)
    assert likeness(many[0], many[99]) < likeness(many[0], many[100]) - 0.02


def test_it_says_which_model_it_is_and_whether_it_knows_chinese(model: Model) -> None:
    assert model.key
    assert model.name
    assert model.batch >= 1
    assert model.chinese is not isinstance(model, OnnxModel), "of this vocabulary most Han characters are unknown"


def test_a_longer_text_has_more_tokens(model: Model) -> None:
    assert model.tokens("") == 0
    assert 0 < model.tokens("heating") <= model.tokens("heating heating heating") < model.tokens("cat " * 100)


def test_two_threads_may_ask_at_once(model: Model) -> None:
    alone = {ask: getattr(model, ask)(TEXTS[:5]) for ask in ("questions", "passages")}
    wrong: list[str] = []

    def ask_again(ask: str) -> None:
        found = [getattr(model, ask)(TEXTS[:5]) for _ in range(5)]
        wrong.extend(ask for one in found if not numpy.allclose(one, alone[ask], atol=1e-4))

    threads = [threading.Thread(target=ask_again, args=(ask,)) for ask in ("questions", "passages") for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_it_gives_back_comes_again(model: Model) -> None:
    before = model.passages(TEXTS)
    model.release()
    assert numpy.allclose(model.passages(TEXTS), before, atol=1e-4)
