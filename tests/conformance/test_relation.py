"""How a new statement stands to an old one: what remember makes of pairs, in a real workspace."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local
from tests.conformance.conftest import Show
from tests.support import Folder

FLOOR = 0.75
PRECISION_FLOOR = 0.95  # a false merge is the worst error
MEANS = {
    "duplicate": "duplicate",
    "superseding": "contradiction",
    "refined": "refinement",
    "stored": "unrelated",
    "redacted": "unrelated",
}


def test_pairs_are_joined_as_a_person_would(cases: list[dict[str, Any]], workspace: Folder, show: Show) -> None:
    for number, case in enumerate(cases):
        workspace.write(f"case-{number}", case["old"])
    workspace.settings(limits__scorings_per_day=1_000_000)
    told = asyncio.run(offer_all(Path(workspace.path), cases))
    pairs = Counter((case["relation"], is_) for case, is_ in zip(cases, told, strict=True))
    rows = []
    precision = {}
    for name in ("duplicate", "contradiction", "refinement", "unrelated"):
        said = sum(count for (_, is_), count in pairs.items() if is_ == name)
        meant = sum(count for (relation, _), count in pairs.items() if relation == name)
        precision[name] = pairs[name, name] / said if said else 1.0
        rows.append((name, f"{precision[name]:.3f}", f"{pairs[name, name] / max(1, meant):.3f}", meant))
    right = sum(count for (relation, is_), count in pairs.items() if relation == is_)
    by_language = Counter(case["lang"] for case in cases)
    share = Counter(case["lang"] for case, is_ in zip(cases, told, strict=True) if case["relation"] == is_)
    show("Relations", ("relation", "precision", "recall", "pairs"), rows)
    show(
        "Relations, overall",
        ("of", "accuracy"),
        [
            *((one, f"{share[one] / by_language[one]:.3f}") for one in sorted(by_language)),
            ("all", f"{right / len(cases):.3f}"),
        ],
    )
    assert right >= FLOOR * len(cases)
    assert precision["duplicate"] >= PRECISION_FLOOR
    assert precision["contradiction"] >= PRECISION_FLOOR


async def offer_all(path: Path, cases: list[dict[str, Any]]) -> list[str]:
    told = []
    async with local(place_of(str(path)), writes=True) as service:
        for number, case in enumerate(cases):
            reply = await service.call("remember", role=f"case-{number}", content=case["new"], explicit=True)
            told.append(MEANS.get(reply["verdict"], reply["verdict"]))
    return told
