"""kill -9 at any step of a hook that leaves an event, and of a daemon that takes events in: each is there once, whole."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.storage.system import System
from tests import forking
from tests.flow.test_unheard import NAME, kept, said, taken, waiting
from tests.support import Daemon, Folder, until

pytestmark = pytest.mark.slice

STEPS = ("write", "sync", "sync_data", "rename", "rename_new", "exchange", "unlink", "truncate")
PROMPTS = ("Remember that I am left-handed.", "Is the shop open?", "记住：我女儿叫小雨")


def kill_at(step: int) -> None:
    """Let this process die in place of the step of this number that changes something on the disk, from 1."""
    left = [step]

    def dying(done: Callable[..., Any]) -> Callable[..., Any]:
        def do(*given: Any, **more: Any) -> Any:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return done(*given, **more)

        return do

    for name in STEPS:
        setattr(System, name, dying(getattr(System, name)))


def leave(folder: Folder, socket: Path, event: str, step: int = 0, **payload: Any) -> int:
    """Run a hook that is killed at a step; return its status."""
    given = {"hook_event_name": event, "session_id": NAME.removeprefix("claude-"), "cwd": "/tmp", **payload}
    path = folder.path.parent / "given.json"
    path.write_text(json.dumps(given))
    words = ("hook", "claude", "--workspace", str(folder.path), "--socket", str(socket))
    with path.open("rb") as stdin:
        process = forking.start(*words, stdin=stdin, before=(kill_at, {"step": step}) if step else None)
    return process.wait(30)


def test_a_hook_that_is_killed_leaves_its_event_whole_or_not_at_all(workspace: Folder, short_dir: Path) -> None:
    daemon = Daemon(workspace, short_dir / "s")
    left: list[str] = []
    for step in range(1, 20):
        text = f"Prompt {step} of the day."
        before = len(waiting(workspace))
        status = leave(workspace, daemon.socket, "UserPromptSubmit", step, prompt=text, prompt_id=str(step))
        assert len(waiting(workspace)) - before in (0, 1)
        left += [text] if len(waiting(workspace)) > before else []
        if status == 0:
            break
        assert status == -signal.SIGKILL
    else:
        raise AssertionError("the hook was never through")
    assert step > 3
    daemon.start()
    try:
        taken(daemon)
        assert said(daemon) == [("user", text) for text in left]
    finally:
        daemon.stop()


@pytest.fixture
def left(workspace: Folder, short_dir: Path) -> Iterator[Daemon]:
    daemon = Daemon(workspace, short_dir / "s")
    workspace.write("main", "The deploy key of the shop lives in the blue safe.")
    for number, text in enumerate(PROMPTS):
        for _ in range(2):  # the hooks of both scopes
            assert leave(workspace, daemon.socket, "UserPromptSubmit", prompt=text, prompt_id=f"p{number}") == 0
        assert (
            leave(workspace, daemon.socket, "Stop", last_assistant_message=f"Answer {number}.", prompt_id=f"p{number}")
            == 0
        )
    yield daemon
    daemon.stop()


def look(left: Daemon) -> None:
    """What a daemon that is not killed makes of what is left: each event once, in order."""
    left.start()
    taken(left)
    answered = ((f"Answer {number}.", prompt) for number, prompt in enumerate(PROMPTS))
    assert said(left) == [one for answer, prompt in answered for one in (("user", prompt), ("assistant", answer))]
    assert sorted(kept(left)) == ["I am left-handed", "我女儿叫小雨"]
    told = leave_and_read(left)
    assert "left-handed" in told
    assert "小雨" in told
    left.stop()


def leave_and_read(daemon: Daemon) -> str:
    given = {"hook_event_name": "SessionStart", "session_id": "another", "cwd": "/tmp", "source": "startup"}
    words = ("--workspace", str(daemon.folder.path), "--socket", str(daemon.socket))
    return forking.run("hook", "claude", *words, given=json.dumps(given).encode()).stdout.decode()


def dies_at(left: Daemon, step: int) -> bool:
    """Start a daemon that dies at a step; tell whether it came so far before everything was taken in."""
    words = ("up", "-w", str(left.folder.path), "--socket", str(left.socket))
    process = forking.start(*words, before=(kill_at, {"step": step}))
    until(lambda: process.ends_within(0.02) or not waiting(left.folder), 30, "it dies, or takes everything in")
    died = process.ends_within(0)
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    return died


def test_a_daemon_that_is_killed_at_any_step_takes_each_event_in_once(left: Daemon, tmp_path: Path) -> None:
    kept_aside = tmp_path / "as it was"
    places = (left.folder.path, Path(os.environ["XDG_STATE_HOME"]))
    for one in places:
        shutil.copytree(one, kept_aside / one.name, symlinks=True)
    step = 1
    while dies_at(left, step):
        look(left)
        for one in places:  # not itself: another directory in its place is another workspace
            for below in one.iterdir():
                shutil.rmtree(below) if below.is_dir() else below.unlink()
            shutil.copytree(kept_aside / one.name, one, symlinks=True, dirs_exist_ok=True)
        step += 5  # all of them take half a minute
    assert step > 30
    look(left)


def test_a_daemon_that_is_killed_again_and_again_takes_each_event_in_once(left: Daemon) -> None:
    kills = sum(dies_at(left, 4 + 2 * number) for number in range(16))
    assert kills >= 6
    look(left)
