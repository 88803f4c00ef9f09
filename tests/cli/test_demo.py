"""The demonstration: short, plain in a pipe, and each line it ends with works from where the person stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memd.client import Client, socket_of
from memd.errors import DaemonMissingError
from tests import forking
from tests.support import own_places

MOST_LINES = 80 - 1  # of `make run`, which says a line before
SCRIPT = Path(sys.executable).with_name("memd")


@dataclass(frozen=True)
class Shown:
    """Where a person stands, and what two demonstrations there said."""

    here: Path
    first: str
    second: str


@pytest.fixture(scope="module")
def shown() -> Iterator[Shown]:
    """Two demonstrations one after the other, started as a person does it whose PATH has no memd."""
    here = Path(tempfile.mkdtemp(prefix="memd-t"))  # short enough for a socket
    for name in ("bin", "places"):
        (here / name).mkdir()
    said = []
    with own_places(here / "places"):
        for program in (SCRIPT, forking.program()):  # as it is installed, and from then on one that starts at once
            (here / "bin/memd").unlink(missing_ok=True)
            (here / "bin/memd").symlink_to(program)
            said.append(in_shell(here, "bin/memd demo"))
        for one in said:
            assert (one.returncode, one.stderr) == (0, ""), one.stdout
        for name in ("demo-memory", "demo-memory-2"):
            with pytest.raises(DaemonMissingError):
                Client.of_workspace(str(here / name)).__enter__()
        yield Shown(here, said[0].stdout, said[1].stdout)
    shutil.rmtree(here)


def in_shell(here: Path, line: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": "/usr/bin:/bin", "HOME": str(here / "home")}
    return subprocess.run(["sh", "-c", line], cwd=here, env=environment, capture_output=True, text=True, check=False)


def closing(said: str) -> list[str]:
    return [line.strip() for line in said.rpartition("\n== Go on")[2].splitlines()[1:]]


def test_it_is_short_and_has_no_escape_codes_in_a_pipe(shown: Shown) -> None:
    for said in (shown.first, shown.second):
        assert len(said.splitlines()) <= MOST_LINES
        assert not set(said) & set("\x1b\r\b\x07")


def test_both_languages_are_asked_and_told_and_the_daemon_is_gone(shown: Shown) -> None:
    for heading in re.findall(r"^== (.*)$", shown.first, re.MULTILINE):
        assert re.search(r"[a-z].*[一-鿿]", heading), heading
    told = "Frau Lindqvist, 阿远不吃香菜, Frau Brandt, 每月三千五, behind the bakery, **测温计**, refused: total"
    for said in told.split(", "):
        assert said in shown.first, said
    for said in (shown.first, shown.second):
        (pid,) = re.findall(r"^\$ kill -9 (\d+)$", said, re.MULTILINE)
        command = Path(f"/proc/{pid}/cmdline")
        assert not command.exists() or command.read_bytes() == b""  # that of one that nobody has waited for is empty


def test_figures_are_of_this_run(shown: Shown) -> None:
    took = [re.findall(r": ([\d.]+(?: / [\d.]+)? m?s)$", said, re.MULTILINE) for said in (shown.first, shown.second)]
    assert [len(one) for one in took] == [5, 5]
    assert took[0] != took[1]


def test_a_second_one_leaves_the_first_as_it_is_and_says_so(shown: Shown) -> None:
    assert "demo-memory/ is there already and stays as it is; this run makes demo-memory-2/." in shown.second
    assert "这次新建 demo-memory-2/" in shown.second
    assert "is there already" not in shown.first
    assert (shown.here / "demo-memory-2/roles/阿远/memory.json").is_file()
    assert all(" -w demo-memory-2" in line for line in closing(shown.second) if " init " not in line)


def test_what_it_ends_with_works_from_where_the_person_stands(shown: Shown) -> None:
    lines = closing(shown.first)
    assert len(lines) >= 5
    assert all(line.startswith("bin/memd ") for line in lines)
    for line in lines:
        done = in_shell(shown.here, line)
        assert (done.returncode, done.stderr) == (0, ""), line
        assert done.stdout.strip(), line
    assert (shown.here / "home/my-memory/memd.toml").is_file()


def test_with_this_memd_on_path_it_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "it's mine").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/memd").symlink_to(forking.program())
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    words = ["memd", "demo", "it's mine"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = closing(done.stdout)
    assert all(line.startswith("memd ") for line in lines)
    for line in lines:
        again = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert (again.returncode, again.stderr) == (0, b""), line


def test_a_line_that_fails_ends_it_with_what_was_said_and_no_daemon(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sed").write_text("#!/bin/sh\necho no sed here >&2\nexit 3\n")
    (tools / "sed").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:/usr/bin:/bin"}
    done = subprocess.run([SCRIPT, "demo"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "that ended with status 3: no sed here" in done.stderr
    assert not os.path.exists(socket_of(str(tmp_path / "demo-memory")))
