"""Numbers beside what is counted."""

from __future__ import annotations

import pytest

from memd.text.counting import counted


@pytest.mark.parametrize(
    ("number", "word", "told"),
    [
        (1, "event", "1 event"), (2, "event", "2 events"), (0, "memory", "0 memories"), (1, "memory", "1 memory"),
        (2, "day", "2 days"), (3, "acknowledged batch", "3 acknowledged batches"), (2, "directory", "2 directories"),
    ],
)  # fmt: skip
def test_a_noun_agrees_with_its_number(number: int, word: str, told: str) -> None:
    assert counted(number, word) == told
