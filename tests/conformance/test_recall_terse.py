"""Messages typed in a hurry to people who told their assistant in few words what it knows: by a hand that nothing is learned from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, ask_all
from tests.conformance.conftest import Show
from tests.support import ROOT, Folder

HELD = ROOT / "tools" / "training" / "sets" / "held_recall.jsonl"
TOLD, NOW = "2026-11-01T08:00:00Z", "2026-11-29T08:00:00Z"
FLOORS = {"direct": 0.9, "para": 0.55, "infer": 0.25, "cross": 0.6, "time": 0.7, "tell": 0.6}
FLOORS_BY_WORDS = {"direct": 0.85, "tell": 0.3, "time": 0.7}
EMPTY_FLOOR = 0.78


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_was_told_in_few_words_is_found(
    workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = ask_all(list(cases()), workspace, embedder, monkeypatch)
    figures.told(show, f"Told in few words, {embedder}")
    for kind, floor in (FLOORS if embedder == PACKAGED else FLOORS_BY_WORDS).items():
        assert figures.share(kind) >= floor, kind
    assert figures.stay_empty >= EMPTY_FLOOR


def cases() -> Iterator[dict[str, Any]]:
    """Yield the roles of the hand; what is neither relevant nor may be is irrelevant."""
    for role in map(json.loads, HELD.read_text("utf-8").splitlines()):
        memories = [
            {"id": one["id"], "kind": "semantic", "content": one["text"], "source": one["source"], "timestamp": TOLD}
            for one in role["memories"]
        ]
        queries = []
        for one in role["queries"]:
            fits = {*one["relevant"], *one["maybe"]}
            apart = [memory["id"] for memory in memories if memory["id"] not in fits]
            queries.append(
                {
                    "message": one["text"],
                    "note": one["note"],
                    "now": NOW,
                    "relevant": one["relevant"],
                    "irrelevant": apart,
                }
            )
        yield {"lang": role["lang"], "memories": memories, "queries": queries}
