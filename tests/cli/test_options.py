"""Options of commands are those of the requests they ask: names, kinds, bounds and alternatives, declared once."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from memd.cli.main import memd_command
from memd.cli.mistakes import Explaining
from memd.cli.options import ASKED, Asked, DeclaredArgument, DeclaredOption, asks, given
from memd.doors.rpc import METHODS
from memd.protocol.fields import Request
from memd.verbs.declared import Nothing
from tests.support import ROOT, Folder, memd
from tools import command_parameters

# Asked with what a command has read or was answered, and not with what was typed as it is.
BY_HAND = {
    "config.set",
    "role.get",
    "consolidate.list",
    "consolidate.undo",
    "consolidate.pack",
    "consolidate.apply",
    "role.of",
    "git.commits",
    "status",
}
WITHOUT_PARAMETERS = {name for name, method in METHODS.items() if method.request is Nothing}


def commands(of: click.Command = memd_command, path: str = "memd") -> Iterator[tuple[str, click.Command]]:
    """Yield every command by the words it is called with."""
    yield path, of
    if isinstance(of, click.Group):
        context = click.Context(of)
        for name in of.list_commands(context):
            below = of.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


def asked_by(command: click.Command) -> Asked | None:
    callback = command.callback
    asked = getattr(callback.callback if isinstance(callback, Explaining) else callback, ASKED, None)
    assert asked is None or isinstance(asked, Asked)
    return asked


ASKING = {path: (command, asked) for path, command in commands() if (asked := asked_by(command)) is not None}


def schema_of(method: str) -> dict[str, Any]:
    """Return the properties of a method's request, as msgspec itself tells them."""
    _, components = msgspec.json.schema_components([METHODS[method].request])
    found: dict[str, Any] = components[METHODS[method].request.__name__]["properties"]
    return {name: one for name, one in found.items() if name not in msgspec.structs.asdict(Request())}


def told(schema: dict[str, Any], key: str) -> Any:
    """Return what a property says, or a part of it that may be missing."""
    inner = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return schema.get(key, next((value for one in inner if (value := told(one, key)) is not None), None))


def test_what_is_made_of_the_declarations_is_not_stale() -> None:
    assert (ROOT / command_parameters.TABLE).read_text("utf-8") == command_parameters.table(), "run `make docs`"


@pytest.mark.parametrize("path", ASKING)
def test_every_parameter_of_a_request_can_be_typed_or_was_left_out(path: str) -> None:
    command, asked = ASKING[path]
    made = {one.name for one in command.params if isinstance(one, (DeclaredOption, DeclaredArgument))}
    own = {one.name for one in command.params if not isinstance(one, (DeclaredOption, DeclaredArgument))}
    known = set(schema_of(asked.method))
    objects = {name for name in known if name not in asked.left_out | made}
    assert made <= known
    assert made.isdisjoint(asked.left_out)
    assert all(told(schema_of(asked.method)[name], "type") in ("object", "array") for name in objects), objects
    assert own & known <= asked.left_out | objects, "an option of the command's own stands for a parameter"


@pytest.mark.parametrize("path", ASKING)
def test_bounds_alternatives_and_defaults_are_those_of_the_request(path: str) -> None:
    command, asked = ASKING[path]
    schema = schema_of(asked.method)
    for param in command.params:
        if not isinstance(param, (DeclaredOption, DeclaredArgument)):
            continue
        one, said = param.parameter, schema[param.parameter.name]
        assert (one.low, one.high) == (told(said, "minimum"), told(said, "maximum"))
        alternatives = re.fullmatch(r"\^\((.*)\)\??\$", told(said, "pattern") or "")
        assert (
            list(one.choices) == [each for each in alternatives[1].split("|") if each]
            if alternatives
            else not one.choices
        )
        if isinstance(param.type, click.Choice):
            assert tuple(param.type.choices) == one.choices
        assert isinstance(param.type, click.types.IntParamType) == (one.kind == "whole")
        if isinstance(param, DeclaredOption) and one.low is not None and one.high is not None:
            assert f"{one.low:g} to {one.high:.16g}" in (param.help or "")
        assert not isinstance(param, DeclaredOption) or len(param.help or "") > 3, (
            f"{param.name} says nothing of itself"
        )


def test_commands_declare_nothing_that_a_method_declares() -> None:
    """Each method that a module of cli names in a question is one whose parameters a command has from the declaration."""
    named = set()
    for file in (ROOT / "memd/cli").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("ask", "ask_and_watch")
            ):
                named |= {one.value for one in node.args if isinstance(one, ast.Constant) and one.value in METHODS}
    offered = {asked.method for _, asked in ASKING.values()}
    assert len(named & offered) > 45
    assert named - offered - WITHOUT_PARAMETERS == BY_HAND


def test_a_command_that_names_what_no_request_has_is_refused() -> None:
    with pytest.raises(TypeError, match=r"memory\.list has no colour"):
        asks("memory.list", "role", colour=given("--colour"))


