"""memd check: every kind of fault with its file, line, column and code; what can be mended is."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memd.formats.schemas import schema_of
from memd.model.files import FINDINGS
from tests.support import ROOT, Folder, memd


def put(folder: Folder, name: str, data: bytes | str) -> None:
    path = folder.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def findings(folder: Folder, *more: str) -> list[str]:
    result = memd("check", "-w", str(folder.path), *more, check=False)
    return result.stdout.splitlines()


def record(**fields: Any) -> str:
    return json.dumps({"content": "The kiln is hot.", **fields}, ensure_ascii=False)


def test_a_good_workspace_has_nothing_wrong(workspace: Folder) -> None:
    result = memd("check", "-w", str(workspace.path))
    assert result.stdout == ""
    assert "nothing wrong" in result.stderr


@pytest.mark.demo
@pytest.mark.parametrize(
    ("name", "data", "wanted"),
    [
        ("roles/main/memory.json", '{\n "semantic": [\n  {"content": "x"},\n ]\n}', "roles/main/memory.json:4:2: json.syntax"),
        ("roles/main/memory.json", "", "roles/main/memory.json:1:1: file.empty"),
        ("roles/main/memory.json", '{"semantic": []}\n<<<<<<< ours\n', "roles/main/memory.json:2:1: file.conflict_marker"),
        ("roles/main/memory.json", b'{"semantic": [\n{"content": "\xff"}]}', "roles/main/memory.json:2:14: text.not_utf8"),
        ("roles/main/memory.json", '{"semantic": [\n {"content": 7}]}', "roles/main/memory.json:2:2: memory.bad"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a")},\n {record(id="a")}]}}',
         "roles/main/memory.json:3:2: memory.duplicate_id"),
        ("roles/main/memory.json", '{"semantic": [\n {"content": "hot kiln",\n  "keywords": ["ok", " "]}]}',
         "roles/main/memory.json:3:3: memory.dead_key"),
        ("roles/main/memory.json", '{"semantic": [\n {"content": "of the"}]}', "roles/main/memory.json:2:2: memory.silent"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", timestamp="yesterday")}]}}', "roles/main/memory.json:2:2: memory.bad"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", supersedes="gone")}]}}', ": memory.lost_link"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", supersededBy="b")},\n {record(id="b")}]}}', "main/memory.json:2:45: memory.unbacked"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", supersededBy="gone")}]}}', ": memory.unbacked"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", supersededBy="b")},\n {record(id="b", supersedes="a")}]}}', ""),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", supersedes=["b"])},\n {record(id="b", supersedes=["a"])}]}}', "main/memory.json:3:45: memory.circle"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a", supersedes=["a"])}]}}', ": memory.circle"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a")},\n {record(id="b", supersedes=["a"])},\n {record(id="c", supersedes=["a"])}]}}', "main/memory.json:3:45: memory.conflict"),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a")},\n {record(id="b", supersedes=["a"])},\n {record(id="c", supersedes=["b", "a"])}]}}', ""),
        ("roles/main/memory.json", f'{{"semantic": [\n {record(id="a")},\n {record(id="b", supersedes=["a"], covers=["0123456789abcdef"])}]}}', ": memory.lost_cover"),
        ("roles/main/memory.json", '{"semantic": [{"content": "' + "x" * 5000 + '"}]}', ": limit.memory_chars"),
        ("roles/main/memory.json", b'\xef\xbb\xbf{"semantic": []}', "roles/main/memory.json:1:1: text.bom"),
        ("roles/main/memory.json", '{"semantic":\r\n []}', "roles/main/memory.json:1:13: text.crlf"),
        ("roles/main/role.toml", '[[link]]\nrole = "nobody"\n', "roles/main/role.toml:1:1: role.link"),
        ("roles/main/role.toml", 'aliases = ["nora"]\n', ": role.taken"),
        ("roles/main/role.toml", "[trigger]\nmax_trait = -1\n", "roles/main/role.toml:2:1: settings.value"),
        ("roles/main/role.toml", "[daemon]\nmax_clients = 3\n", "roles/main/role.toml:1:1: settings.unknown"),
        ("roles/.x/memory.json", "{", ""),
        ("roles/con/memory.json", "{}", "roles/con:1:1: name.bad"),
        ("roles/NORA/memory.json", "{}", ": name.taken"),
        ("roles/file", "x", "roles/file:1:1: role.not_a_directory"),
        ("memd.toml", "[trigger]\nkeywrod = true\n", "memd.toml:2:1: settings.unknown"),
        ("memd.toml", "a = [[[[\n", ": toml.syntax"),
        ("tasks/t.toml", "a" + ".a" * 5000 + " = 1\n", "tasks/t.toml:1:1: toml.too_deep"),
        ("tasks/t.toml", "# " + "x" * 70_000, "tasks/t.toml:1:1: toml.too_large"),
        ("notes/a.md", "---\na: &x 1\n---\n", "notes/a.md:2:4: yaml.alias"),
        ("notes/a.md", "---\non: yes\n---\n", "notes/a.md:2:1: yaml.truth"),
        ("notes/a.md", "---\na: 1\na: 2\n---\n", "notes/a.md:3:1: yaml.twice"),
        ("notes/a.md", "ok\n" + "x" * 1_000_000, "notes/a.md:2:100001: text.long_line"),
        ("notes/a.md", "ok\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", "notes/a.md:3:1: file.conflict_marker"),
        ("notes/a.md", b"a\0b", "notes/a.md:1:2: text.nul"),
        ("notes/a.md", "x" * 5_000_000, "notes/a.md:1:1: file.too_large"),
        ("notes/a.conflict-20260101T000000Z-0123abcd.md", "x", ": file.conflict_copy"),
        ("notes/a.sync-conflict-20260101-101010-ABCDEFG.md", "x", ": file.conflict_copy"),
        ("sessions/2026-01/s.jsonl", '{"content": "a"}\nnot json\n{"content": "b"}\n', "sessions/2026-01/s.jsonl:2:1: session.line"),
        ("sessions/2026-01/s.jsonl", '{"content": "a"}\n{"content":', "sessions/2026-01/s.jsonl:2:1: session.torn"),
        ("archive/2026-01.jsonl", '{"a": 1, "c": "00000000"}\n', "archive/2026-01.jsonl:1:1: log.line"),
        ("roles/main/books/b.json", "{'a': 1}", "roles/main/books/b.json:1:2: json.syntax"),
        ("MEMORY.md", "x" * 2300, "MEMORY.md:1:1: limit.curated"),
        ("roles/main/.memory.json.0123.memd-tmp-new", "x", ": file.leftover"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_place_and_code(workspace: Folder, name: str, data: bytes | str, wanted: str) -> None:
    put(workspace, name, data)
    lines = findings(workspace)
    if not wanted:
        assert lines == []
        return
    assert any(wanted in line for line in lines), lines
    assert all(re.match(r"[^:]+:\d+:\d+: [a-z_]+\.[a-z_0-9]+ \S", line) for line in lines)
    assert not any(".json" in line and "nora" in line and "taken" not in line for line in lines), (
        "others are not touched"
    )


def test_links_and_names_that_are_not_utf8_are_told(workspace: Folder) -> None:
    os.symlink("/etc", workspace.path / "etc")
    Path(os.fsdecode(os.fsencode(workspace.path) + b"/\xff.md")).write_text("x")
    os.mkfifo(workspace.path / "p.md")
    text = "\n".join(findings(workspace))
    assert "etc:1:1: file.link" in text
    assert "name.not_utf8" in text
    assert "p.md:1:1: file.odd" in text


def test_limits_are_told_from_ninety_percent_with_the_largest(workspace: Folder) -> None:
    workspace.settings(limits__memory_dir_bytes=100_000)
    put(workspace, ".memory/dump.bin", b"x" * 91_000)
    assert any("limit.near 91" in line and "dump.bin" in line for line in findings(workspace))
    put(workspace, ".memory/dump.bin", b"x" * 110_000)
    assert any(": limit.memory_dir_bytes" in line for line in findings(workspace))


def test_fix_mends_what_is_certain_and_nothing_else(workspace: Folder) -> None:
    before = '{\n  "semantic": [\n    {"id": "a", "content": "kiln one",   "x": 1},\n    {"id": "a", "content": "kiln two", "keywords": ["", "k"]},\n    {"content": 5}\n  ]\n}\n'
    put(workspace, "roles/main/memory.json", before)
    put(workspace, "roles/main/.memory.json.0123.memd-tmp-new", "x")
    os.utime(workspace.path / "roles/main/.memory.json.0123.memd-tmp-new", (1, 1))
    result = memd("check", "--fix", "-w", str(workspace.path), check=False)
    assert result.stderr.count("fixed:") == 3
    after = workspace.file("main").read_text("utf-8")
    assert after.splitlines()[2] == before.splitlines()[2]
    records = json.loads(after)["semantic"]
    assert [one["content"] for one in records] == ["kiln one", "kiln two", 5]
    assert records[0]["id"] == "a"
    assert records[1]["id"] not in ("a", "")
    assert records[1]["keywords"] == ["k"]
    left = findings(workspace)
    assert [line.split()[1] for line in left] == ["memory.bad"]
    assert result.returncode == 1


def test_only_the_files_named_are_told(workspace: Folder) -> None:
    put(workspace, "notes/a.md", b"\xff")
    put(workspace, "notes/b.md", b"\xff")
    result = memd("check", "notes/b.md", cwd=workspace.path, check=False)
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["notes/b.md"]
    assert memd("check", "-w", ".", "/etc/passwd", cwd=workspace.path, check=False).returncode == 65


def test_every_code_is_documented_and_every_documented_code_exists() -> None:
    text = (ROOT / "docs/check.md").read_text("utf-8")
    told = {line.split("|")[1].strip(" `"): line for line in text.splitlines() if line.startswith("| `")}
    assert set(told) == set(FINDINGS)
    for code, meaning in FINDINGS.items():
        assert f"| {meaning.severity} | {meaning.meaning} |" in told[code]
        assert ("| yes |" in told[code]) is meaning.fixable


def test_codes_in_the_source_are_known() -> None:
    used = set()
    for path in (ROOT / "memd").rglob("*.py"):
        if path != ROOT / "memd/model/files.py":  # which declares them
            used |= set(
                re.findall(
                    r'"((?:book|expect|file|json|limit|log|memory|name|role|session|settings|text|toml|yaml|index|run|task|skill|learning|trust)\.[a-z_0-9]+)"',
                    path.read_text("utf-8"),
                )
            )
    assert {code for code in FINDINGS if code not in used} <= {
        "limit.role_bytes",
        "limit.role_memories",
        "limit.memory_dir_bytes",
        "limit.sessions_bytes",
        "file.broken",
        "skill.compatibility",  # named after the key that is meant
        "skill.description",
    }


@pytest.mark.demo
def test_the_schemas_accept_what_memd_accepts_and_refuse_what_it_refuses(workspace: Folder) -> None:
    template = (ROOT / "workspace-template/memd.toml").read_text("utf-8")
    settings, role, memory = (schema_of(name) for name in ("settings", "role", "memory"))
    for schema in (settings, role, memory):
        jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(template), settings)
    for name in ("nora", "阿远"):
        jsonschema.validate(workspace.load(name), memory)
    jsonschema.validate({"display_name": "N", "link": [{"role": "x"}], "trigger": {"max_trait": 1}}, role)
    for bad, schema in (({"gate": {"keep_from": 11}}, settings), ({"nonsense": {}}, settings), ({"daemon": {}}, role),
                        ({"semantic": [{"priority": 5}]}, memory), ({"semantic": [{"content": "x", "priority": 101}]}, memory)):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
    assert "what brings a memory to mind" in settings["properties"]["trigger"]["description"]
    shown = json.loads(memd("schema", "memory").stdout)
    assert shown == memory
    assert all("description" in one for one in memory["definitions"]["memory"]["properties"].values())


def test_a_note_that_nobody_backs_is_mended_and_one_that_is_backed_stays(workspace: Folder) -> None:
    written = [{"id": "a", "supersededBy": "b"}, {"id": "b", "supersedes": "c"}, {"id": "c", "supersededBy": "b"}]
    put(workspace, "roles/main/memory.json", '{"semantic": [' + ",\n".join(record(**one) for one in written) + "]}")
    before = workspace.file("main").read_text("utf-8").splitlines()
    memd("check", "--fix", "-w", str(workspace.path))
    after = workspace.file("main").read_text("utf-8").splitlines()
    assert after[1:] == before[1:]
    assert json.loads(after[0].removeprefix('{"semantic": [').rstrip(",")) == {"content": "The kiln is hot.", "id": "a"}
