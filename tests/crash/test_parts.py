"""A record has several parts, each for a file of its own: whichever of them waited at a kill, the later word stands.

For every verb and every later verb on the same memory: while files of one kind are refused the first is acknowledged, while
files of another kind are refused the second, then the process is killed. The same for each step of a task.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.store.opening import open_workspace
from memd.store.store import Store
from tests.crash.history import views
from tests.crash.history.files import faults_of
from tests.crash.history.seam import Seam
from tests.crash.history.task_verbs import SKILL, TASK, see_skill, see_task
from tests.crash.history.things import State, Thing, judge
from tests.crash.history.verbs import MEMORY, live, see_memory
from tests.support import Folder

pytestmark = pytest.mark.slice

Call = Callable[..., Coroutine[Any, Any, dict[str, Any]]]
Work = Callable[[Store, Seam, Call], Awaitable[None]]
ARCHIVE = f"{datetime.now(UTC):%Y-%m}.jsonl"
DECLARED, ROLE = "declarative.md", "memory.json"
FIRST = {"": "remember", "live": "update forget erase link", "archived": "restore undo erase"}
LATER = {"live": "update forget erase link", "archived": "restore undo erase", "": ""}


def left_by(verb: str) -> str:
    """Return how a verb leaves a memory."""
    return {"forget": "archived", "erase": ""}.get(verb, "live")


def pairs() -> list[tuple[str, str, str]]:
    """Every way a memory is before, each verb that can come, and each that can come after it."""
    firsts = ((before, one) for before, verbs in FIRST.items() for one in verbs.split())
    return [(before, one, other) for before, one in firsts for other in LATER[left_by(one)].split()]


def mark(number: int) -> str:
    return f"u{number:012x}"


def content(number: int, said: str) -> str:
    return f"Fact {mark(number)} 记住 {said}."


async def ask(call: Call, number: int, verb: str, state: State, ids: dict[int, str]) -> State:
    """Carry out a verb; return the state it leaves."""
    told = {"role": "main", "id": ids.get(number, "")}
    match verb:
        case "remember":
            text = content(number, "first")
            ids[number] = (await call("remember", role="main", content=text, explicit=True, kind="semantic"))["id"]
            return live("main", text)
        case "update":
            text = content(number, f"{(state or {}).get('content', '')[-6:-1]} then")
            await call("memory.update", **told, content=text)
            return {**state, "content": text}
        case "link":
            await call("memory.link", **told, to=ids[0])
            return {**state, "related": [ids[0]]}
        case "forget":
            await call("memory.forget", **told)
            return {**state, "is": "archived"}
        case "restore":
            await call("memory.restore", **told)
            return {**state, "is": "live"}
        case "undo":
            await call("memory.undo", **told)
            return {**state, "is": "live"}
        case _:
            await call("memory.forget", **told, erase=True)
            return None


async def quiet(store: Store, seam: Seam, *, noted: bool = True) -> None:
    """Wait until only what is refused is still to be written; `noted`: and the log says so."""
    applier = store.writer.applier
    assert applier is not None

    def waits() -> Iterator[str]:
        yield from (name for name, lines in applier._lines.items() if lines)
        yield from (f"roles/{role.name}/{ROLE}" for role in store.roles.values() if role.unsaved.pending)
        yield from (name for name, puts in applier.texts.queues.items() if puts)

    async with asyncio.timeout(30):
        while any(not any(one in name for one in seam.blocked) for name in waits()):
            await asyncio.sleep(0.005)
    if noted and store.writer.running is not None:
        await store.writer.running.advance()


def killed_after(folder: Folder, work: Work) -> None:
    """Work in a child, and kill it."""
    child = os.fork()
    if child == 0:  # pragma: no cover  the child is killed

        async def run() -> None:
            seam = Seam()
            place = Place(str(folder.path), "", "")
            store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=seam)
            await work(store, seam, Local(store, service_of(store, place)).call)
            os.kill(os.getpid(), signal.SIGKILL)

        try:
            asyncio.run(run())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == -signal.SIGKILL, "the work was done before the kill"


def look(folder: Folder, things: list[Thing], see: Callable[[views.View, Thing], State], copy: Path) -> None:
    """The state of each thing, as a reader beside the log tells it, as whoever takes over serves it, and by the files alone."""
    wanted = {one: one.acknowledged for one in things}
    wrong: list[str] = []

    def tell(who: str, view: views.View) -> None:
        for one, state in wanted.items():
            one.acknowledged, one.broken = state, False
        wrong.extend(f"{who}: {one}" for one in judge(things, lambda one: see(view, one)))

    async def take_over() -> views.View:
        place = Place(str(folder.path), "", "")
        store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"})
        service = Local(store, service_of(store, place, daemon=False))
        served = await asyncio.to_thread(views.serve, through(service.call, asyncio.get_running_loop()), [])
        await store.close()
        return served

    before = views.read_afresh(folder.path, copy, with_log=True, snapshots=[])
    tell("a reader beside the log", before)
    served = asyncio.run(take_over())
    tell("who takes over", served)
    wrong += [f"a reader and who takes over differ: {one}" for one in views.differences(before, served)]
    shutil.rmtree(copy)
    shutil.copytree(folder.path, copy)
    gone = [one.key for one, state in wanted.items() if one.kind == MEMORY and state is None]
    wrong += faults_of(copy, served, gone)
    after = views.read_afresh(folder.path, copy, with_log=False, snapshots=[])
    tell("the files alone", after)
    wrong += [f"who takes over and the files differ: {one}" for one in views.differences(served, after)]
    assert not wrong, "\n".join(wrong)


def through(call: Call, loop: asyncio.AbstractEventLoop) -> views.Call:
    """Return a call that waits, for a thread beside the loop."""

    def waiting(method: str, **params: Any) -> dict[str, Any]:
        return asyncio.run_coroutine_threadsafe(call(method, **params), loop).result(60)

    return waiting


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder.make(tmp_path / "m", demo=False)
    made.settings(gate__relations=False, limits__scorings_per_day=10**6)
    (made.path / "roles/main").mkdir(parents=True, exist_ok=True)
    return made


BLOCKED = [(DECLARED,), (ARCHIVE,), (ROLE,), (DECLARED, ARCHIVE), (DECLARED, ARCHIVE, ROLE)]
CASES = [
    *((one, one) for one in BLOCKED),
    ((DECLARED,), (ROLE,)), ((ROLE,), (DECLARED,)), ((ARCHIVE,), (ROLE,)), ((ROLE,), (ARCHIVE,)), ((), (ARCHIVE, ROLE)),
]  # fmt: skip


def ids_of(value: Any) -> str:
    return ("noted" if value else "not noted") if isinstance(value, bool) else "+".join(value) or "nothing"


@pytest.mark.parametrize(
    ("first", "later", "noted"),
    [*((one, other, True) for one, other in CASES), *((one, one, False) for one in ((DECLARED,), (ARCHIVE,), (ROLE,)))],
    ids=ids_of,
)
def test_the_later_verb_stands_whichever_part_waited_at_the_kill(
    folder: Folder, tmp_path: Path, first: tuple[str, ...], later: tuple[str, ...], *, noted: bool
) -> None:
    cases = list(enumerate(pairs(), 1))
    states = tmp_path / "states"

    async def work(store: Store, seam: Seam, call: Call) -> None:
        ids: dict[int, str] = {}
        await ask(call, 0, "remember", None, ids)
        known: dict[int, State] = dict.fromkeys(dict(cases))
        for number, (before, _, _) in cases:
            for verb in {"": (), "live": ("remember",), "archived": ("remember", "forget")}[before]:
                known[number] = await ask(call, number, verb, known[number], ids)
        await quiet(store, seam)
        for at, refused in enumerate((first, later), 1):
            seam.blocked = refused
            for number, case in cases:
                known[number] = await ask(call, number, case[at], known[number], ids)
            await quiet(store, seam, noted=noted)
        states.write_text(repr((ids, known)), "utf-8")

    killed_after(folder, work)
    ids, known = eval(states.read_text("utf-8"))
    things = [Thing(MEMORY, mark(number), {"role": "main", "id": ids[number]}, known[number]) for number, _ in cases]
    for thing, (_, case) in zip(things, cases, strict=True):
        thing.story.append(", then ".join(case))
    look(folder, things, see_memory, tmp_path / "copy")


STEPS = ("open", "start", "event", "complete", "evidence", "revise", "start", "complete", "accept", "synthesize")


async def step(call: Call, task: str, number: int, state: State) -> State:
    """Carry out a step of a task; return the states of the task and of its skill."""
    runs = state["runs"] if state else {}
    run = f"run-{task[2:]}-{len(runs)}"
    match STEPS[number]:
        case "open":
            await call("task.open", title=f"Task {task}", task=task, role="main")
            return {"state": "open", "runs": {}, "evidence": [], "said": [], "final": ""}
        case "start":
            run = f"run-{task[2:]}-{len(runs) + 1}"
            await call("run.start", run=run, task=task, role="main", asked="Do it.", pid=os.getppid())
            return {**state, "runs": {**runs, run: {"state": "running", "calls": 0}}}
        case "event":
            await call("run.event", run=run, events=[{"kind": "tool_call", "tool": "read", "arguments": {}}])
            return {**state, "runs": {**runs, run: {"state": "running", "calls": 1}}}
        case "complete":
            await call("run.complete", run=run, summary=f"Done {run}")
            return {**state, "state": "review", "runs": {**runs, run: {**runs[run], "state": "completed"}}}
        case "evidence":
            await call("task.evidence", task=task, content="It holds. 成立")
            return {**state, "evidence": ["It holds. 成立"]}
        case "revise":
            await call("task.revise", task=task, words="Again. 再来")
            return {**state, "state": "revising", "said": ["Again. 再来"]}
        case "accept":
            await call("task.accept", task=task, words="Good. 好")
            return {**state, "state": "accepted", "said": [*state["said"], "Good. 好"], "final": run}
        case _:
            await call("learning.synthesize", candidate=task, skill=f"sk-{task[2:]}")
            return state


def skill_after(steps: int) -> State:
    """Return the state of a task's skill after so many steps."""
    if steps < STEPS.index("accept") + 1:
        return None
    drafted = steps > STEPS.index("synthesize")
    return {"candidate": "drafted" if drafted else "open", "draft": "memd" if drafted else "", "version": 0}


