"""Conversations, consolidated: the facts in words that stand by themselves, what replaces what, and what tempts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, WORDS
from tests.conformance.conftest import Show
from tests.conformance.offered import begin
from tests.conformance.talked import consolidate_all, told_of_talks
from tests.support import Folder

FLOORS = {
    PACKAGED: (0.66, 0.62, 0.45),
    WORDS: (0.65, 0.58, 0.3),
}  # kept or in the inbox; kept; superseded rightly (.70 is the goal)
STATEMENTS_A_FACT = {PACKAGED: 1.3, WORDS: 1.4}
TEMPTED = {PACKAGED: 0.065, WORDS: 0.065}


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_is_told_in_a_conversation_is_kept_and_what_tempts_is_not(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    found = consolidate_all(cases, workspace, embedder)
    count = told_of_talks(cases, found, show, f"Sessions, {embedder}")
    staged, kept, replaced = FLOORS[embedder]
    assert count.staged >= staged * count.facts
    assert count.kept >= kept * count.facts
    assert count.taken <= STATEMENTS_A_FACT[embedder] * count.facts
    assert count.tempted.total() <= TEMPTED[embedder] * count.of.total()
    assert count.replaced >= replaced * count.replacing
