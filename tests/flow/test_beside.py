"""What agents keep beside memd and what memd remembers: doctor names what is against it or twice, with file and line; import reads it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import Folder, memd

MEMORY = "---\nname: d\ndescription: d\nmetadata:\n  type: project\n---\n\n{}\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A checkout in which somebody works."""
    path = tmp_path / "shop"
    path.mkdir()
    subprocess.run(["git", "init", "--quiet", path], check=True)
    return path.resolve()


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def beside(folder: Folder, here: Path) -> list[dict[str, Any]]:
    told = memd("doctor", "--json", "-w", str(folder.path), cwd=here, check=False)
    return [one for one in json.loads(told.stdout)["checks"] if one["name"] == "beside"]


def home() -> Path:
    return Path(os.environ["HOME"])


def slug(path: Path) -> str:
    return "".join(one if one.isascii() and one.isalnum() else "-" for one in str(path))


def test_doctor_names_what_is_against_a_memory_and_what_is_there_twice(workspace: Folder, shop: Path) -> None:
    workspace.write("main", "We deploy the shop with Kubernetes.", "Run make check before every commit.", "I use vim.")
    against = put(home() / ".claude/projects" / slug(shop) / "memory/deploy.md", MEMORY.format("We deploy the shop with Nomad, never by hand."))  # fmt: skip
    twice = put(shop / "CLAUDE.md", "# Shop\n\n- Lines have 100 characters.\n- Run `make check` before every commit.\n")
    ended = put(home() / ".gemini/GEMINI.md", "## Gemini Added Memories\n- I no longer use vim.\n")
    inside = shop / "src"
    inside.mkdir()
    seen = {one["seen"].partition(": ")[0]: one for one in beside(workspace, inside)}
    assert set(seen) == {f"{against}:8", f"{twice}:4", f"{ended}:2"}
    assert "contradicts memory id-00000 of main" in seen[f"{against}:8"]["seen"]
    assert "says the same as memory id-00001 of main" in seen[f"{twice}:4"]["seen"]
    assert "contradicts memory id-00002 of main" in seen[f"{ended}:2"]["seen"]
    assert {one["state"] for one in seen.values()} == {"warn"}
    assert "`memd show main id-00000`" in seen[f"{against}:8"]["do"]


def test_in_chinese_what_may_be_against_a_memory_is_named(workspace: Folder, shop: Path) -> None:
    workspace.write("main", "我住在上海。", "每次提交前运行全部测试。")
    path = put(shop / "AGENTS.md", "- 我住在杭州。\n- 每次提交前运行全部测试\n")
    seen = {one["seen"].partition(": ")[0]: one["seen"] for one in beside(workspace, shop)}
    assert "says the same as memory id-00001" in seen[f"{path}:2"]


def test_where_nothing_is_against_it_doctor_says_so_and_the_workspaces_own_page_counts_for_nothing(
    workspace: Folder, shop: Path
) -> None:
    workspace.write("main", "Run make check before every commit.")
    put(workspace.path / "CLAUDE.md", "Run make check before every commit.\n")
    assert [one["state"] for one in beside(workspace, workspace.path)] == ["skip"]
    put(shop / "GEMINI.md", "Lines have 100 characters.\n")
    (shop / "CLAUDE.md").symlink_to(shop / "GEMINI.md")
    rows = beside(workspace, shop)
    assert [one["state"] for one in rows] == ["ok"]
    assert "1 statement in 1 file" in rows[0]["seen"]


def test_a_files_text_reaches_no_terminal_as_it_is(workspace: Folder, shop: Path) -> None:
    workspace.write("main", "Run make check before every commit.")
    put(shop / "CLAUDE.md", "Run make check before every commit.\x1b\x07\n")
    told = memd("doctor", "-w", str(workspace.path), cwd=shop, check=False).stdout
    assert "says the same" in told
    assert "\x1b" not in told


def test_the_plan_of_an_import_says_what_is_against_a_memory(workspace: Folder, shop: Path) -> None:
    workspace.write("main", "We deploy the shop with Kubernetes.")
    file = put(shop / "AGENTS.md", "# Shop\n\n- 提交信息用中文写。\n- We deploy the shop with Nomad, never by hand.\n")
    words = ("import", str(file), "--dry-run", "-w", str(workspace.path))
    [one] = json.loads(memd(*words, "--json").stdout)["beside"]
    assert (one["file"], one["line"], one["is"], one["role"], one["id"]) == (
        str(file),
        4,
        "contradicts",
        "main",
        "id-00000",
    )
    assert (
        f"{file}:4: “We deploy the shop with Nomad, never by hand.” contradicts memory id-00000" in memd(*words).stdout
    )


def test_import_reads_them_with_a_plan_and_takes_it_back(workspace: Folder, shop: Path) -> None:
    workspace.write("main", "Run make check before every commit.")
    folder = home() / ".claude/projects" / slug(shop) / "memory"
    put(folder / "deploy.md", MEMORY.format("We deploy the shop with Nomad."))
    put(folder / "MEMORY.md", "- [Deploy](deploy.md) — how\n")
    put(shop / "CLAUDE.md", "- Run `make check` before every commit.\n- 提交信息用中文写。\n")
    words = ("--json", "-w", str(workspace.path))
    plan = json.loads(memd("import", str(folder), "--dry-run", *words).stdout)
    assert (plan["taken"], plan["refused"]) == (1, 0)
    assert workspace.contents("main") == ["Run make check before every commit."]
    memd("import", str(folder), *words)
    done = json.loads(memd("import", str(shop / "CLAUDE.md"), *words, check=False).stdout)
    assert [one["text"] for one in done["files"][0]["taken"]] == ["提交信息用中文写。"]
    assert done["files"][0]["refused"][0]["why"] == "duplicate"
    records = {one["content"]: one["tags"] for one in workspace.records("main") if "tags" in one}
    assert records == {"We deploy the shop with Nomad.": ["project"], "提交信息用中文写。": ["instructions"]}
    memd("import", "--undo", done["import_id"], *words)
    assert "提交信息用中文写。" not in workspace.contents("main")
