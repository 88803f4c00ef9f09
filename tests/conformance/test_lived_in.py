"""Roles that only grow: each memory is told where all before it is known, and none of it ends anything."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from memd.config import place_of
from memd.daemon import local
from tests.bench.observations import embedded
from tests.conformance.asked import EMBEDDERS
from tests.conformance.conftest import Show
from tests.conformance.offered import begin
from tests.support import ROOT, Folder

HELD = ROOT / "tools" / "training" / "sets" / "held_recall.jsonl"
WRONG, PARTED = 0.025, 0.06  # of what is told, what ends something; what ends something or stands in conflict with it
EACH = 2  # of a role's memories, each second is told where all before it is known


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_somebody_tells_of_their_life_ends_nothing_of_it(
    workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    roles = [json.loads(line) for line in HELD.read_text("utf-8").splitlines()]
    told = ended = parted = 0
    for role in roles:
        texts = [one["text"] for one in role["memories"]]
        name = role["role"].replace("_", "-")
        workspace.write(name, *texts)
        for verdict in asyncio.run(_told(Path(workspace.path), name, texts)):
            told += 1
            ended += verdict == "contradiction"
            parted += verdict in ("contradiction", "conflict")
    title = f"What is told in roles that only grow, {embedder}"
    show(title, ("told", "ends something", "or conflicts"), [(told, f"{ended / told:.3f}", f"{parted / told:.3f}")])
    assert ended <= WRONG * told
    assert parted <= PARTED * told


async def _told(path: Path, name: str, texts: list[str]) -> list[str]:
    """Return how each second text stands to the others of its role, that text itself forgotten."""
    found = []
    async with local(place_of(str(path)), writes=True) as service:
        await embedded(service, name)
        ids = {
            one["content"]: one["id"] for one in (await service.call("memory.list", role=name, limit=200))["memories"]
        }
        for text in texts[::EACH]:
            await service.call("memory.forget", role=name, id=ids[text])
            reply = await service.call("score", role=name, content=text, explicit=True)
            relation = reply.get("relation", {})
            found.append("conflict" if reply.get("conflict") else str(relation.get("is", "")))
            await service.call("memory.restore", role=name, id=ids[text])
    return found
