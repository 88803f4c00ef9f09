"""What a sensible person would keep, offered without instruction: by language and by kind of text, in a real workspace."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local
from tests.conformance.conftest import Show
from tests.support import Folder

FLOOR = 0.85
SHORT_FLOOR = 0.85  # of short statements that must be kept


def test_the_gate_keeps_what_a_person_would_keep(cases: list[dict[str, Any]], workspace: Folder, show: Show) -> None:
    for number, case in enumerate(cases):
        workspace.write(f"case-{number}", *case["context"].get("existing", ()))
    workspace.settings(limits__scorings_per_day=1_000_000)
    kept = asyncio.run(offer_all(Path(workspace.path), cases))
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    signs: Counter[tuple[str, bool, bool]] = Counter()
    for case, is_kept in zip(cases, kept, strict=True):
        for key in (case["category"], "all"):
            total[key] += 1
            right[key] += is_kept == case["keep"]
        for lang in (case["lang"], "all"):
            signs[lang, case["keep"], is_kept] += 1
    languages = sorted({lang for lang, _, _ in signs})
    show("Gate", ("of", "accuracy", "precision", "recall", "cases"), [figures(signs, lang) for lang in languages])
    show("Gate, by kind", ("of", "right", "cases"), [(key, right[key], total[key]) for key in sorted(total)])
    assert right["all"] >= FLOOR * total["all"]
    short = [n for n, case in enumerate(cases) if case["keep"] and len(case["text"].encode()) < 60]
    assert sum(kept[n] for n in short) >= SHORT_FLOOR * len(short)


def figures(signs: Counter[tuple[str, bool, bool]], lang: str) -> tuple[str, ...]:
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


async def offer_all(path: Path, cases: list[dict[str, Any]]) -> list[bool]:
    kept = []
    async with local(place_of(str(path)), writes=True) as service:
        for number, case in enumerate(cases):
            (path / "USER.md").write_text(case["context"].get("user_md", "") + "\n", "utf-8")
            given = {"role": f"case-{number}", "content": case["text"], "source": case["source"]}
            reply = await service.call("remember", **given)
            kept.append(reply["stored"])
    return kept
