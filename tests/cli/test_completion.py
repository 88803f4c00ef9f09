"""memd completion: real shells complete verbs, options, choices and the roles that are there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, Folder, memd

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
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program `memd` on PATH, as an installed one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "memd").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memd "$@"\n')
    (folder / "memd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


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


@pytest.mark.usefixtures("on_path")
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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_says_where_it_belongs(shell: str) -> None:
    if not shutil.which("bash"):
        pytest.skip("click asks bash for its version")
    shown = memd("completion", shell).stdout
    assert shown.rstrip().splitlines()[-1].startswith(f"# memd completion {shell} > ")
    assert memd("completion", "csh", check=False).returncode == 2
