"""Tasks as their files say, and the moves of the table made on them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import TaskMoveError, TaskUnknownError
from memd.formats.task_file import changed_task, load_task
from memd.formats.times import to_iso
from memd.model.change import Put
from memd.model.names import is_name
from memd.model.runs import Acceptance, Evidence, RunState, Said, Task, TaskRun
from memd.model.tasks import TASK_MOVES, Move, words_for
from memd.storage.layout import TASKS, task_file
from memd.storage.listing import list_side

if TYPE_CHECKING:
    from memd.store.store import Store

ENDED = {RunState.COMPLETED: Move.COMPLETE}


class TaskText(NamedTuple):
    """A task with the text it was read from."""

    task: Task
    text: str


async def task_of(store: Store, name: str) -> TaskText:
    """Return a task as its file is now; TaskUnknownError, or RejectedFileError with the line that cannot be read."""
    wanted = unicodedata.normalize("NFC", name)
    text = store.texts.read(store.tree, task_file(wanted)) if is_name(wanted) else None
    if text is None:
        raise TaskUnknownError(name)
    return TaskText(load_task(text, task_file(wanted)), text)


def task_names(store: Store) -> list[str]:
    """Return the names of all tasks."""
    found = {one.name for one in list_side(store.tree, TASKS) if one.is_file}
    found |= {name.rpartition("/")[2] for name in store.texts.names(TASKS)}
    return sorted(one.removesuffix(".toml") for one in found if one.endswith(".toml") and not one.startswith("."))


def moved(
    store: Store,
    found: TaskText,
    move: Move,
    *,
    run: tuple[str, RunState] | None = None,
    acceptance: Acceptance = Acceptance.PENDING,
    said: str = "",
    evidence: Sequence[Evidence] = (),
) -> Put:
    """Return what writes a move into a task's file, or raise TaskMoveError where it may not follow.

    `run`: which run, and how it stands; `said`: the person's words, for a verdict.
    """
    task = found.task
    state = TASK_MOVES[task.state].get(move)
    if state is None:
        raise TaskMoveError(task.name, task.state.value, move.value, words_for(task.state))
    now = to_iso(store.ports.now())
    entry = TaskRun(run[0], run[1], acceptance) if run else None
    verdict = Said(move.value, now, run[0] if run else "", said) if move in VERDICTS else None
    final = run[0] if run and move is Move.ACCEPT else ""
    text = changed_task(found.text, state=state, run=entry, said=verdict, evidence=evidence, final_run=final)
    return Put(task_file(task.name), found.text, text)


VERDICTS = {Move.ACCEPT: Acceptance.ACCEPTED, Move.REVISE: Acceptance.REVISED, Move.ABANDON: Acceptance.ABANDONED}
