"""What prompts to a coding agent bring to mind: asked facts, past bugs, conventions that a task needs; and what stays away."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, ask_all
from tests.conformance.conftest import Show
from tests.support import Folder

FLOORS = {"ask": 0.82, "bug": 0.75, "convention": 0.40}
FLOORS_BY_WORDS = {"ask": 0.70, "bug": 0.65, "convention": 0.38}
IRRELEVANT_CEILING, EMPTY_FLOOR = {"packaged": 0.15, "none": 0.20}, {"packaged": 0.75, "none": 0.60}


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_coding_prompts_find_what_they_want(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = ask_all(cases, workspace, embedder, monkeypatch)
    figures.told(show, f"Coding prompts, {embedder}")
    for kind, floor in (FLOORS if embedder == PACKAGED else FLOORS_BY_WORDS).items():
        assert figures.share(kind) >= floor, kind
    assert figures.irrelevant_a_message <= IRRELEVANT_CEILING[embedder]
    assert figures.stay_empty >= EMPTY_FLOOR[embedder]
