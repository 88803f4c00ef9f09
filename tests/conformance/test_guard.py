"""Tool calls and messages: what may pass, what should be a remember, and what the remember must say."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local
from tests.conformance.conftest import Show
from tests.support import Folder

FLOOR = 0.95


def test_the_guard_rules_as_it_should(cases: list[dict[str, Any]], workspace: Folder, show: Show) -> None:
    replies = asyncio.run(check_all(Path(workspace.path), cases))
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case, reply in zip(cases, replies, strict=True):
        wanted = letters(case["remember_content"] or "")
        told = letters(" ".join(one["content"] for one in reply["remember"]))
        is_right = reply["action"] == case["expect"] and wanted in told
        for key in (f"{case['kind']}: {case['expect']}", case["lang"], "all"):
            total[key] += 1
            right[key] += is_right
    show("Guard", ("of", "right", "cases"), [(key, right[key], total[key]) for key in sorted(total)])
    assert right["all"] >= FLOOR * total["all"]


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).lower()


async def check_all(path: Path, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    replies = []
    async with local(place_of(str(path)), writes=True) as service:
        for number, case in enumerate(cases):
            given = {"tool": case["tool"], "input": case["input"]} if case["tool"] else {"message": case["message"]}
            replies.append(await service.call("guard.check", session=f"s{number}", **given))
    return replies
