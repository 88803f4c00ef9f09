"""The shape that is put on the packaged model's vectors: kept in a file, refused where it is damaged or another's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memd.storage.embedding.background import Shaped, load_shape
from tools.training.written import dump_shape


class Bare:
    """Two numbers a text: how long it is, and whether it asks."""

    key, name, chinese, batch = "bare", "bare", True, 4

    def tokens(self, text: str) -> int:
        return len(text)

    def questions(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[len(text), "?" in text] for text in texts], np.float32)

    passages = questions

    def release(self) -> None:
        return


MIDDLE, TURN = np.array([2.0, 0.0], np.float32), np.array([[0.0, 1.0], [0.0, 0.0]], np.float32)


def test_a_shape_comes_back_from_its_file_for_the_model_it_was_made_for() -> None:
    data = dump_shape(MIDDLE, TURN, "bare")
    found = load_shape(data, "bare")
    assert found is not None
    assert np.array_equal(found[0], MIDDLE)
    assert np.allclose(found[1], TURN, atol=0.01)
    assert load_shape(data, "another") is None


@pytest.mark.parametrize("at", [0, 20, 40, -1])
def test_a_damaged_shape_is_none(at: int) -> None:
    data = bytearray(dump_shape(MIDDLE, TURN, "bare"))
    data[at] ^= 1
    assert load_shape(bytes(data), "bare") is None


def test_texts_are_measured_from_the_middle_and_only_questions_are_turned() -> None:
    model = Shaped(Bare(), MIDDLE, TURN, "key")
    assert np.allclose(model.passages(["abcd"]), [[1.0, 0.0]])
    assert np.allclose(model.questions(["abcd"]), [[1.0, 1.0]])
    assert (model.key, model.tokens("ab")) == ("key", 2)
