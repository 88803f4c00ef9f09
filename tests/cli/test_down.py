"""Stopping, starting where one runs, and what a person sees when the daemon is gone: real daemons, real sockets."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.places import workspace_key
from tests import forking
from tests.client.relays import relayed
from tests.support import Daemon, Folder, memd, until

SYSTEMCTL = """#!/bin/sh
case "$*" in *show*socket) echo ActiveState=active;; *show*) echo ActiveState=inactive; echo MainPID=0;; esac
"""


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Have a process do nothing meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def pid_of(daemon: Daemon) -> int:
    return int(daemon.call("ping")["pid"])


def test_down_stops_the_daemon_and_returns_when_it_is_gone(daemon: Daemon) -> None:
    daemon.call("remember", role="main", content="The boiler room key hangs behind the door.", explicit=True)
    pid = pid_of(daemon)
    done = memd("down", "-w", str(daemon.folder.path))
    assert f"Stopped the daemon of {daemon.folder.path}, process {pid}." in done.stdout
    assert "It ran for " in done.stdout
    assert daemon.process is not None
    assert daemon.process.poll() == 0, "it ended before the command returned, and of itself"
    assert not daemon.socket.exists()
    assert "boiler room" in (daemon.folder.path / "roles/main/memory.json").read_text("utf-8")


def test_down_where_none_runs_says_so(workspace: Folder) -> None:
    done = memd("down", cwd=workspace.path, check=False)
    assert (done.returncode, done.stderr) == (69, "")
    assert done.stdout == f"No daemon runs for {workspace.path}; nothing was stopped.\n"
    shown = json.loads(memd("down", "--json", cwd=workspace.path, check=False).stdout)
    assert shown == {"workspace": str(workspace.path), "stopped": False, "pid": None, "starts_again": []}


def test_down_as_json(daemon: Daemon) -> None:
    pid = pid_of(daemon)
    shown = json.loads(memd("down", "--json", cwd=daemon.folder.path).stdout)
    assert shown == {"workspace": str(daemon.folder.path), "stopped": True, "pid": pid, "starts_again": []}


def test_another_workspaces_daemon_is_never_touched(daemon: Daemon, tmp_path: Path) -> None:
    other = Folder.make(tmp_path / "other")
    done = memd("down", cwd=other.path, env={"MEMD_SOCKET": str(daemon.socket)}, check=False)
    assert done.returncode == 69
    assert "No daemon runs for" in done.stdout
    assert daemon.call("ping")["pong"]


def test_a_daemon_that_does_not_end_is_named_with_what_to_do(daemon: Daemon) -> None:
    pid = pid_of(daemon)
    with stopped(pid):
        done = memd("down", "--wait", "0.2", cwd=daemon.folder.path, check=False)
        assert done.returncode == 75
        assert f"process {pid}, the daemon of {daemon.folder.path}, has not ended after 0.2 s" in done.stderr
        assert f"`kill -9 {pid}`" in done.stderr
    assert daemon.process is not None
    assert daemon.process.ends_within(20) if isinstance(daemon.process, forking.Process) else True


def test_a_lock_that_names_somebody_else_ends_nobody(workspace: Folder) -> None:
    (workspace.path / ".memory").mkdir(exist_ok=True)
    with subprocess.Popen(["sleep", "60"]) as bystander, (workspace.path / ".memory/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(json.dumps({"pid": bystander.pid, "what": "daemon", "socket": ""}))
        lock.flush()
        done = memd("down", cwd=workspace.path, check=False)
        assert done.returncode == 75
        assert f"process {bystander.pid}, the daemon of {workspace.path}, cannot be reached from here" in done.stderr
        assert bystander.poll() is None
        bystander.kill()


def test_a_daemon_that_may_not_write_is_found_without_a_lock(workspace: Folder, short_dir: Path) -> None:
    (workspace.path / ".memory/lock").mkdir(parents=True)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    assert daemon.call("status")["mode"].startswith("read-only")
    done = memd("down", cwd=workspace.path, env={"MEMD_SOCKET": str(daemon.socket)})
    assert "Stopped the daemon of" in done.stdout
    assert daemon.process is not None
    assert daemon.process.poll() == 0
    daemon.stop()


def test_what_systemd_starts_again_is_told(daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/systemctl").write_text(SYSTEMCTL)
    (tmp_path / "bin/systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    unit = f"memd-{workspace_key(str(daemon.folder.path))}.socket"
    units = tmp_path / "home/.config/systemd/user"
    units.mkdir(parents=True)
    (units / unit).write_text("[Socket]\n")
    done = memd("down", cwd=daemon.folder.path)
    assert "Stopped the daemon" in done.stdout
    assert "systemd starts it again at the next request" in done.stdout
    assert f"systemctl --user stop {unit}" in done.stdout
    again = memd("down", cwd=daemon.folder.path, check=False)
    assert again.returncode == 69
    assert "systemd starts one at the next request" in again.stdout


def test_up_says_what_is_there_already(daemon: Daemon, tmp_path: Path) -> None:
    pid, path = pid_of(daemon), str(daemon.folder.path)
    done = memd("up", "-w", path, cwd=tmp_path, check=False)
    assert done.returncode == 75
    for told in (f"process {pid}, since 20", f"workspace  {path}", f"socket     {daemon.socket}", f"memd down --workspace {path}"):  # fmt: skip
        assert told in done.stderr
    assert "lock" not in done.stderr
    again = memd("up", "--detach", cwd=daemon.folder.path)
    assert f"memd runs here already: process {pid}, since 20" in again.stdout
    elsewhere = memd("up", "--detach", "--socket", f"{daemon.socket}2", cwd=daemon.folder.path, check=False)
    assert elsewhere.returncode == 75
    assert f"socket     {daemon.socket}\n" in elsewhere.stderr
    assert pid_of(daemon) == pid


def test_up_detach_and_down_as_a_person_types_them(workspace: Folder) -> None:
    up = memd("up", "--detach", cwd=workspace.path)
    assert "to stop it: memd down" in up.stdout
    pid = json.loads(memd("status", "--json", cwd=workspace.path).stdout)["pid"]
    assert f"memd {pid} answers at " in up.stdout
    said = [os.readlink(f"/proc/{pid}/fd/{handle}") for handle in (1, 2)]
    assert said == [os.devnull] * 2, "what it says later grows no file"
    assert "Stopped" in memd("down", cwd=workspace.path).stdout
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()


def test_up_detach_that_fails_says_why(workspace: Folder, short_dir: Path) -> None:
    with (workspace.path / "memd.toml").open("a") as settings:
        settings.write("\n[daemon2]\nx = 1\n")
    done = memd("up", "--detach", cwd=workspace.path, check=False)
    assert done.returncode == 78
    assert "the daemon ended with status 78 before it answered: memd.toml:" in done.stderr
    assert "daemon2" in done.stderr
    assert done.stderr.count("Try: ") == 1
    assert "internal" not in done.stderr
    shutil.rmtree(workspace.path)
    Folder.make(workspace.path)
    (short_dir / "taken").write_text("")
    taken = memd("up", "--detach", "--socket", str(short_dir / "taken"), cwd=workspace.path, check=False)
    assert taken.returncode == 73
    assert f"{short_dir / 'taken'} is not a socket of ours" in taken.stderr


def test_a_daemon_is_not_mistaken_for_another_workspaces(daemon: Daemon, tmp_path: Path) -> None:
    other = Folder.make(tmp_path / "other")
    done = memd("up", "--detach", cwd=other.path, env={"MEMD_SOCKET": str(daemon.socket)}, check=False)
    assert done.returncode == 73
    assert f"another daemon answers at {daemon.socket}" in done.stderr


def ask_and_kill(daemon: Daemon, *words: str) -> tuple[int, str, str]:
    """Run a verb, kill the daemon when it has been asked, and return what the verb said."""
    pid = pid_of(daemon)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, stopped(pid):
        asked = forking.start(
            *words,
            "-w",
            str(daemon.folder.path),
            env={**os.environ, "MEMD_SOCKET": str(daemon.socket)},
            stdout=out,
            stderr=err,
        )
        path = f" {daemon.socket}"
        until(lambda: sum(line.endswith(path) for line in Path("/proc/net/unix").read_text().splitlines()) > 1, 20, "it is asked")  # fmt: skip
        daemon.kill()
        status = asked.wait(60)
        texts = []
        for one in (out, err):
            one.seek(0)
            texts.append(one.read().decode())
    return status, texts[0], texts[1]


BEES = ("remember", "main", "I keep bees on the roof.", "--explicit")


def test_a_daemon_that_ends_while_it_is_asked_to_change_something(daemon: Daemon, short_dir: Path) -> None:
    with relayed(daemon.socket, short_dir / "relay", unanswered=["remember"]) as relay:
        env = {"MEMD_SOCKET": str(relay.path)}
        done = memd(*BEES, cwd=daemon.folder.path, env=env, check=False)
    assert (done.returncode, done.stdout) == (69, "")
    assert "the daemon ended during the request; whether this was done is not known" in done.stderr
    assert "no daemon answers" not in done.stderr
    assert relay.count("remember") == 1
    assert daemon.call("memory.list", role="main")["total"] == 1, "and it was done"


def test_a_daemon_killed_before_it_took_anything_is_not_missed_by_what_changes_something(daemon: Daemon) -> None:
    status, out, err = ask_and_kill(daemon, *BEES)
    assert (status, err) == (0, "")
    assert out.startswith("stored")
    assert memd("list", "main", cwd=daemon.folder.path).stdout.count("bees") == 1


@pytest.mark.demo
def test_a_daemon_killed_while_it_is_asked_something_is_not_missed(daemon: Daemon) -> None:
    status, out, err = ask_and_kill(daemon, "list", "nora")
    assert status == 0, err
    assert out == memd("list", "nora", cwd=daemon.folder.path).stdout
    assert err == ""


@pytest.mark.demo
def test_a_stale_socket_is_nobody(workspace: Folder, short_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(short_dir / "s"))
    env = {"MEMD_SOCKET": str(short_dir / "s")}
    assert memd("list", "nora", cwd=workspace.path, env=env).stderr == ""
    assert memd("down", cwd=workspace.path, env=env, check=False).returncode == 69
    memd("up", "--detach", cwd=workspace.path, env=env)
    assert "Stopped" in memd("down", cwd=workspace.path, env=env).stdout
