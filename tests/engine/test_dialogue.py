"""What words and a model say of memories, put together."""

from __future__ import annotations

from memd.engine.recall.dialogue import fused
from memd.model.scene import Near


def near(how: float) -> Near:
    return Near(0.5, how, how, same_language=True)


def test_what_has_no_vector_yet_is_not_behind_what_shares_less_with_the_question() -> None:
    words = {"whole": 6.0, "part": 2.0, "other": 1.0}
    found, _ = fused(words, {"part": near(3.0), "other": near(-1.0)}, 100)
    assert found["whole"] > found["part"] > found["other"]
    there, _ = fused(words, {"whole": near(3.0), "part": near(3.0), "other": near(-1.0)}, 100)
    assert there == found, "the best by words is as near as the nearest"
