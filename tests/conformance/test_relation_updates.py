"""Changes of everyday facts, with and without words of change, and what is alike but both true."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED
from tests.conformance.conftest import Show
from tests.conformance.offered import CONFLICT, begin, relate_all, told_of_relations
from tests.support import Folder

FLOOR, FLOOR_BY_WORDS = 0.82, 0.65
CHANGES, CHANGES_PRECISION = 0.75, 0.94
REWORDED, REWORDED_PRECISION = 0.77, 0.90
SEEN, WRONGLY = 0.82, 0.08  # changes superseded or in conflict; unrelated pairs in conflict


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_changes_supersede_or_conflict_and_what_is_only_alike_stays(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    right, of, pairs = told_of_relations(cases, relate_all(cases, workspace), show, f"Updates, {embedder}")
    assert right >= (FLOOR if embedder == PACKAGED else FLOOR_BY_WORDS)
    if embedder == PACKAGED:
        assert of["contradiction"][0] >= CHANGES_PRECISION
        assert of["contradiction"][1] >= CHANGES
        assert of["duplicate"][0] >= REWORDED_PRECISION
        assert of["duplicate"][1] >= REWORDED
        changes = sum(one["relation"] == "contradiction" for one in cases)
        apart = sum(one["relation"] == "unrelated" for one in cases)
        assert pairs["contradiction", "contradiction"] + pairs["contradiction", CONFLICT] >= SEEN * changes
        assert pairs["unrelated", CONFLICT] <= WRONGLY * apart
