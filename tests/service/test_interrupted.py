"""Runs whose process died: closed as interrupted at the next start, and able to go on after all."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from memd.daemon import Local, close_what_died
from memd.errors import RunLimitError
from tests.service.test_runs import call, kinds, started
from tests.service.test_verbs import work
from tests.support import Daemon, Folder, until


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until it is killed."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def states(daemon: Daemon) -> dict[str, str]:
    told = daemon.call("run.list")
    return {one["run"]: one["state"] for one in (*told["running"], *told["runs"])}


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_run_ends_with_its_process_as_the_next_daemon_sees(
    workspace: Folder, short_dir: Path, child: subprocess.Popen[bytes], end: str
) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    daemon.call("task.open", title="Fix it", task="t")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        pids = {"lives": child.pid, "dies": other.pid, "unknown": 0, "was-gone": int(gone.stdout)}
        for run, pid in pids.items():
            daemon.call("run.start", run=run, pid=pid, task="t", asked="Fix it.")
            daemon.call("run.event", run=run, events=[call()])
        other.kill()
        other.communicate()
    assert set(states(daemon).values()) == {"running"}
    until(lambda: daemon.call("status")["log"]["waiting"] == 0, 5, "all is in the files")
    getattr(daemon, end)()
    daemon.start()
    try:
        until(lambda: daemon.call("status")["log"]["waiting"] == 0, 5, "the receipts are in the files")
        assert states(daemon) == {
            "lives": "running", "dies": "interrupted", "unknown": "interrupted", "was-gone": "interrupted",
        }  # fmt: skip
        found = daemon.call("run.get", run="dies")
        assert (found["tools"], found["asked"], found["acceptance"]) == ({"read_file": 1}, "Fix it.", "pending")
        task = daemon.call("task.get", task="t")
        assert (task["state"], task["running"]) == ("open", ["lives"])
        assert {one["id"]: one["state"] for one in task["runs"]} == states(daemon)
        assert daemon.call("run.get", run="lives")["alive"]
        assert daemon.call("run.complete", run="lives")["state"] == "completed"
    finally:
        daemon.stop()


def die(folder: Folder, steps: Callable[[Local], Awaitable[None]]) -> None:
    """Do steps in a process that ends with the last acknowledgement, when only the log has it: git holds the files."""
    (folder.path / ".git").mkdir()
    (folder.path / ".git/index.lock").touch()
    pid = os.fork()
    if pid == 0:

        async def last(service: Local) -> None:
            await steps(service)
            os._exit(42)

        work(folder, last)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 42


def test_a_kill_right_after_the_acknowledgement_costs_a_run_no_event(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1", asked="Fix it.")
        await service.call("run.event", run="r1", events=[call()])

    die(workspace, steps)

    async def later(service: Local) -> None:
        await close_what_died(service.store)
        found = await service.call("run.get", run="r1")
        assert (found["state"], found.get("tools")) == ("interrupted", {"read_file": 1})

    work(workspace, later)


def test_a_kill_right_after_the_acknowledgement_leaves_the_session_known(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("session.open", session="s")
        await service.call("session.append", session="s", events=[{"speaker": "user", "content": "Hello."}])

    die(workspace, steps)

    async def later(service: Local) -> None:
        assert (await service.call("session.get", session="s"))["events"] == 2

    work(workspace, later)


def test_a_process_that_nobody_waited_for_is_dead(workspace: Folder, child: subprocess.Popen[bytes]) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1", pid=child.pid)
        child.send_signal(signal.SIGKILL)
        until(lambda: b") Z " in Path(f"/proc/{child.pid}/stat").read_bytes(), 5, "the child ended")
        await close_what_died(service.store)
        assert (await service.call("run.get", run="r1"))["state"] == "interrupted"

    work(workspace, steps)


@pytest.fixture
def interrupted(workspace: Folder) -> Folder:
    """A workspace with an interrupted run r1 of a task t, with a limit of its own."""

    async def steps(service: Local) -> None:
        await service.call("task.open", title="Fix it", task="t")
        await started(service, run="r1", task="t", asked="Fix it.", max_tool_iterations=2, skills=["fix@1"])
        await service.call("run.event", run="r1", events=[call()])
        await close_what_died(service.store)
        assert (await service.call("run.get", run="r1"))["state"] == "interrupted"

    work(workspace, steps)
    return workspace


def test_an_interrupted_run_may_go_on_and_end_as_if_nothing_was(interrupted: Folder) -> None:
    async def steps(service: Local) -> None:
        assert (await service.call("run.event", run="r1", events=[call()]))["iterations"] == 2
        assert (await service.call("run.get", run="r1"))["state"] == "running"
        done = await service.call("run.complete", run="r1", summary="Done after all.")
        assert (done["state"], done["tools"]) == ("completed", {"read_file": 2})
        assert (await service.call("run.complete", run="r1", summary="Done after all."))["already"]
        assert (await service.call("task.get", task="t"))["state"] == "review"
        accepted = await service.call("task.accept", task="t")
        assert accepted["final_accepted_run_id"] == "r1"
        assert (await kinds(service, "r1"))["run_completed"] == 2

    work(interrupted, steps)


def test_an_interrupted_run_that_went_on_is_closed_again_when_it_dies_again(interrupted: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("run.event", run="r1", events=[call()])

    work(interrupted, steps)

    async def later(service: Local) -> None:
        assert (await service.call("run.get", run="r1"))["state"] == "running"
        await close_what_died(service.store)
        assert (await service.call("run.get", run="r1"))["tools"] == {"read_file": 2}

    work(interrupted, later)


def test_an_interrupted_run_that_goes_on_keeps_its_limit(interrupted: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("run.event", run="r1", events=[call()])
        with pytest.raises(RunLimitError):
            await service.call("run.event", run="r1", events=[call()])

    work(interrupted, steps)


def test_what_a_person_wrote_into_the_receipt_of_an_interrupted_run_stays(interrupted: Folder) -> None:
    (path,) = interrupted.path.glob("runs/*/r1.md")
    path.write_text(path.read_text("utf-8") + "\n## My notes\n\nThe power failed.\n", "utf-8")

    async def steps(service: Local) -> None:
        await service.call("run.complete", run="r1")

    work(interrupted, steps)
    assert any("The power failed." in one.read_text("utf-8") for one in path.parent.iterdir())


def test_what_was_said_of_an_interrupted_run_stands_when_it_ends_after_all(interrupted: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("task.abandon", task="t", words="We do without it.")
        await service.call("run.complete", run="r1")
        found = await service.call("run.get", run="r1")
        assert (found["acceptance"], found.get("words")) == ("abandoned", "We do without it.")
        assert (await service.call("skill.effects", recompute=True))["equal"]

    work(interrupted, steps)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("\n## Asked\n", "\nThe power failed.\n\n## Asked\n", id="above the sections"),
        pytest.param("\n## Steps\n", "\n## Evidence\n\n- The power failed.\n\n## Steps\n", id="as evidence"),
        pytest.param("session: r1\n", "session: r1\nmy_note: The power failed.\n", id="in the header"),
    ],
)
def test_whatever_a_person_wrote_into_the_receipt_of_an_interrupted_run_stays(
    interrupted: Folder, old: str, new: str
) -> None:
    (path,) = interrupted.path.glob("runs/*/r1.md")
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")

    async def steps(service: Local) -> None:
        await service.call("run.complete", run="r1")

    work(interrupted, steps)
    assert any("The power failed." in one.read_text("utf-8") for one in path.parent.iterdir())


def test_an_event_that_comes_with_the_end_does_not_take_a_run_up_again(interrupted: Folder) -> None:
    async def steps(service: Local) -> None:
        turn = service.store.working.turn_of("r1")
        asked = []
        async with turn, asyncio.timeout(5):
            for method, given in (("run.complete", {}), ("run.event", {"events": [call()]})):
                asked.append(asyncio.create_task(service.call(method, run="r1", **given)))
                while len(turn._waiters or ()) < len(asked):  # both know the run before either has its turn
                    await asyncio.sleep(0.01)
        await asyncio.gather(*asked, return_exceptions=True)
        assert (await service.call("run.get", run="r1"))["state"] == "completed"
        assert (await service.call("run.complete", run="r1"))["already"]

    work(interrupted, steps)


# What cannot be closed must not keep the daemon from starting: a person's memory stands behind it.


def test_a_broken_receipt_does_not_keep_the_daemon_from_starting(workspace: Folder, short_dir: Path) -> None:
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    daemon.call("run.start", run="r1")
    daemon.stop()
    daemon.start()
    daemon.call("run.event", run="r1", events=[call()])
    daemon.stop()
    (path,) = workspace.path.glob("runs/*/r1.md")
    path.write_bytes(b"\xff\xfe")
    try:
        daemon.start()
    finally:
        daemon.stop()


@pytest.fixture
def full(workspace: Folder, short_dir: Path) -> Iterator[Daemon]:
    """A daemon with a run r1 whose session has no room left."""
    workspace.settings(limits__session_bytes=100_000)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    daemon.call("run.start", run="r1", asked="Fix it.")
    daemon.call("run.event", run="r1", events=[{"speaker": "user", "content": "x" * 120_000}])
    yield daemon
    daemon.stop()


def test_a_run_ends_though_its_session_is_full(full: Daemon) -> None:
    assert full.call("run.complete", run="r1")["state"] == "completed"


def test_a_full_session_does_not_keep_the_daemon_from_starting(full: Daemon) -> None:
    full.stop()
    full.start()
    assert full.call("run.get", run="r1")["state"] == "interrupted"
