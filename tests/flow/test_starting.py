"""The daemon starts with an agent's session, where this machine said so: once, whatever windows there are, and nowhere else."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memd.client import Client, socket_of
from memd.config import place_of
from memd.errors import DaemonMissingError
from memd.storage.itself import own_line
from memd.storage.lock import holder_of
from tests import forking
from tests.flow.test_service import programs  # noqa: F401  a fixture
from tests.support import Daemon, Folder, memd, until

NODE = "The build needs Node 22."


def hook(
    folder: Folder, event: str, *words: str, session: str = "s", cwd: str = "", busy: bool = False, **payload: Any
) -> str:
    """What the agent's model is told; the hook finds everything by itself. On a `busy` machine it may give up waiting."""
    given = {"hook_event_name": event, "session_id": session, "cwd": cwd or str(folder.path.parent), **payload}
    ran = forking.run("hook", "claude", *words, given=json.dumps(given).encode(), timeout_s=30)
    assert (ran.returncode, ran.stderr) == (0, b"") or (busy and (ran.returncode, ran.stdout) == (0, b"")), ran.stderr
    said = json.loads(ran.stdout) if ran.stdout else {}
    return str(said.get("hookSpecificOutput", {"additionalContext": ""})["additionalContext"])


def start(folder: Folder, **more: Any) -> str:
    return hook(folder, "SessionStart", "--workspace", str(folder.path), source="startup", **more)


def comes(folder: Folder, text: str) -> str:
    """Return what a session is told that is told something: the first, or on a busy machine one after its daemon is up or ended."""
    told: list[str] = []

    def tells() -> bool:
        told.append(start(folder, session=f"n{len(told)}", busy=True))
        return text in told[-1]

    until(tells, 30, f"{text} is told")
    return told[-1]


def daemon_of(folder: Folder) -> int:
    try:
        with Client(socket_of(str(folder.path))) as client:
            return int(client.call("ping")["pid"])
    except DaemonMissingError:
        return 0


@pytest.fixture
def folder(workspace: Folder) -> Iterator[Folder]:
    (workspace.path / "MEMORY.md").write_text(f"# Memory\n\n- {NODE}\n", "utf-8")
    yield workspace
    holder = holder_of(str(workspace.path))
    if holder and holder.pid:
        with suppress(ProcessLookupError):
            os.kill(holder.pid, signal.SIGTERM)
        until(lambda: holder_of(str(workspace.path)) is None, 20, "the daemon ended")


@pytest.fixture
def installed(folder: Folder) -> Folder:
    memd("hook", "install", "claude", "-w", str(folder.path))
    return folder


def test_a_session_starts_the_daemon_and_is_told_what_it_knows(installed: Folder) -> None:
    assert comes(installed, NODE)
    pid = daemon_of(installed)
    assert pid
    assert os.getsid(pid) == os.getsid(pid) != os.getsid(0)
    assert comes(installed, NODE)
    assert daemon_of(installed) == pid
    assert not (Path(place_of(str(installed.path)).state) / "spool/starting").exists()


def test_two_windows_at_once_start_one_daemon(installed: Folder) -> None:
    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(lambda number: start(installed, session=f"s{number}"), range(6)))
    until(lambda: daemon_of(installed), 30, "one answers")
    assert {text for text in told if NODE not in text} <= {""}  # on a busy machine it comes with the first prompt
    diary = Path(place_of(str(installed.path)).state, "spool/start.log").read_text()
    assert diary.count("holds") == 1
    assert "Error" not in diary


def test_a_prompt_starts_none_and_waits_in_the_spool_for_the_next_session(installed: Folder) -> None:
    words = ("--workspace", str(installed.path))
    assert hook(installed, "UserPromptSubmit", *words, prompt="Remember that I am left-handed.", prompt_id="p") == ""
    assert daemon_of(installed) == 0
    assert comes(installed, "left-handed")
    assert daemon_of(installed)


def test_where_this_machine_has_not_said_so_nothing_starts_and_what_to_do_is_said_once(folder: Folder) -> None:
    told = start(folder)
    assert "hook install claude" in told
    assert "up --detach" in told
    assert start(folder, session="another") == ""
    assert daemon_of(folder) == 0
    assert holder_of(str(folder.path)) is None


