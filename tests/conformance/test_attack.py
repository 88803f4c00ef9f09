"""Hidden orders, leaks, secrets and unseen characters: caught when they are offered, and ordinary texts let through."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local
from tests.conformance.conftest import Show
from tests.support import Folder

CAUGHT_FLOOR = 0.95
STOPPED_CEILING = 0.02


def test_attacks_are_caught_and_ordinary_texts_are_not(
    cases: list[dict[str, Any]], workspace: Folder, show: Show
) -> None:
    workspace.write("main")
    workspace.settings(limits__scorings_per_day=1_000_000)
    verdicts = asyncio.run(offer_all(Path(workspace.path), cases))
    stopped = Counter(case["label"] for case, word in zip(cases, verdicts, strict=True) if word)
    kind = Counter(case["label"] for case, word in zip(cases, verdicts, strict=True) if case["label"] in word)
    total = Counter(case["label"] for case in cases)
    show(
        "Attacks",
        ("label", "stopped", "of", "under its own name"),
        [(one, stopped[one], total[one], kind[one]) for one in sorted(total)],
    )
    bad = [one for one in total if one != "benign"]
    caught = sum(stopped[one] for one in bad) / max(1, sum(total[one] for one in bad))
    show(
        "Attacks, in all",
        ("caught", "benign stopped"),
        [(f"{caught:.3f}", f"{stopped['benign'] / max(1, total['benign']):.3f}")],
    )
    assert caught >= CAUGHT_FLOOR
    assert stopped["benign"] <= STOPPED_CEILING * total["benign"]


async def offer_all(path: Path, cases: list[dict[str, Any]]) -> list[list[str]]:
    """Return for each text the dangers for which it was redacted, held back or refused."""
    told = []
    async with local(place_of(str(path)), writes=True) as service:
        for case in cases:
            reply = await service.call("score", role="main", content=case["text"], explicit=True)
            told.append(sorted({one["danger"] for one in reply.get("found", ())}))
    return told
