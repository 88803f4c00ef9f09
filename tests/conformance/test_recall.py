"""What a message brings to mind, in a running workspace: recall by kind of question, and what must not come."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local
from tests.conformance.conftest import Show
from tests.support import Folder

ARRAYS = {"episodic": "episodic", "semantic": "semantic", "trait": "traits", "goal": "goals"}
FLOORS = {"lex": 0.90, "short": 0.90, "time": 0.85, "emo": 0.60}
MIXED_FLOOR = 0.90  # together with the other lexical kinds: there are four such messages
IRRELEVANT_CEILING = 0.05
CLEAN_FLOOR = 0.85


def test_the_right_memories_come_and_the_wrong_ones_stay(
    cases: list[dict[str, Any]], workspace: Folder, show: Show
) -> None:
    for number, case in enumerate(cases):
        write_role(Path(workspace.path) / "roles" / f"case-{number}", case["memories"])
    hit: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str]] = Counter()
    told: Counter[str] = Counter()
    asyncio.run(ask_all(Path(workspace.path), cases, hit, asked, told))
    languages = sorted({case["lang"] for case in cases})
    kinds = sorted({kind for _, kind in asked if asked[_, kind]})
    rows = [
        (kind, *(share(hit[one, kind], asked[one, kind]) for one in languages), share_of(hit, asked, kind))
        for kind in kinds
    ]
    show("Recall", ("kind", *languages, "all"), rows)
    irrelevant = told["irrelevant"] / told["messages"]
    clean = told["clean"] / max(1, told["none"])
    show(
        "Wrong ones",
        ("irrelevant a message", "nothing where nothing is relevant"),
        [(f"{irrelevant:.3f}", f"{clean:.2f}")],
    )
    for kind, floor in FLOORS.items():
        if kind in kinds:
            assert ratio(hit, asked, (kind,)) >= floor, kind
    assert ratio(hit, asked, ("lex", "short", "mixed")) >= MIXED_FLOOR
    assert irrelevant <= IRRELEVANT_CEILING
    assert clean >= CLEAN_FLOOR


def write_role(folder: Path, memories: list[dict[str, Any]]) -> None:
    arrays: dict[str, list[dict[str, Any]]] = {name: [] for name in ARRAYS.values()}
    for memory in memories:
        arrays[ARRAYS[memory["kind"]]].append({key: value for key, value in memory.items() if key != "kind"})
    folder.mkdir(parents=True)
    (folder / "memory.json").write_text(json.dumps({"characterUuid": "", **arrays}, ensure_ascii=False), "utf-8")


async def ask_all(
    path: Path,
    cases: list[dict[str, Any]],
    hit: Counter[tuple[str, str]],
    asked: Counter[tuple[str, str]],
    told: Counter[str],
) -> None:
    async with local(place_of(str(path)), writes=False) as service:
        for number, case in enumerate(cases):
            for query in case["queries"]:
                reply = await service.call("trigger", role=f"case-{number}", message=query["message"], now=query["now"])
                came = {one["id"] for one in reply["activated"]}
                relevant = set(query["relevant"])
                hit[case["lang"], query["note"]] += len(relevant & came)
                asked[case["lang"], query["note"]] += len(relevant)
                told["messages"] += 1
                told["irrelevant"] += len(came & set(query["irrelevant"]))
                if not relevant:
                    told["none"] += 1
                    told["clean"] += not came


def share(hits: int, of: int) -> str:
    return f"{hits / of:.2f} ({hits}/{of})" if of else "-"


def share_of(hit: Counter[tuple[str, str]], asked: Counter[tuple[str, str]], kind: str) -> str:
    return share(sum(hit[key] for key in hit if key[1] == kind), sum(asked[key] for key in asked if key[1] == kind))


def ratio(hit: Counter[tuple[str, str]], asked: Counter[tuple[str, str]], kinds: tuple[str, ...]) -> float:
    of = sum(asked[key] for key in asked if key[1] in kinds)
    return sum(hit[key] for key in hit if key[1] in kinds) / of if of else 1.0
