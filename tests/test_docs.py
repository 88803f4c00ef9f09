"""What is documented is what there is: methods, errors, settings, verbs, the package's contents."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import asdict
from pathlib import Path

import pytest

from memd.cli.main import VERBS, memd_command, status_of
from memd.doors.methods import METHODS
from memd.doors.rpc import discover, number_of
from memd.engine.work.events import FIELDS
from memd.errors import MemdError
from memd.formats.settings import CHECKS, load_settings
from memd.model.settings import Settings
from memd.model.trust import PROTECTIONS
from memd.model.work.session import VISIBLE
from memd.model.work.task import TASK_MOVES, Move, TaskState
from tests.support import ROOT, Daemon, memd

PROTOCOL = (ROOT / "docs/protocol.md").read_text("utf-8")


def codes(kind: type[MemdError] = MemdError) -> set[str]:
    return {kind.code} | {code for sub in kind.__subclasses__() for code in codes(sub)}


def test_every_method_with_its_parameters_is_in_the_protocol() -> None:
    for method in discover()["methods"]:
        (line,) = [line for line in PROTOCOL.splitlines() if line.startswith(f"| `{method['name']}` |")]
        assert "reader" in {one["name"] for one in method["params"]}
        for parameter in (one for one in method["params"] if one["name"] != "reader"):
            assert f"`{parameter['name']}`{'*' if parameter['required'] else ''}" in line, (
                method["name"],
                parameter["name"],
            )
    assert {method["name"] for method in discover()["methods"]} == set(METHODS)
    assert "Every method also takes `reader`" in PROTOCOL


def test_every_error_code_stands_in_the_protocol_with_its_numbers() -> None:
    for code in codes() - {"internal"}:
        (line,) = [line for line in PROTOCOL.splitlines() if line.startswith(f"| `{code}` |")]
        assert f"| {number_of(code)} | {status_of(code)} |" in line, code


def test_the_template_has_every_setting_commented_and_at_its_default() -> None:
    text = (ROOT / "workspace-template/memd.toml").read_text("utf-8")
    assert load_settings(text.encode(), "memd.toml") == Settings()
    values = tomllib.loads(text)
    assert {table: set(keys) for table, keys in values.items()} == {table: set(keys) for table, keys in CHECKS.items()}
    assert {table: set(keys) for table, keys in asdict(Settings()).items()} == {
        table: set(keys) for table, keys in CHECKS.items()
    }
    commented = ("#",)
    for number, line in enumerate(text.splitlines()):
        if re.match(r"\w+ = ", line) and not line.startswith(
            ("max_semantic", "max_trait", "max_goal", "role_", "template")
        ):
            assert any(mark in line for mark in commented), (number, line)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    result = memd(verb, "--help")
    assert "memd" in result.stdout
    assert len(result.stdout.splitlines()) > 5


def test_the_help_of_memd_names_every_verb() -> None:
    result = memd("--help")
    assert all(f"  {verb} " in result.stdout for verb in VERBS)
    assert memd_command.name == "memd-command" or memd_command.name


def test_discovery_over_the_socket_is_the_declarations(daemon: Daemon) -> None:
    document = daemon.call("rpc.discover")
    assert document["openrpc"].startswith("1.")
    assert json.loads(json.dumps(discover())) == document
    told = {one["data"]["code"] for one in document["components"]["errors"].values()}
    assert told == codes()
    assert {one["name"] for one in document["methods"] if one["x-writes"]} >= {"remember", "memory.forget"}


def test_the_readmes_python_example_runs(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    monkeypatch.setenv("MEMD_SOCKET", str(daemon.socket))
    exec(compile(example.replace('"my-memory"', repr(str(daemon.folder.path))), "README.md", "exec"), {})
    assert "I prefer tabs to spaces." in capsys.readouterr().out


def test_wheel_and_sdist_have_the_templates_with_their_hidden_files(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named build" in built.stderr:
        pytest.skip("the oldest libraries are tested without the builder")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("memdaemon-*.whl")
    (sdist,) = tmp_path.glob("memdaemon-*.tar.gz")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    template = {
        "memd.toml",
        "MEMORY.md",
        "USER.md",
        "AGENTS.md",
        ".gitignore",
        ".gitattributes",
        "roles/main/role.toml",
    }
    assert {f"memd/templates/workspace/{name}" for name in template} <= names
    assert {"memd/templates/demo/roles/nora/memory.json", "memd/templates/demo/roles/阿远/memory.json"} <= names
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "tests/conftest.py", "workspace-template/.gitignore", "docs/protocol.md"} <= inside


def test_the_table_of_what_weakens_is_the_code() -> None:
    page = (ROOT / "docs/trust.md").read_text("utf-8")
    assert re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", page, re.MULTILINE) == [one.key for one in PROTECTIONS]
    assert all(f"| {one.gives_up} |" in page for one in PROTECTIONS)
    settings = asdict(Settings())
    for one in PROTECTIONS:
        table, key = one.key.split(".")
        assert one.held(settings[table][key]) == settings[table][key], "a default weakens nothing"


def test_the_table_of_task_states_is_the_code() -> None:
    rows = {
        cells[0]: cells[1:]
        for line in (ROOT / "docs/learning.md").read_text("utf-8").splitlines()
        if (cells := [one.strip() for one in line.strip("|").split("|")])[0] in set(TaskState)
    }
    assert set(rows) == set(TaskState)
    head = next(line for line in (ROOT / "docs/learning.md").read_text("utf-8").splitlines() if "| state |" in line)
    told = [one.strip() for one in head.strip("|").split("|")][1:]
    order = [Move(one) for one in told]
    assert {state: [TASK_MOVES[TaskState(state)].get(move, "") for move in order] for state in rows} == rows


def test_the_table_of_events_is_the_code() -> None:
    lines = (ROOT / "docs/learning.md").read_text("utf-8").splitlines()
    for kind, (must, may) in FIELDS.items():
        (row,) = [line for line in lines if line.startswith(f"| `{kind.value}` |")]
        fields, visible = row.strip("|").split("|")[1:3]
        assert set(re.findall(r"`(\w+)`\*", fields)) == set(must), kind
        assert set(re.findall(r"`(\w+)`", fields)) == {*must, *may}, kind
        assert (visible.strip() == "yes") is (kind in VISIBLE), kind
