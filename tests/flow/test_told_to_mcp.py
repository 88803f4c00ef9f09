"""What a model is told over the Model Context Protocol was looked at: every tool, resource and prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra memdaemon[mcp] is not installed")

from mcp import Client

from memd.cli.serving import Reach
from memd.doors.mcp.http import MemoryServer
from tests.flow.test_told import hostile, is_safe
from tests.support import Daemon

TOOLS: dict[str, list[dict[str, Any]]] = {
    "memory_trigger": [{"message": "kiln 窑 hot", "role": "main", "explain": True}],
    "memory_about": [{"role": "main"}, {"subject": "kiln", "role": "main"}],
    "memory_search": [{"query": "kiln", "role": "main", "limit": 50}, {"query": "instructions", "role": "*"}],
    "memory_get": [{"id": f"bad-{one}", "role": "main", "history": True} for one in ("order", "key", "history", "name")],
    "memory_list": [{"role": "main", "limit": 100}, {"role": "main", "forgotten": True}],
    "memory_review": [{"role": "*"}, {"role": "main"}],
    "memory_snapshot": [{}],
    "session_search": [{"query": "instructions"}, {"session": "talk"}, {"session": "talk", "around": "1"}, {}],
    "memory_remember": [{"content": "The kiln is hot.", "role": "main", "explicit": True}],
    "memory_update": [{"id": "bad-order", "role": "main", "priority": 60}],
    "memory_forget": [{"id": "bad-hidden", "role": "main"}],
}  # fmt: skip


@pytest.fixture
def cloned(tmp_path: Path, short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    """A daemon of a workspace that brings orders, hidden characters and secrets."""
    daemon = Daemon(hostile(tmp_path / "m", apart=False), short_dir / "s")
    daemon.start()
    monkeypatch.setenv("MEMD_SOCKET", str(daemon.socket))
    yield daemon
    daemon.stop()


def test_no_tool_resource_or_prompt_tells_a_model_what_may_not_stand_in_a_prompt(cloned: Daemon) -> None:
    async def look() -> None:
        async with Client(MemoryServer(Reach(str(cloned.folder.path), starts=False))) as model:
            assert {one.name for one in (await model.list_tools()).tools} == TOOLS.keys()
            for name, calls in TOOLS.items():
                for given in calls:
                    told = await model.call_tool(name, given)
                    assert is_safe([told.structured_content, *(part.model_dump() for part in told.content)]), (
                        name,
                        told,
                    )
            addresses = [str(one.uri) for one in (await model.list_resources()).resources]
            assert "memd://roles/main/memories" in addresses
            for uri in addresses:
                assert is_safe((await model.read_resource(uri)).model_dump()), uri
            recalled = await model.get_prompt("recall", {"message": "kiln 窑", "role": "main"})
            assert is_safe(recalled.model_dump())
            reviewed = await model.get_prompt("review_session", {"session": "talk", "role": "main"})
            assert is_safe(reviewed.model_dump())

    asyncio.run(look())
