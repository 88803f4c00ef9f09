"""What people say in few words and in one or two, mostly without a subject, and whole turns that ramble: by hands that nothing is learned from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED
from tests.conformance.conftest import Show
from tests.conformance.offered import begin, keep_all, told_of_gate
from tests.support import ROOT, Folder

SETS = ROOT / "tools" / "training" / "sets"
# Accuracy with the model, and by words alone.
FLOORS = {
    "held_short": (0.95, 0.93),
    "held_shortest": (0.9, 0.85),
    "held_terse": (0.9, 0.85),
    "held_turns": (0.88, 0.86),
}


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("name", FLOORS)
def test_what_is_said_in_few_words_or_in_many_is_kept_where_it_tells_something(
    name: str, workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    cases = told(SETS / f"{name}.jsonl")
    counts = told_of_gate(cases, keep_all(cases, workspace), show, f"{name}, {embedder}")
    with_model, by_words = FLOORS[name]
    assert counts["right"] >= (with_model if embedder == PACKAGED else by_words) * len(cases)


def told(path: Path) -> list[dict[str, Any]]:
    """Return the statements of a hand, each told to a role that knows nothing."""
    return [{**json.loads(line), "context": {}} for line in path.read_text("utf-8").splitlines()]