@pytest.mark.parametrize(
    ("locale", "says"), [("C.UTF-8", "memory: no daemon answers yet"), ("zh_CN.UTF-8", "记忆：守护进程还没有响应")]
)
def test_the_person_is_shown_what_says_more_where_no_daemon_answers(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, locale: str, says: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    given = json.dumps({"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/", "source": "startup"})
    ran = forking.run("hook", "claude", "--workspace", str(folder.path), given=given.encode(), timeout_s=30)
    shown = json.loads(ran.stdout)["systemMessage"]
    assert shown.startswith(says)
    assert f"`{own_line('doctor', '--workspace', str(folder.path))}`" in shown


@pytest.mark.parametrize(
    ("locale", "says"), [("C.UTF-8", "memory: there is no memd workspace at"), ("zh_CN.UTF-8", "没有 memd 工作区")]
)
def test_the_person_is_shown_that_the_workspace_that_was_named_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: str, says: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    for event, shows in (("SessionStart", True), ("UserPromptSubmit", False)):
        given = json.dumps(
            {"hook_event_name": event, "session_id": "s", "cwd": "/", "prompt": "hello", "prompt_id": "p"}
        )
        ran = forking.run("hook", "claude", "--workspace", str(tmp_path / "gone"), given=given.encode(), timeout_s=30)
        assert (says in ran.stdout.decode()) is shows
        assert (str(tmp_path / "gone") in ran.stdout.decode()) is shows
    assert not (tmp_path / "gone").exists()


def ask_of_a_stranger(clone: Folder, how: str, installed: Folder) -> None:
    """A clone that would like to be served, in some way or another."""
    private = clone.path / ".memory/state"
    private.mkdir(parents=True, exist_ok=True)
    theirs = place_of(str(installed.path)).state
    ours = place_of(str(clone.path)).state
    if how == "with the id of another":
        (private / "id").write_bytes((installed.path / ".memory/state/id").read_bytes())
    elif how == "with a grant of its own":
        (private / "id").write_text("0" * 32 + "\n")
        grant = {
            "form": 1,
            "workspace": str(clone.path),
            "id": "0" * 32,
            "granted": {"hooks.start": True},
            "approved": [],
        }
        (private / "trust.json").write_text(json.dumps(grant))
        (clone.path / "memd.toml").write_text((clone.path / "memd.toml").read_text() + "\n[trust]\nstart = true\n")
    elif how == "at the place of one that was trusted":
        Path(ours).mkdir(parents=True, mode=0o700)
        Path(ours, "trust.json").write_bytes(Path(theirs, "trust.json").read_bytes().replace(str(installed.path).encode(), str(clone.path).encode()))  # fmt: skip
        (private / "id").write_text("1" * 32 + "\n")


@pytest.mark.parametrize(
    "how", ["as it is", "with the id of another", "with a grant of its own", "at the place of one that was trusted"]
)
@pytest.mark.parametrize("named", [True, False])
def test_a_clone_that_nobody_trusted_is_never_served(installed: Folder, tmp_path: Path, how: str, named: bool) -> None:
    clone = Folder.make(tmp_path / "clone")
    ask_of_a_stranger(clone, how, installed)
    told = start(clone) if named else hook(clone, "SessionStart", source="startup", cwd=str(clone.path / "roles"))
    assert bool(told) == named or how == "at the place of one that was trusted"
    assert NODE not in told
    assert daemon_of(clone) == 0
    assert holder_of(str(clone.path)) is None
    assert not (clone.path / ".memory/lock").exists()


def test_a_copy_at_the_place_of_a_trusted_workspace_is_not_served(installed: Folder) -> None:
    installed.path.rename(installed.path.with_name("old"))
    clone = Folder.make(installed.path)
    assert "has not let hooks start it" in start(clone)
    assert daemon_of(clone) == 0


def test_what_was_said_can_be_taken_back(installed: Folder) -> None:
    assert "hooks.start" in memd("trust", "-w", str(installed.path)).stdout
    memd("trust", "--revoke", "hooks.start", "-w", str(installed.path))
    assert "has not let hooks start it" in start(installed)
    assert daemon_of(installed) == 0


def test_a_daemon_that_cannot_start_is_told_with_its_reason_once(installed: Folder) -> None:
    (installed.path / "memd.toml").write_text("[gate]\nkeep_from = 'x'\n")
    assert "keep_from" in comes(installed, "could not be started")
    assert start(installed, session="another") == ""


def test_a_mark_that_a_killed_hook_left_holds_nobody_up_for_long(installed: Folder) -> None:
    spool = Path(place_of(str(installed.path)).state, "spool")
    spool.mkdir(mode=0o700)
    (spool / "starting").touch(0o600)
    os.utime(spool / "starting", (time.time() - 60,) * 2)
    assert comes(installed, NODE)


def test_another_window_that_starts_it_is_waited_for(installed: Folder) -> None:
    spool = Path(place_of(str(installed.path)).state, "spool")
    spool.mkdir(mode=0o700)
    (spool / "starting").touch(0o600)
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(start, installed)
        memd("up", "--detach", "-w", str(installed.path))
        assert NODE in waits.result() or comes(installed, NODE)
    assert not (spool / "start.log").exists()


def test_a_service_that_is_installed_is_started_in_place_of_a_process(
    installed: Folder,
    programs: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memd("service", "install", "-w", str(installed.path), check=False)
    programs.write_text("")
    start(installed)
    started = [line for line in programs.read_text().splitlines() if " start " in line]
    assert len(started) == 1
    assert started[0].startswith("systemctl --user start memd-")
    assert holder_of(str(installed.path)) is None
    monkeypatch.setenv("SYSTEMCTL_STATUS", "1")
    assert comes(installed, NODE)


def test_the_hook_tells_what_it_did_when_it_was_installed(folder: Folder) -> None:
    said = memd("hook", "install", "claude", "-w", str(folder.path)).stdout
    assert "start the daemon with a session" in said
    again = json.loads(memd("hook", "install", "claude", "-w", str(folder.path), "--json").stdout)
    assert again["starts_daemon"] is True
    memd("hook", "install", "codex", "-w", str(folder.path), "--print")


def test_what_a_daemon_makes_nobody_else_writes(workspace: Folder, short_dir: Path) -> None:
    before = os.umask(0)
    try:
        daemon = Daemon(workspace, short_dir / "s", alone=True)
        daemon.start()
    finally:
        os.umask(before)
    daemon.call("remember", role="main", content="I keep the kiln's key in the blue tin.", explicit=True)
    daemon.call("session.open", session="talk")
    daemon.stop()
    made = [one for top in (".memory", "sessions") for one in (workspace.path / top).rglob("*")]
    assert len(made) > 5
    assert [str(one) for one in made if one.stat().st_mode & 0o022] == []
