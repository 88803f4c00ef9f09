"""Labelled texts offered to a running workspace: what was kept, and how each was taken to stand to what was known."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import local
from tests.conformance.asked import embed_with
from tests.conformance.conftest import Show
from tests.support import Folder

MEANS = {
    "duplicate": "duplicate",
    "superseding": "contradiction",
    "refined": "refinement",
    "stored": "unrelated",
    "redacted": "unrelated",
}
CONFLICT = "conflict"
RELATIONS = ("duplicate", "contradiction", "refinement", "unrelated")


def begin(workspace: Folder, embedder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a workspace judge with a model, or by words alone."""
    embed_with(embedder, workspace, monkeypatch)
    workspace.settings(limits__scorings_per_day=1_000_000)


def keep_all(cases: Sequence[dict[str, Any]], workspace: Folder) -> list[bool]:
    """Offer every text to a role of its own; return which were kept."""
    for number, case in enumerate(cases):
        workspace.write(f"case-{number}", *case["context"].get("existing", ()))
    return asyncio.run(_offered(Path(workspace.path), cases))


async def _offered(path: Path, cases: Sequence[dict[str, Any]]) -> list[bool]:
    kept = []
    async with local(place_of(str(path)), writes=True) as service:
        for number, case in enumerate(cases):
            (path / "USER.md").write_text(case["context"].get("user_md", "") + "\n", "utf-8")
            given = {"role": f"case-{number}", "content": case["text"], "source": case["source"]}
            kept.append((await service.call("remember", **given))["stored"])
    return kept


def told_of_gate(cases: Sequence[dict[str, Any]], kept: Sequence[bool], show: Show, title: str) -> Counter[str]:
    """Print what was kept by language and by category; return how many were right, wrongly kept and missed."""
    signs: Counter[tuple[str, bool, bool]] = Counter()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case, is_kept in zip(cases, kept, strict=True):
        total[case["category"]] += 1
        right[case["category"]] += is_kept == case["keep"]
        for lang in (case["lang"], "all"):
            signs[lang, case["keep"], is_kept] += 1
    rows = [figures(signs, lang) for lang in sorted({lang for lang, _, _ in signs})]
    show(title, ("of", "accuracy", "precision", "recall", "cases"), rows)
    show(f"{title}, by kind", ("of", "right", "cases"), [(key, right[key], total[key]) for key in sorted(total)])
    return Counter(
        right=signs["all", True, True] + signs["all", False, False],
        hits=signs["all", True, True],
        kept=signs["all", True, True] + signs["all", False, True],
        wanted=signs["all", True, True] + signs["all", True, False],
    )


def figures(signs: Counter[tuple[str, bool, bool]], lang: str) -> tuple[str, ...]:
    """Return a row of a table on the gate."""
    hit, miss = signs[lang, True, True], signs[lang, True, False]
    false, quiet = signs[lang, False, True], signs[lang, False, False]
    whole = hit + miss + false + quiet
    return (
        lang,
        f"{(hit + quiet) / whole:.3f}",
        f"{hit / max(1, hit + false):.3f}",
        f"{hit / max(1, hit + miss):.3f}",
        str(whole),
    )


def relate_all(cases: Sequence[dict[str, Any]], workspace: Folder) -> list[str]:
    """Offer the newer of each pair where the older is known; return what was made of it, a conflict by its name."""
    for number, case in enumerate(cases):
        workspace.write(f"case-{number}", case["old"])
    return asyncio.run(_related(Path(workspace.path), cases))


async def _related(path: Path, cases: Sequence[dict[str, Any]]) -> list[str]:
    told = []
    async with local(place_of(str(path)), writes=True) as service:
        for number, case in enumerate(cases):
            reply = await service.call("remember", role=f"case-{number}", content=case["new"], explicit=True)
            is_ = MEANS.get(reply["verdict"], reply["verdict"])
            told.append(CONFLICT if is_ == "unrelated" and reply.get("conflict") else is_)
    return told


def told_of_relations(
    cases: Sequence[dict[str, Any]], told: Sequence[str], show: Show, title: str
) -> tuple[float, dict[str, tuple[float, float]], Counter[tuple[str, str]]]:
    """Print what was made of pairs; return accuracy, precision and recall of each relation, and the pairs by both."""
    pairs = Counter((case["relation"], is_) for case, is_ in zip(cases, told, strict=True))
    found: dict[str, tuple[float, float]] = {}
    for name in RELATIONS:
        names = (name, CONFLICT) if name == "unrelated" else (name,)
        hits = sum(pairs[name, one] for one in names)
        said = sum(count for (_, is_), count in pairs.items() if is_ in names)
        meant = sum(count for (relation, _), count in pairs.items() if relation == name)
        found[name] = (hits / said if said else 1.0, hits / max(1, meant))
    rows = [(name, *(f"{one:.3f}" for one in found[name])) for name in RELATIONS]
    show(title, ("relation", "precision", "recall"), rows)
    right = sum(
        count
        for (relation, is_), count in pairs.items()
        if relation == is_ or (relation == "unrelated" and is_ == CONFLICT)
    )
    changes = sum(count for (relation, _), count in pairs.items() if relation == "contradiction")
    apart = sum(count for (relation, _), count in pairs.items() if relation == "unrelated")
    seen = pairs["contradiction", "contradiction"] + pairs["contradiction", CONFLICT]
    show(
        f"{title}, overall",
        ("accuracy", "changes superseded or in conflict", "unrelated in conflict"),
        [
            (
                f"{right / len(cases):.3f}",
                f"{seen / max(1, changes):.3f}",
                f"{pairs['unrelated', CONFLICT] / max(1, apart):.3f}",
            )
        ],
    )
    return right / len(cases), found, pairs
