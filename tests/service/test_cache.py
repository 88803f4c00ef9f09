"""The token cache: a faster start with the same answers, and never trusted blindly."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.formats.token_cache import TokenCache, dump_cache, load_cache
from memd.service.opening import open_workspace
from tests.support import Folder


def answer(folder: Folder, cache: Path) -> list[tuple[str, float]]:
    async def run() -> list[tuple[str, float]]:
        workspace = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, cache_dir=str(cache))
        workspace.save_cache()
        reply: dict[str, Any] = await Local(workspace, service_of(workspace, Place(str(folder.path), "", ""))).call(
            "trigger", role="nora", message="kiln glaze tomasz shop", now="2026-11-21T00:00:00Z"
        )
        await workspace.close()
        return [(one["id"], one["score"]) for one in reply["activated"]]

    return asyncio.run(run())


def test_answers_are_the_same_with_a_cold_a_warm_and_a_damaged_cache(workspace: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"
    cold = answer(workspace, cache)
    files = sorted(cache.iterdir())
    assert files
    assert answer(workspace, cache) == cold
    for damage in (b"", b"rubbish", files[0].read_bytes()[:-5], bytes(100)):
        for path in files:
            path.write_bytes(damage)
        assert answer(workspace, cache) == cold


def test_a_cache_directory_that_others_may_write_is_not_read(workspace: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"
    cold = answer(workspace, cache)
    for path in cache.iterdir():
        path.write_bytes(dump_cache(TokenCache(terms={b"x": (["lie"], [1.0])})))
    cache.chmod(0o777)
    assert answer(workspace, cache) == cold


@pytest.mark.parametrize("data", [b"", b"x" * 31, b"x" * 64])
def test_bytes_that_are_no_cache_are_an_empty_one(data: bytes) -> None:
    assert load_cache(data).terms == {}
