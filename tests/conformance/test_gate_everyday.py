"""Everyday statements of people and their assistants, with what looks like them: what a person would keep is kept."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED
from tests.conformance.conftest import Show
from tests.conformance.offered import begin, keep_all, told_of_gate
from tests.support import Folder

FLOOR, FLOOR_BY_WORDS = 0.85, 0.78  # of accuracy; with the model also of precision and of recall


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_gate_keeps_everyday_facts_and_drops_what_looks_like_them(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    counts = told_of_gate(cases, keep_all(cases, workspace), show, f"Everyday gate, {embedder}")
    floor = FLOOR if embedder == PACKAGED else FLOOR_BY_WORDS
    assert counts["right"] >= floor * len(cases)
    if embedder == PACKAGED:
        assert counts["hits"] >= floor * counts["kept"]
        assert counts["hits"] >= floor * counts["wanted"]
