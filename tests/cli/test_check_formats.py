"""memd check's ways to print, its look for secrets, and the hooks for pre-commit that use both."""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from memd.cli.check_formats import for_github, with_source
from memd.service.care.check_closely import _paragraphs, secrets_in
from tests.support import ROOT, Folder, memd

pytestmark = pytest.mark.demo

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xC0fL3nR6"
HOOKS = {one["id"]: one for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}


def put(path: Path, data: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def finding(path: Path, line: int, column: int, **more: Any) -> dict[str, Any]:
    given = {"severity": "error", "code": "json.syntax", "message": "wrong", "file": path.name, "fixable": False}
    return {**given, "path": str(path), "line": line, "column": column, **more}


@pytest.mark.parametrize(
    ("data", "line", "column", "wanted"),
    [
        ("{\n bad\n}", 2, 2, ["     2 |  bad", "       |  ^"]),
        ("喝咖啡 x", 1, 5, ["     1 | 喝咖啡 x", "       |        ^"]),
        ("a\tb\x1b[c", 1, 4, ["     1 | a b·[c", "       |    ^"]),
        ("cafe\u0301 x", 1, 7, ["     1 | cafe\u0301 x", "       |      ^"]),
        ("x" * 300 + "!" + "y" * 300, 1, 301, ["     1 | …" + "x" * 40 + "!" + "y" * 59 + "…", "       | " + " " * 41 + "^"]),
        (b"\xef\xbb\xbfab", 1, 2, ["     1 | ab", "       |  ^"]),
        ("one\r\ntwo\r\n", 1, 4, ["     1 | one", "       |    ^"]),
        ("short", 1, 99, ["     1 | short", "       |      ^"]),
        ("\n\n", 1, 1, []),
        ("one", 9, 1, []),
    ],
)  # fmt: skip
def test_the_mark_stands_below_what_is_meant(
    tmp_path: Path, data: bytes | str, line: int, column: int, wanted: list[str]
) -> None:
    path = put(tmp_path / "f.json", data)
    shown = list(with_source([finding(path, line, column)]))
    assert shown == [f"f.json:{line}:{column}: json.syntax wrong", *wanted]


def test_text_shows_the_source_and_a_file_that_is_gone_shows_none(workspace: Folder, tmp_path: Path) -> None:
    put(workspace.file("阿远"), '{"semantic": [\n  {"content": "喝美式",}\n]}')
    done = memd("check", "--format", "text", "-w", str(workspace.path), check=False)
    head, source, mark = done.stdout.splitlines()
    assert head.startswith("roles/阿远/memory.json:2:")
    assert source == '     2 |   {"content": "喝美式",}'
    assert mark.rstrip("^").strip() == "|"
    assert done.returncode == 1
    assert list(with_source([finding(tmp_path / "gone", 1, 1)])) == ["gone:1:1: json.syntax wrong"]


def test_annotations_are_escaped_as_github_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    path = tmp_path / "a, b: 100%" / "记忆.md"
    told = [
        finding(path, 3, 4, message="50% of\r\n::error::\x1b[2J", code="text.nul"),
        finding(path, 1, 1, severity="warning"),
        finding(path, 1, 1, severity="note"),
        finding(Path("/elsewhere/x.md"), 1, 1, file="x.md"),
    ]
    name = "a%2C b%3A 100%25/记忆.md"
    assert list(for_github(told)) == [
        f"::error file={name},line=3,col=4,title=text.nul::50%25 of%0D%0A::error::",
        f"::warning file={name},line=1,col=1,title=json.syntax::wrong",
        f"::notice file={name},line=1,col=1,title=json.syntax::wrong",
        "::error file=x.md,line=1,col=1,title=json.syntax::wrong",
    ]


def test_json_and_concise_are_as_they_were(workspace: Folder) -> None:
    put(workspace.path / "notes/a.md", b"a\0b")
    where = ("-w", str(workspace.path))
    shown = [
        json.loads(memd("check", *form, *where, check=False).stdout) for form in (("--json",), ("--format", "json"))
    ]
    assert shown[0] == shown[1]
    assert set(shown[0]["findings"][0]) == {"file", "line", "column", "code", "severity", "message", "fixable"}
    lines = [memd("check", *form, *where, check=False).stdout for form in ((), ("--format", "concise"))]
    assert lines[0] == lines[1] == f"notes/a.md:1:2: text.nul {shown[0]['findings'][0]['message']}\n"


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("page.md", f"# 笔记\n\nThe token is {KEY}.\n", [(3, 14)]),
        ("page.md", "The wallet is brown.\n\nladder river candle bottle window garden pencil basket hammer mirror carpet button\n", []),
        ("s.jsonl", '{"n":1}\n{"content":"my key:\\n' + KEY + '"}\n', [(2, 22)]),
        ("m.json", '{\n  "content": "' + "密码".encode("unicode_escape").decode() + '\\uff1a Tr0ub4dor&3xZ"\n}', [(2, 34)]),
        ("m.json", '{"content": "我的密码是 Tr0ub4dor&3xZ"}', [(1, 20)]),
        ("m.json", '{"path": "C:\\\\new\\\\table", "digest": "' + "a1" * 32 + '"}', []),
        ("page.md", "We agreed to meet at the bakery. 我们约在面包店见面。\n", []),
        ("m.json", '{\n  "password":\n    "Tr0ub4dor&3xZ"\n}', [(3, 6)]),
        ("m.json", '{\n  "密码"\n  : "Tr0ub4dor&3xZ"\n}', [(3, 6)]),
        ("pem.md", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n", [(1, 1)]),
    ],
)  # fmt: skip
def test_secrets_are_found_at_their_place(name: str, text: str, places: list[tuple[int, int]]) -> None:
    assert [(one.line, one.column) for one in secrets_in(name, text.encode())] == places


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_tells_how_a_text_is_read(encoding: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    data = mark + f"one\n令牌：{KEY}\n".encode(encoding)
    assert [(one.line, one.column) for one in secrets_in("a.txt", data)] == [(2, 4)]


def test_a_long_text_without_blank_lines_is_looked_at_once_and_not_once_for_each_block() -> None:
    text = "\n".join(["kiln"] * 3_000_000)
    parts = _paragraphs(text)
    begun_s = time.process_time()
    stops = [stop for _, stop in parts]
    assert stops[-1] == len(text)
    assert time.process_time() - begun_s < 2.0


def test_a_binary_file_holds_no_text() -> None:
    assert secrets_in("a.md", b"\0" + KEY.encode()) == []


def test_a_secret_is_told_by_kind_and_place_and_never_itself(tmp_path: Path) -> None:
    put(tmp_path / "sessions/2026-03/s.jsonl", json.dumps({"content": f"token {KEY}"}))
    put(tmp_path / "clean.md", "nothing here")
    (tmp_path / "link.md").symlink_to("clean.md")
    files = ("sessions/2026-03/s.jsonl", "clean.md", "link.md")
    for form in ("concise", "text", "github", "json"):
        done = memd("check", "--secrets", "--format", form, *files, cwd=tmp_path, check=False)
        assert done.returncode == 1
        assert "secret.found" in done.stdout
        assert "(github)" in done.stdout
        assert KEY[:8] not in done.stdout + done.stderr
    assert memd("check", "--secrets", "clean.md", cwd=tmp_path).returncode == 0
    os.mkfifo(tmp_path / "管道")
    for odd in ("none.md", "link.md", "管道"):
        done = memd("check", "--secrets", "clean.md", odd, cwd=tmp_path, check=False)
        assert (done.returncode, odd in done.stderr, "rpc.discover" in done.stderr) == (65, True, False)
    assert memd("check", "--secrets", "--fix", "clean.md", cwd=tmp_path, check=False).returncode == 2


def test_without_files_all_of_the_workspace_is_looked_at_for_secrets(workspace: Folder) -> None:
    assert memd("check", "--secrets", "-w", str(workspace.path)).stdout == ""
    put(workspace.path / "notes/深/a.md", f"令牌：{KEY}")
    done = memd("check", "--secrets", "-w", str(workspace.path), check=False)
    assert done.stdout.startswith("notes/深/a.md:1:4: secret.found")


def test_a_directory_that_is_named_stands_for_all_below_it(workspace: Folder) -> None:
    put(workspace.path / "笔记/深/a.md", f"令牌：{KEY}\0")
    put(workspace.file("nora"), "{")
    for words, found in (
        (("roles",), "roles/nora/memory.json:1:2: json.syntax"), (("笔记/",), "笔记/深/a.md:1:44: text.nul"),
        ((".",), "text.nul"), (("--secrets", "笔记"), "笔记/深/a.md:1:4: secret.found"),
    ):  # fmt: skip
        put(workspace.path / "笔记/深/a.md", f"令牌：{KEY}" + ("" if "--secrets" in words else "\0"))
        done = memd("check", *words, cwd=workspace.path, check=False)
        assert (done.returncode, found in done.stdout) == (1, True), done.stdout + done.stderr


def test_a_named_file_that_is_not_looked_at_is_told(workspace: Folder) -> None:
    put(workspace.path / "备注.txt", "nothing of memd's")
    done = memd("check", "备注.txt", "MEMORY.md", cwd=workspace.path)
    assert done.stderr.splitlines() == ["备注.txt: memd takes nothing from it, not looked at", "1 file: nothing wrong"]
    done = memd("check", "没有.md", cwd=workspace.path, check=False)
    assert (done.returncode, "rpc.discover" in done.stderr) == (65, False)


def test_memd_workspace_does_not_decide_where_a_named_file_belongs(tmp_path: Path) -> None:
    Folder.make(tmp_path / "elsewhere")
    put(Folder.make(tmp_path / "记忆").file("nora"), "{")
    put(tmp_path / "README.md", "in no workspace")
    env = {"MEMD_WORKSPACE": str(tmp_path / "elsewhere")}
    done = memd("check", "README.md", "记忆/roles/nora/memory.json", cwd=tmp_path, check=False, env=env)
    assert done.stdout.startswith("记忆/roles/nora/memory.json:1:2: json.syntax")
    assert done.returncode == 1
    assert "README.md: in no workspace, not looked at" in done.stderr


def committed(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def run_hook(name: str, folder: Path) -> tuple[int, str]:
    """Do with a hook what pre-commit does: pass the files that its patterns name, from the top of the repository."""
    hook = HOOKS[name]
    chosen = [one for one in committed(folder) if re.search(hook["files"], one)]
    chosen = [one for one in chosen if not re.search(hook.get("exclude", "^$"), one)]
    program, *words = shlex.split(hook["entry"])
    assert program == "memd"
    done = memd(*words, *chosen, cwd=folder, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_hooks_find_what_is_wrong_in_a_workspace_below_the_top(tmp_path: Path) -> None:
    Folder.make(tmp_path / "docs/记忆")
    put(tmp_path / "skills/other/SKILL.md", "no header, and in no workspace")
    put(tmp_path / "package.json", '{"token": "' + KEY + '"}')
    assert [run_hook(name, tmp_path)[0] for name in HOOKS] == [0, 0]
    put(tmp_path / "docs/记忆/roles/nora/memory.json", '{"semantic": [}')
    put(tmp_path / "docs/记忆/sessions/2026-03/s.jsonl", json.dumps({"content": KEY}))
    put(tmp_path / "docs/记忆/memd.toml", "[trigger]\nkeywrod = 1\n")
    status, said = run_hook("memd-check", tmp_path)
    assert status == 1
    assert "docs/记忆/roles/nora/memory.json:1:15: json.syntax" in said
    assert "docs/记忆/memd.toml:2:1: settings.unknown" in said
    assert "skills/other/SKILL.md: in no workspace, not looked at" in said
    status, said = run_hook("memd-secrets", tmp_path)
    assert (status, said.count("secret.found")) == (1, 1)
    assert "docs/记忆/sessions/2026-03/s.jsonl:1:14: secret.found" in said


def test_files_of_several_workspaces_are_checked_each_in_its_own(tmp_path: Path) -> None:
    for name in ("one", "二"):
        put(Folder.make(tmp_path / name).file("nora"), "{")
    done = memd("check", "one/roles/nora/memory.json", "二/roles/nora/memory.json", cwd=tmp_path, check=False)
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["one/roles/nora/memory.json", "二/roles/nora/memory.json"]  # fmt: skip
    assert memd("check", "none/memory.json", cwd=tmp_path, check=False).returncode == 65
    assert os.listdir(tmp_path / "one") != []


def test_the_hooks_are_declared_as_pre_commit_reads_them() -> None:
    assert set(HOOKS) == {"memd-check", "memd-secrets"}
    for hook in HOOKS.values():
        assert (hook["language"], hook["pass_filenames"], hook["minimum_pre_commit_version"]) == ("python", True, "3.2.0")  # fmt: skip
    wanted = HOOKS["memd-secrets"]["files"]
    assert all(re.search(wanted, one) for one in ("sessions/2026-03/s.jsonl", "a/runs/2026-03/r.md", ".memory/audit.jsonl", "a.txt", "笔记/b.yaml", "c.yml"))  # fmt: skip
    assert not re.search(HOOKS["memd-check"]["files"], "node_modules/x/package.json")
