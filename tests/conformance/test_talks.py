"""memd's own conversations: those by which consolidation was made, which are what must not be lost again, and others that measure it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, WORDS
from tests.conformance.conftest import Show
from tests.conformance.offered import begin
from tests.conformance.talked import consolidate_all, read_talks, told_of_talks
from tests.support import Folder

TALKS = Path(__file__).parents[2] / "tools/training/sets"
FLOORS = {PACKAGED: (0.86, 0.82, 0.80), WORDS: (0.84, 0.76, 0.60)}  # kept or in the inbox; kept; superseded rightly
TEMPTED = {PACKAGED: 0.03, WORDS: 0.06}
UNSCRIPTED = {
    PACKAGED: (0.87, 0.82, 0.52, 0.31),
    WORDS: (0.87, 0.82, 0.40, 0.35),
}  # and of the tempting turns, kept or in the inbox at most
HELD = {PACKAGED: (0.82, 0.75, 0.60), WORDS: (0.77, 0.67, 0.45)}  # of conversations of which nothing is learned


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


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_is_told_takes_the_place_of_what_it_changes(
    workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    cases = read_talks(TALKS / "changes_held.jsonl")
    count = told_of_talks(cases, consolidate_all(cases, workspace, embedder), show, f"Held-out changes, {embedder}")
    staged, kept, replaced = HELD[embedder]
    assert count.staged >= staged * count.facts
    assert count.kept >= kept * count.facts
    assert count.replaced >= replaced * count.replacing


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_unscripted_talk_of_hands_of_which_nothing_is_learned(
    workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    cases = read_talks(*sorted(TALKS.glob("unscripted_held_*.jsonl")))
    count = told_of_talks(cases, consolidate_all(cases, workspace, embedder), show, f"Unscripted talk, {embedder}")
    staged, kept, replaced, tempted = UNSCRIPTED[embedder]
    assert count.staged >= staged * count.facts
    assert count.kept >= kept * count.facts
    assert count.replaced >= replaced * count.replacing
    assert count.tempted.total() <= tempted * count.of.total()
