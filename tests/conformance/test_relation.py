"""How a new statement stands to an old one: what remember makes of pairs, in a real workspace."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED
from tests.conformance.conftest import Show
from tests.conformance.offered import begin, relate_all, told_of_relations
from tests.support import Folder

FLOOR, FLOOR_BY_WORDS = 0.87, 0.77
PRECISION_FLOOR = 0.95  # a false merge is the worst error


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_pairs_are_joined_as_a_person_would(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    right, of, _ = told_of_relations(cases, relate_all(cases, workspace), show, f"Relations, {embedder}")
    assert right >= (FLOOR if embedder == PACKAGED else FLOOR_BY_WORDS)
    assert of["duplicate"][0] >= PRECISION_FLOOR
    assert of["contradiction"][0] >= PRECISION_FLOOR
