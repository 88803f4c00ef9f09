"""The program that stands for memd in a shell is one: its words, handles, status, signals and end are those of memd."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests import forking
from tests.support import Daemon, Folder, until

pytestmark = pytest.mark.demo


def test_words_handles_folder_and_status_are_its_own(workspace: Folder) -> None:
    def typed(line: str) -> subprocess.CompletedProcess[str]:
        path = f"{forking.program().parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", line], cwd=workspace.path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )  # fmt: skip

    assert typed("memd role list | cat").stdout.splitlines()[3].startswith("阿远")
    asked = typed("echo 'user: I like tea.' | memd propose main")
    assert (asked.returncode, "I like tea" in asked.stdout) == (0, True)
    wrong = typed("memd lits 2>&1 >/dev/null; echo $?")
    assert wrong.stdout.startswith("Error: memd has no verb 'lits'")
    assert wrong.stdout.splitlines()[-1] == "2"


def begun(folder: Folder, place: Path) -> tuple[subprocess.Popen[bytes], Daemon]:
    words = [str(forking.program()), "up", "-w", str(folder.path), "--socket", str(place)]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    daemon = Daemon(folder, place, process=process)
    until(daemon.answers, 20, "the daemon answers")
    return process, daemon


def test_a_signal_reaches_it_and_it_ends_as_memd_does(workspace: Folder, short_dir: Path) -> None:
    process, daemon = begun(workspace, short_dir / "s")
    assert daemon.call("ping")["pid"] != process.pid
    process.terminate()
    assert process.wait(30) == 0


def test_who_kills_either_kills_both(workspace: Folder, short_dir: Path) -> None:
    process, daemon = begun(workspace, short_dir / "s")
    pid = daemon.call("ping")["pid"]
    process.kill()
    process.wait(30)
    until(lambda: not os.path.exists(f"/proc/{pid}"), 20, "memd is gone")
    process, daemon = begun(workspace, short_dir / "t")
    os.kill(daemon.call("ping")["pid"], signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL


def test_one_that_is_killed_before_it_asks_leaves_the_others_as_they_are(workspace: Folder) -> None:
    for _ in range(3):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as early:
            early.connect(str(forking.program().with_name("s")))
    said = subprocess.run([forking.program(), "role", "list"], cwd=workspace.path, capture_output=True, check=False)
    assert "阿远" in said.stdout.decode()


def test_one_that_has_come_and_asks_nothing_keeps_nobody_waiting(workspace: Folder) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as silent:
        silent.connect(str(forking.program().with_name("s")))
        assert "阿远" in forking.run("role", "list", cwd=workspace.path).stdout.decode()


def test_who_is_told_of_a_server_begins_none(workspace: Folder) -> None:
    other = forking._Server()
    other.share(forking.program())
    asked = json.dumps({"arguments": ["role", "list"], "cwd": str(workspace.path), "env": {**os.environ}}).encode()
    with open(os.devnull, "r+b") as nowhere, tempfile.TemporaryFile() as stdout:
        process = other.start(asked, [nowhere.fileno(), stdout.fileno(), nowhere.fileno()])
        assert Path(f"/proc/{process.pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[1] == str(
            forking.parent()
        )
        assert process.wait(60) == 0
        stdout.seek(0)
        assert "阿远" in stdout.read().decode()
