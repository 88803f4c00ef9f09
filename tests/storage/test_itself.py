"""Which program this memd is: its own script and no other's, by its absolute path, whoever asks from wherever."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memd.client import Client, socket_of
from memd.storage.itself import (
    Other,
    child_command,
    module_command,
    other_on_path,
    own_command,
    own_line,
    typed_line,
    with_path,
)
from tests.support import Folder, memd, until

SCRIPT = Path(sys.executable).with_name("memd")
STRANGER = "#!/bin/sh\necho a stranger\n"


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def installed(interpreter: str) -> str:
    """What an installer writes."""
    return f"#!{interpreter}\nimport sys\nfrom memd.__main__ import main\nsys.exit(main())\n"


def environment(folder: Path) -> Path:
    """An interpreter as a virtual environment has it: a link to one elsewhere."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(os.path.realpath(sys.executable))
    return folder / "bin/python"


def test_this_memd_is_the_script_of_its_own_environment_and_it_starts() -> None:
    assert own_command() == [str(SCRIPT)]
    done = subprocess.run([*own_command(), "--version"], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.startswith("memd")


def test_a_script_is_called_by_the_name_it_was_started_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "bin/memd"
    link.parent.mkdir()
    link.symlink_to(SCRIPT)
    monkeypatch.setattr(sys, "argv", [str(link), "up"])
    assert own_command() == [str(link)]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bin/memd", "up"])
    assert own_command() == [str(link)]


def test_a_stranger_in_this_directory_or_beside_the_interpreter_is_not_this_memd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = environment(tmp_path / "venv")
    program(tmp_path / "venv/bin/memd", STRANGER)
    program(tmp_path / "memd", STRANGER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["memd"])
    monkeypatch.setattr(sys, "executable", str(python))
    assert own_command() == [str(python), "-P", "-m", "memd"] == module_command()


@pytest.mark.parametrize("blank", ["", " two words"])
def test_a_script_is_known_by_its_interpreter_also_where_a_shell_must_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blank: str
) -> None:
    python = environment(tmp_path / f"venv{blank}")
    text = installed(str(python))
    if blank:
        text = text.replace(f"#!{python}", f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''")
    script = program(python.with_name("memd"), text)
    monkeypatch.setattr(sys, "executable", str(python))
    assert own_command() == [str(script)]
    assert shlex.split(own_line("hook", "a b")) == [str(script), "hook", "a b"]


def test_what_comes_first_on_path_is_told_unless_it_is_this_one(tmp_path: Path) -> None:
    mine = str(SCRIPT.parent)
    link = tmp_path / "link/memd"
    link.parent.mkdir()
    link.symlink_to(SCRIPT)
    copy = program(tmp_path / "copy/memd", SCRIPT.read_text("utf-8"))
    stranger = program(tmp_path / "stranger/memd", STRANGER)
    twin = program(tmp_path / "twin/memd", installed(str(environment(tmp_path / "venv"))))
    (tmp_path / "folder/memd").mkdir(parents=True)
    os.mkfifo(tmp_path / "folder/pipe")
    for search in ("", str(tmp_path), str(tmp_path / "folder"), mine, str(link.parent), str(copy.parent)):
        assert other_on_path(search) is None, search
    assert other_on_path(f"{stranger.parent}:{mine}") == Other(str(stranger), is_memd=False)
    assert other_on_path(f"{twin.parent}:{mine}") == Other(str(twin), is_memd=True)
    assert other_on_path(f"{mine}:{stranger.parent}") is None


def test_a_person_types_the_name_where_path_leads_here_else_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{SCRIPT.parent}:/usr/bin")
    assert typed_line("trigger", "a b") == "memd trigger 'a b'"
    program(tmp_path / "memd", STRANGER)
    monkeypatch.setenv("PATH", f"{tmp_path}:{SCRIPT.parent}")
    monkeypatch.chdir(SCRIPT.parent.parent)
    assert typed_line("up") == "bin/memd up"
    monkeypatch.chdir(SCRIPT.parent)
    assert typed_line("up") == "./memd up"
    monkeypatch.chdir(tmp_path)
    assert typed_line("up") == f"{SCRIPT} up"


def test_a_sentence_that_names_a_command_names_it_by_its_path() -> None:
    assert with_path("Run `memd undo main 1f`, or `memd list`.") == f"Run `{SCRIPT} undo main 1f`, or `{SCRIPT} list`."
    assert with_path("memd remembers; `memd`; `memd.toml`") == "memd remembers; `memd`; `memd.toml`"


def test_what_a_workspace_calls_memd_is_never_run(workspace: Folder) -> None:
    for leaf in ("__init__.py", "__main__.py"):
        program(workspace.path / "memd" / leaf, f"open({str(workspace.path / 'ran')!r}, 'w')\n")
    memd("up", "--detach", "-w", ".", cwd=workspace.path)
    with Client(socket_of(str(workspace.path))) as client:
        pid = client.call("ping")["pid"]
        memd("rebuild", "-w", ".", cwd=workspace.path)
    os.kill(pid, 15)
    until(lambda: not os.path.exists(socket_of(str(workspace.path))), 20, "the daemon has ended")
    assert not (workspace.path / "ran").exists()


def test_a_source_that_was_never_installed_starts_its_own_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent.parent)
    assert child_command() == [sys.executable, "-m", "memd"]
    monkeypatch.chdir(tmp_path)
    assert child_command() == module_command()
    tmp_path.joinpath("gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert child_command() == module_command()
