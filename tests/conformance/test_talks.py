"""memd's own conversations, by which the rules of consolidation were made: no measure of them, but what must not be lost again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, WORDS
from tests.conformance.conftest import Show
from tests.conformance.offered import begin
from tests.conformance.talked import consolidate_all, read_talks, told_of_talks
from tests.support import Folder

TALKS = Path(__file__).parents[2] / "tools/training/sets"
FLOORS = {PACKAGED: (0.86, 0.82, 0.70), WORDS: (0.75, 0.65, 0.45)}  # kept or in the inbox; kept; superseded rightly
TEMPTED = {PACKAGED: 0.03, WORDS: 0.06}


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_conversations_over_several_sessions_become_what_they_told(
    workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    cases = read_talks(*sorted(TALKS.glob("talks_*.jsonl")))
    count = told_of_talks(cases, consolidate_all(cases, workspace, embedder), show, f"Own conversations, {embedder}")
    staged, kept, replaced = FLOORS[embedder]
    assert count.staged >= staged * count.facts
    assert count.kept >= kept * count.facts
    assert count.tempted.total() <= TEMPTED[embedder] * count.of.total()
    assert count.replaced >= replaced * count.replacing
