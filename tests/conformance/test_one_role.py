"""A change is told where a whole role is known: it ends what it is about, and nothing else that the role holds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import local
from tests.bench.observations import embedded
from tests.conformance.asked import EMBEDDERS, PACKAGED
from tests.conformance.conftest import Show
from tests.conformance.offered import begin
from tests.support import ROOT, Folder

HELD = ROOT / "tools" / "training" / "sets" / "held_states.jsonl"
# Of the changes, those that end what they change; of all that is told, what ends another thing.
FOUND, WRONG = 0.15, 0.14


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_reads_like_a_change_ends_nothing_else_of_a_role(
    workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    rows = [json.loads(line) for line in HELD.read_text("utf-8").splitlines()]
    for voice in {one["voice"] for one in rows}:
        workspace.write(voice, *(one["old"] for one in rows if one["voice"] == voice))
    ended = asyncio.run(_ended(Path(workspace.path), rows))
    changes = sum(one["relation"] == "contradiction" for one in rows)
    right = sum(was == one["old"] for was, one in zip(ended, rows, strict=True) if one["relation"] == "contradiction")
    wrong = sum(was not in ("", one["old"]) for was, one in zip(ended, rows, strict=True))
    title = f"What is told in roles of 40 to 60 memories, {embedder}"
    show(title, ("found", "ends another"), [(f"{right / changes:.3f}", f"{wrong / len(rows):.3f}")])
    assert wrong <= WRONG * len(rows)
    if embedder == PACKAGED:
        assert right >= FOUND * changes


async def _ended(path: Path, rows: list[dict[str, Any]]) -> list[str]:
    """Return of each new statement the text of the memory that it would end, "" where there is none."""
    ended = []
    async with local(place_of(str(path)), writes=True) as service:
        for voice in {one["voice"] for one in rows}:
            await embedded(service, voice)
        for one in rows:
            reply = await service.call("score", role=one["voice"], content=one["new"], explicit=True)
            relation = reply.get("relation", {})
            gone = relation["to"] if relation.get("is") == "contradiction" else ""
            ended.append((await service.call("memory.get", role=one["voice"], id=gone))["content"] if gone else "")
    return ended
