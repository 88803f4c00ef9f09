"""memd completion: real shells complete verbs, options, choices and the roles that are there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forking
from tests.support import ROOT, Daemon, Folder, memd

pytestmark = pytest.mark.demo

# How each shell is asked what completes a line, without a terminal.
BASH = """
eval "$(memd completion bash)"
COMP_WORDS=("${words[@]}"); COMP_CWORD=$((${#words[@]} - 1))
_memd_completion memd
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compdef() { :; }
compadd() { for last; do :; done; print -l -- ${(P)last}; }
_describe() { print -l -- ${(P)3}; }
eval "$(memd completion zsh)"
CURRENT=${#words}
_memd_completion
"""
FISH = """
memd completion fish | source
complete --do-complete "$line"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `memd` on PATH, as an installed one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "memd").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memd "$@"\n')
    (folder / "memd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return folder / "memd"


@pytest.fixture
def on_path(installed: Path) -> None:
    """The same, which starts at once."""
    installed.unlink()
    installed.symlink_to(forking.program())


def completed(shell: str, words: list[str], cwd: Path) -> set[str]:
    program = shutil.which(shell)
    if not program:
        pytest.skip(f"there is no {shell} here")
    given = f"words=({' '.join(shlex.quote(one) for one in words)})\n"
    scripts = {"bash": given + BASH, "zsh": given + ZSH, "fish": f"set line {shlex.quote(' '.join(words))}\n{FISH}"}
    flags = {"bash": ["--norc", "-c"], "zsh": ["-f", "-c"], "fish": ["--no-config", "-c"]}
    done = subprocess.run([program, *flags[shell], scripts[shell]], capture_output=True, text=True, cwd=cwd, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {line.replace("\t", ":").partition(":")[0] for line in done.stdout.splitlines() if line}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_what_there_is(shell: str, workspace: Folder) -> None:
    here = workspace.path
    assert completed(shell, ["memd", "trig"], here) == {"trigger"}
    assert completed(shell, ["memd", "trigger", ""], here) == {"main", "nora", "阿远"}
    assert completed(shell, ["memd", "check", "--for"], here) == {"--format"}
    assert completed(shell, ["memd", "check", "--format", "g"], here) == {"github"}


@pytest.mark.usefixtures("on_path")
def test_roles_complete_below_groups_behind_options_and_as_they_are_now(workspace: Folder, tmp_path: Path) -> None:
    (workspace.path / "roles/小雨").mkdir()
    (workspace.path / "roles/.hidden").mkdir()
    everybody = {"main", "nora", "阿远", "小雨"}
    assert completed("bash", ["memd", "session", "open", "--role", ""], workspace.path) == everybody
    where = ["-w", str(workspace.path)]
    assert completed("bash", ["memd", "list", *where, "阿"], tmp_path) == {"阿远"}
    assert completed("bash", ["memd", "list", ""], tmp_path) == set(), "there is no workspace here"


@pytest.mark.usefixtures("on_path")
def test_ids_complete_for_the_role_that_was_named_and_forgotten_ones_where_they_are_meant(workspace: Folder) -> None:
    here, ids = workspace.path, {one["id"][:8] for one in workspace.records("nora")}
    assert completed("bash", ["memd", "show", "nora", ""], here) == ids
    first = min(ids)
    assert completed("bash", ["memd", "link", "nora", first, first[:3]], here) == {
        one for one in ids if one[:3] == first[:3]
    }
    assert completed("bash", ["memd", "restore", "nora", ""], here) == set()
    memd("forget", "nora", first, cwd=here)
    assert completed("bash", ["memd", "restore", "nora", ""], here) == {first}
    assert completed("bash", ["memd", "show", "nobody", ""], here) == set()


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize("daemon_runs", [False, True])
def test_sessions_tasks_runs_settings_and_values_complete(
    workspace: Folder, short_dir: Path, monkeypatch: pytest.MonkeyPatch, daemon_runs: bool
) -> None:
    here = workspace.path
    monkeypatch.setenv("MEMD_SOCKET", str(short_dir / "s"))
    memd("session", "open", "kiln-talk", cwd=here)
    memd("session", "open", "釉料", cwd=here)
    memd("task", "open", "Fix the kiln", cwd=here)
    run = memd("run", "start", "--task", "fix-the-kiln", cwd=here).stdout.strip()
    running = Daemon(workspace, short_dir / "s")
    if daemon_runs:
        running.start()
    assert completed("bash", ["memd", "session", "history", "k"], here) == {"kiln-talk"}
    assert completed("bash", ["memd", "remember", "main", "x", "--session", "釉"], here) == {"釉料"}
    assert completed("bash", ["memd", "session", "open", ""], here) == set(), "a new name"
    assert completed("bash", ["memd", "task", "show", ""], here) == {"fix-the-kiln"}
    assert completed("bash", ["memd", "run", "show", ""], here) == {run}
    assert completed("bash", ["memd", "config", "gate.k"], here) == {"gate.keep_from"}
    assert completed("bash", ["memd", "config", "injection.position", ""], here) == {"system", "user", "assistant"}
    assert completed("bash", ["memd", "config", "daemon.index", "f"], here) == {"false"}
    assert completed("bash", ["memd", "config", "gate.keep_from", ""], here) == set()
    assert completed("bash", ["memd", "curated", "read", ""], here) == {"memory", "user"}
    assert completed("bash", ["memd", "search", "--kind", "se"], here) == {"semantic", "session"}
    running.stop()


@pytest.mark.usefixtures("on_path")
def test_a_file_is_left_to_the_shell_and_an_id_comes_with_its_text(workspace: Folder) -> None:
    def told(*words: str) -> str:
        env = {
            **os.environ,
            "_MEMD_COMPLETE": "fish_complete",
            "COMP_WORDS": shlex.join(["memd", *words]),
            "COMP_CWORD": "",
        }
        done = subprocess.run(
            ["memd"], capture_output=True, text=True, cwd=workspace.path, env=env, timeout=60, check=False
        )
        return done.stdout

    workspace.write("main", "Anna \x1b[31mlikes\x1b[0m tea")
    (line,) = told("show", "main").splitlines()
    assert line == "plain,id-00000\tAnna likes tea"
    assert told("import").startswith("file,")
    assert told("status", "--workspace").startswith("dir,")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_says_where_it_belongs(shell: str) -> None:
    if not shutil.which("bash"):
        pytest.skip("click asks bash for its version")
    shown = memd("completion", shell).stdout
    assert shown.rstrip().splitlines()[-1].startswith(f"# memd completion {shell} > ")
    assert memd("completion", "csh", check=False).returncode == 2