def test_what_was_typed_arrives_as_the_request_has_it() -> None:
    seen: dict[str, Any] = {}

    @click.command()
    @asks("memory.update", "role", "id", disabled=given("--disabled/--enabled"), tags=given("--label"))
    def changing(**asked: Any) -> None:
        seen.update(asked)

    changing.main(
        ["main", "1f0c", "--label", "甲", "--label", "乙", "--enabled", "--priority", "7", "--decay-per-day", "0.5"],
        standalone_mode=False,
    )
    assert {name: seen[name] for name in ("role", "id", "tags", "disabled", "priority", "decay_per_day")} == {
        "role": "main", "id": "1f0c", "tags": ["甲", "乙"], "disabled": False, "priority": 7, "decay_per_day": 0.5,
    }  # fmt: skip
    assert (seen["constant"], seen["content"], seen["keys"]) == (None, None, []), "what was not typed is not asked"


def test_options_that_a_request_had_and_no_command_took_are_there(workspace: Folder) -> None:
    reply = memd(
        "remember", "main", "用户对花生过敏。", "--source", "user", "--priority", "91", "--json", cwd=workspace.path
    )
    found = memd("list", "main", "--json", cwd=workspace.path)
    assert '"priority": 91' in found.stdout, reply.stdout
    refused = memd("remember", "main", "我喜欢喝茶", "--priority", "101", cwd=workspace.path, check=False)
    assert (refused.returncode, "--priority: it must be at most 100" in refused.stderr) == (65, True)


class Copy:
    """A copy of memd that is changed, and run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        shutil.copytree(ROOT / "memd", path / "memd", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "tools", path / "tools", ignore=shutil.ignore_patterns("__pycache__", "training"))
        for folder in ("docs", "workspace-template"):
            shutil.copytree(ROOT / folder, path / folder)
        shutil.copy(ROOT / "pyproject.toml", path)
        shutil.copytree(path / "workspace-template", path / "w")

    def insert(self, file: str, before: str, line: str) -> None:
        """Put a line before the first one that begins so."""
        text = (self.path / file).read_text("utf-8")
        assert f"\n{before}" in text, (file, before)
        (self.path / file).write_text(text.replace(f"\n{before}", f"\n{line}\n{before}", 1), "utf-8")

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(self.path)}
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=self.path, env=environment, timeout=120, check=False)  # fmt: skip


@pytest.mark.slice
def test_a_new_parameter_is_one_line_in_one_file(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    line = '    loudness: Annotated[int, Meta(ge=2, le=9, description="how loud it was said, 多响")] | None = None'
    copy.insert("memd/verbs/recall/searches.py", "    seen_by:", line)
    made = copy.python("-m", "tools.protocol_docs")
    assert "wrote: memd/cli/parameters.json" in made.stdout, made.stderr
    shown = copy.python("-m", "memd", "search", "--help").stdout
    assert re.search(r"--loudness INTEGER +How loud it was said, 多响. \[2 to 9\]", shown)
    refused = copy.python("-m", "memd", "search", "kiln", "--loudness", "11", "-w", "w")
    assert (refused.returncode, refused.stderr.split("\n")[0]) == (65, "Error: --loudness: it must be at most 9")


@pytest.mark.slice
def test_a_new_field_of_a_memory_is_declared_in_four_files(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    copy.insert("memd/model/memory.py", "    turn: int | None", '    weather: str = ""')
    record = "memd/formats/entry.py"
    copy.insert(record, "    run: Annotated", '    weather: Annotated[str, Meta(description="the weather then")] = ""')
    copy.insert(record, '    "speaker": Given', '    "weather": Given("weather", Form.NAME),')
    copy.insert(record, "        trigger_type=record.trigger_type", "        weather=record.weather,")
    copy.insert("memd/protocol/views.py", "    run: str | None", "    weather: str | None = None")
    given = (
        '    weather: Annotated[str, Meta(max_length=40, description="the weather then")] | UnsetType | None = UNSET'
    )
    copy.insert("memd/verbs/memory/memory_views.py", "    name:", given)
    assert "wrote: docs/methods.md" in copy.python("-m", "tools.protocol_docs").stdout
    told = ("remember", "main", "The kiln was fired on the hill.", "--explicit", "--json", "-w", "w")
    kept = json.loads(copy.python("-m", "memd", *told, "--weather", "fog").stdout)
    shown = json.loads(copy.python("-m", "memd", "show", "main", kept["id"], "--json", "-w", "w").stdout)
    assert shown["weather"] == "fog"
    changed = copy.python("-m", "memd", "edit", "main", kept["id"], "--weather", "hail", "--json", "-w", "w")
    assert json.loads(changed.stdout)["weather"] == "hail"
    written = json.loads((tmp_path / "w/roles/main/memory.json").read_text("utf-8"))
    assert [one["weather"] for kind in written.values() if isinstance(kind, list) for one in kind] == ["hail"]
    secret = "password=hunter2-Xy71Qz"
    assert copy.python("-m", "memd", *told[:2], "The kiln is cold.", "--weather", secret, *told[3:]).returncode == 0
    everything = "".join(one.read_text("utf-8") for one in (tmp_path / "w").rglob("*.json*"))
    assert ("The kiln is cold." in everything, "hunter2" in everything) == (True, False)
    schema = json.loads(copy.python("-m", "memd", "schema", "memory").stdout)
    assert schema["definitions"]["memory"]["properties"]["weather"]["description"] == "the weather then"