OF_WORK = [
    *((one, one) for one in ((), ("t-u",), ("run-u",), ("runs.jsonl",), ("SKILL.md", "t-u"))),
    (("t-u",), ()), ((), ("t-u",)), ((), ("run-u", "runs.jsonl")),
]  # fmt: skip


@pytest.mark.parametrize(("first", "later"), OF_WORK, ids=ids_of)
def test_a_task_stands_as_its_last_step_left_it_whichever_part_waited_at_the_kill(
    folder: Folder, tmp_path: Path, first: tuple[str, ...], later: tuple[str, ...]
) -> None:
    names = {count: f"t-{mark(count)}" for count in range(1, len(STEPS) + 1)}
    states = tmp_path / "states"

    async def work(store: Store, seam: Seam, call: Call) -> None:
        known: dict[int, State] = dict.fromkeys(names)
        for number in range(len(STEPS)):
            going = [count for count in names if number < count]
            for count in going:
                seam.blocked = first if number < count - 1 else later
                known[count] = await step(call, names[count], number, known[count])
        await quiet(store, seam)
        states.write_text(repr(known), "utf-8")

    killed_after(folder, work)
    known = eval(states.read_text("utf-8"))
    things = [Thing(TASK, name, {}, known[count]) for count, name in names.items()]
    things += [Thing(SKILL, f"sk-{name[2:]}", {"candidate": name}, skill_after(count)) for count, name in names.items()]
    look(folder, things, lambda view, one: (see_task if one.kind == TASK else see_skill)(view, one), tmp_path / "copy")
