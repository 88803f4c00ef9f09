"""What a sensible person would keep, offered without instruction: by language and by kind of text, in a real workspace."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED
from tests.conformance.conftest import Show
from tests.conformance.offered import begin, keep_all, told_of_gate
from tests.support import Folder

FLOOR, FLOOR_BY_WORDS = 0.88, 0.85
SHORT_FLOOR = 0.85  # of short statements that must be kept


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_gate_keeps_what_a_person_would_keep(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    kept = keep_all(cases, workspace)
    counts = told_of_gate(cases, kept, show, f"Gate, {embedder}")
    assert counts["right"] >= (FLOOR if embedder == PACKAGED else FLOOR_BY_WORDS) * len(cases)
    short = [n for n, case in enumerate(cases) if case["keep"] and len(case["text"].encode()) < 60]
    assert sum(kept[n] for n in short) >= SHORT_FLOOR * len(short)
