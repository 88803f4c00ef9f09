"""What a message brings to mind, in a running workspace: recall by kind of question, and what must not come."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, ask_all
from tests.conformance.conftest import Show
from tests.support import Folder

FLOORS = {"lex": 0.90, "time": 0.85, "emo": 0.60}
BY_WORDS = ("lex", "short", "mixed")
LEXICAL_FLOOR, PARA_FLOOR = 0.90, 0.58
IRRELEVANT_CEILING, EMPTY_FLOOR = 0.045, 0.85


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_right_memories_come_and_the_wrong_ones_stay(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = ask_all(cases, workspace, embedder, monkeypatch)
    figures.told(show, f"Recall, {embedder}")
    for kind, floor in FLOORS.items():
        assert figures.share(kind) >= floor, kind
    assert figures.share(*BY_WORDS) >= LEXICAL_FLOOR
    if embedder == PACKAGED:
        assert figures.share("para") >= PARA_FLOOR
    assert figures.irrelevant_a_message <= IRRELEVANT_CEILING
    assert figures.stay_empty >= EMPTY_FLOOR
