"""What the status tells of what is around a workspace: agents' hooks, and how git stands to its remote; nobody is asked over the network."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local
from memd.model.agents import EVENTS
from tests.flow.repositories import begun, clones
from tests.support import Folder, memd


def outside(folder: Folder, **asked: Any) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        async with local(place_of(str(folder.path)), writes=False) as service:
            return await service.call("status", **{"outside": True, **asked})

    return asyncio.run(ask())


def hooks(folder: Folder) -> dict[str, Any]:
    return {one["agent"]: one for one in outside(folder)["agents"]}


def test_how_git_stands_is_told_without_asking_anybody(tmp_path: Path) -> None:
    alone = begun(tmp_path / "alone", install=False)
    assert outside(alone)["sync"]["why"] == "no_remote"
    here, there = clones(tmp_path / "clones")
    here.sync()
    there.put("main", {"id": "1", "content": "The tea is left."})
    there.sync()
    here.put("main", {"id": "2", "content": "The ladder is gone."})
    here.commit("mine")
    found = outside(here)["sync"]
    assert (found["why"], found["ahead"], found["behind"], found["uncommitted"]) == ("", 1, 0, 0)
    assert found["heard_at"]
    here.git("fetch", "-q")
    here.put("other", {"id": "3", "content": "A new file."})
    here.put("main", {"id": "2", "content": "The ladder is back."})
    found = outside(here)["sync"]
    assert (found["ahead"], found["behind"], found["uncommitted"], found["remote"]) == (1, 1, 2, "origin")
    here.git("remote", "set-url", "origin", "/nowhere")
    assert outside(here)["sync"]["ahead"] == 1
    shown = memd("status", "-w", str(here.path)).stdout
    assert "1 ahead of origin, 1 behind, 2 files not committed" in shown
    assert "sync" not in outside(here, outside=False)


def test_a_filter_of_the_repository_is_not_run(tmp_path: Path) -> None:
    alone, ran = begun(tmp_path / "alone", install=False), tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o700)
    (alone.path / ".gitattributes").write_text("* filter=evil\n")
    alone.git("config", "filter.evil.clean", str(program))
    alone.git("config", "core.fsmonitor", str(program))
    (alone.path / "MEMORY.md").write_text("The tea is left.\n", "utf-8")
    assert outside(alone)["sync"]["uncommitted"] >= 2
    assert not ran.exists()


def test_where_there_is_no_repository_that_is_told(workspace: Folder) -> None:
    assert outside(workspace)["sync"]["why"] == "no_repository"


def test_which_agents_have_hooks_is_told_for_each(workspace: Folder, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert {one: found["state"] for one, found in hooks(workspace).items()} == dict.fromkeys(EVENTS, "none")
    for agent in ("claude", "codex", "gemini"):
        memd("hook", "install", agent, "-w", str(workspace.path))
    claude = home / ".claude/settings.json"
    found = hooks(workspace)
    assert {one: found[one]["state"] for one in EVENTS} == {
        "claude": "installed", "codex": "installed", "gemini": "installed", "vscode": "none",
    }  # fmt: skip
    assert found["claude"]["files"] == [str(claude)]
    settings = json.loads(claude.read_text("utf-8"))
    del settings["hooks"]["SessionEnd"]
    claude.write_text(json.dumps(settings))
    found = hooks(workspace)["claude"]
    assert (found["state"], found["lacking"]) == ("partly", ["SessionEnd"])
    (workspace.path / ".claude").mkdir()
    (workspace.path / ".claude/settings.json").write_text(claude.read_text("utf-8"))
    assert hooks(workspace)["claude"]["state"] == "twice"
    (home / ".codex/hooks.json").write_text("{")
    assert hooks(workspace)["codex"]["state"] == "unreadable"
    other = Folder.make(tmp_path / "other")
    found = hooks(other)["gemini"]
    assert (found["state"], found["workspaces"]) == ("elsewhere", [str(workspace.path)])
    (workspace.path / "memd.toml").unlink()
    assert hooks(other)["gemini"]["state"] == "broken"


def test_a_plugin_of_memds_brings_hooks(workspace: Folder, tmp_path: Path) -> None:
    folder = tmp_path / "home/.codex"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[plugins."memd@memd"]\nenabled = true\n')
    found = hooks(workspace)["codex"]
    assert (found["state"], found["plugin"], found["files"]) == ("installed", True, [])
