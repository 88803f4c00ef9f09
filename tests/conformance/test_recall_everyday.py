"""What everyday questions bring to mind, asked plainly, in other words, a step away, in the other language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.asked import EMBEDDERS, PACKAGED, ask_all
from tests.conformance.conftest import Show
from tests.support import Folder

FLOORS = {"direct": 0.87, "para": 0.54, "infer": 0.44, "cross": 0.64, "time": 0.72}
FLOORS_BY_WORDS = {"direct": 0.70, "infer": 0.25, "time": 0.50}
IRRELEVANT_CEILING, EMPTY_FLOOR = 0.06, 0.80
SIZES, APART = (1, 2, 3, 10), 0.05  # memories of a role, and how far apart what is found in them may be


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_everyday_questions_find_what_they_want(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = ask_all(cases, workspace, embedder, monkeypatch)
    figures.told(show, f"Everyday questions, {embedder}")
    for kind, floor in (FLOORS if embedder == PACKAGED else FLOORS_BY_WORDS).items():
        assert figures.share(kind) >= floor, kind
    assert figures.irrelevant_a_message <= IRRELEVANT_CEILING
    assert figures.stay_empty >= EMPTY_FLOOR


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_role_of_one_memory_is_judged_as_one_of_ten(
    cases: list[dict[str, Any]], tmp_path: Path, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}
    for size in SIZES:
        workspace = Folder.make(tmp_path / str(size), demo=False)
        found[size] = ask_all(list(of_size(cases, size)), workspace, embedder, monkeypatch).share("direct")
    show(
        f"Asked plainly of small roles, {embedder}",
        ("memories", "found"),
        [(str(n), f"{one:.3f}") for n, one in found.items()],
    )
    assert max(found.values()) - min(found.values()) <= APART


def of_size(cases: Iterable[dict[str, Any]], size: int) -> Iterator[dict[str, Any]]:
    """Yield each plain question with a role of its own: what it wants, and the first others there."""
    for case in cases:
        for query in case["queries"]:
            wanted = {*query["relevant"]}
            if query["note"] == "direct" and len(wanted) == 1:
                others = [one for one in case["memories"] if one["id"] not in wanted][: size - 1]
                held = [one for one in case["memories"] if one["id"] in wanted]
                yield {**case, "memories": [*held, *others], "queries": [query]}
