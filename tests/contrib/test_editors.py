"""What contrib/ has for editors works: in a real vim, and by VS Code's own rules on memd's real output."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memd.formats.role_reader import load
from memd.model.files import purpose_of
from tests.support import ROOT, Daemon, Folder, memd

VIM = shutil.which("vim")
VSCODE = ROOT / "contrib/vscode/.vscode"


def vim(folder: Folder, *commands: str, file: str = "memd.toml", env: dict[str, str] | None = None) -> str:
    """Run commands in a real vim that has only memd's plugin, and return what it wrote to `out`."""
    out = folder.path.parent / "out"
    program = f"let g:memd = '{Path(sys.executable).with_name('memd')}'"
    script = [program, f"set runtimepath^={ROOT / 'contrib/vim'}", "runtime plugin/memd.vim", f"edit {file}", *commands]
    (folder.path.parent / "script.vim").write_text("\n".join([*script, "qall!"]) + "\n", "utf-8")
    subprocess.run(
        [str(VIM), "-Nu", "NONE", "-es", "-n", "-S", str(folder.path.parent / "script.vim")],
        cwd=folder.path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OUT": str(out), "LC_ALL": "C.UTF-8", **(env or {})},
        timeout=60,
        check=False,
    )
    return out.read_text("utf-8") if out.exists() else ""


needs_vim = pytest.mark.skipif(VIM is None, reason="there is no vim here")


@needs_vim
def test_vim_has_every_finding_at_its_place(workspace: Folder) -> None:
    workspace.write("小美", "我喜欢绿茶。", keywords=[""])
    text = workspace.file("小美").read_text("utf-8")
    workspace.file("小美").write_text(text.replace('"traits": []', '"traits": [7]'), "utf-8")
    found = vim(
        workspace,
        "MemdCheck",
        'call writefile(map(getqflist(), \'fnamemodify(bufname(v:val.bufnr), ":.") . ":" . v:val.lnum . " " . v:val.text\'), $OUT)',
    ).splitlines()
    told = memd("check", "-w", str(workspace.path), check=False).stdout.splitlines()
    assert len(told) >= 2
    expected = [re.sub(r"^(.+?):(\d+):\d+: ", r"\1:\2 ", line) for line in told]
    assert found == expected


@needs_vim
def test_vim_remembers_searches_and_recalls(daemon: Daemon) -> None:
    env = {"MEMD_SOCKET": str(daemon.socket)}
    vim(daemon.folder, "MemdRemember 我上周搬到了厦门。", env=env)
    assert "我上周搬到了厦门。" in str(daemon.call("memory.list", role="main"))
    vim(daemon.folder, "MemdRemember --erase is what I call my goat Bertha.", env=env)
    assert "my goat Bertha" in str(daemon.call("memory.list", role="main"))
    shown = vim(daemon.folder, "MemdTrigger 我住在哪里？厦门吗", "call writefile(getline(1, '$'), $OUT)", env=env)
    assert "我上周搬到了厦门。" in shown
    shown = vim(daemon.folder, "MemdSearch 厦门", "call writefile(getline(1, '$'), $OUT)", env=env)
    assert "厦门" in shown


@needs_vim
def test_vim_reads_again_what_memd_wrote_unless_it_was_changed(workspace: Folder) -> None:
    change = "call writefile(['- 新的一行'], 'MEMORY.md')"
    look = ["sleep 1100m", change, "doautocmd CursorHold MEMORY.md", "call writefile(getline(1, '$'), $OUT)"]
    assert vim(workspace, *look, file="MEMORY.md") == "- 新的一行\n"


def test_vs_codes_matcher_reads_what_check_prints(workspace: Folder) -> None:
    workspace.write("小美", "x", keywords=[""])
    tasks = json.loads((VSCODE / "tasks.json").read_text("utf-8"))["tasks"]
    pattern = tasks[0]["problemMatcher"]["pattern"]
    ran = memd(*tasks[0]["args"][:-1], str(workspace.path), check=False)
    matches = [re.match(pattern["regexp"], line) for line in ran.stdout.splitlines()]
    assert matches
    for match in matches:
        assert match is not None
        assert (workspace.path / match[pattern["file"]]).is_file()
        assert "." in match[pattern["code"]]


def test_vs_codes_schema_task_writes_what_the_settings_name(workspace: Folder) -> None:
    shutil.copytree(VSCODE, workspace.path / ".vscode")
    command = json.loads((VSCODE / "tasks.json").read_text("utf-8"))["tasks"][2]["command"]
    program = str(Path(sys.executable).with_name("memd"))
    subprocess.run(["sh", "-c", command.replace("memd schema", f"{program} schema")], cwd=workspace.path, check=True)
    settings = json.loads((VSCODE / "settings.json").read_text("utf-8"))
    schema = json.loads((workspace.path / settings["json.schemas"][0]["url"]).read_text("utf-8"))
    assert "semantic" in schema["properties"]
    assert (workspace.path / ".vscode/settings.schema.json").stat().st_size > 1000
    assert purpose_of(".vscode/memory.schema.json") is None


def test_the_memory_snippet_is_a_memory_that_serves() -> None:
    snippet = json.loads((VSCODE / "memd.code-snippets").read_text("utf-8"))["A memory of memd"]
    text = "\n".join(snippet["body"])
    values = {"CURRENT_YEAR": "2026", "CURRENT_MONTH": "11", "CURRENT_DATE": "21", "CURRENT_HOUR": "09",
              "CURRENT_MINUTE": "30", "CURRENT_SECOND": "00"}  # fmt: skip
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    text = (
        re.sub(r"\$\{\d:([^}]*)\}", r"\1", text)
        .replace("$UUID", "0b54ba2e-3f6a-4c53-9d22-6d7ed1f2b8a1")
        .replace("$0", "")
    )
    parsed = load(f'{{"semantic": [{text}]}}'.encode(), "memory.json", "main")
    assert parsed.faults == ()
    assert parsed.entries[0].memory.keys == ("a key that wakes it",)
