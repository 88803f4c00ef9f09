"""What everyday questions bring to mind, asked plainly, in other words, a step away, in the other language."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, ask_all
from tests.conformance.conftest import Show
from tests.support import Folder

FLOORS = {"direct": 0.87, "para": 0.54, "infer": 0.44, "cross": 0.64, "time": 0.72}
FLOORS_BY_WORDS = {"direct": 0.70, "infer": 0.25, "time": 0.50}
IRRELEVANT_CEILING, EMPTY_FLOOR = 0.06, 0.80


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_everyday_questions_find_what_they_want(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = ask_all(cases, workspace, embedder, monkeypatch)
    figures.told(show, f"Everyday questions, {embedder}")
    for kind, floor in (FLOORS if embedder == PACKAGED else FLOORS_BY_WORDS).items():
        assert figures.share(kind) >= floor, kind
    assert figures.irrelevant_a_message <= IRRELEVANT_CEILING
    assert figures.stay_empty >= EMPTY_FLOOR
