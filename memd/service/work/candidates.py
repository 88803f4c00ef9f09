"""Candidates for skills: made by accept alone, each under its task's name, with all the task's runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.errors import LearningUnknownError, RejectedFileError, RunUnknownError
from memd.formats.skill_file import dump_candidate, load_candidate, with_values
from memd.formats.times import to_iso
from memd.model.change import Put
from memd.model.names import is_name
from memd.model.tasks import CandidateState, LearningCandidate
from memd.service.work.receipts import receipt_of
from memd.storage.layout import CANDIDATES
from memd.storage.side import list_side

if TYPE_CHECKING:
    from memd.model.runs import Task
    from memd.store.store import Store


def candidate_file(name: str) -> str:
    """Return the file of a candidate."""
    return f"{CANDIDATES}/{name}.toml"


async def candidate_put(store: Store, task: Task, final_run: str) -> Put:
    """Return what writes the candidate of a task that is being accepted."""
    used: dict[str, None] = {}
    asked = task.asked
    for run in task.runs:
        try:
            receipt = (await receipt_of(store, run.id))[0]
        except (RunUnknownError, RejectedFileError):
            continue
        used.update(dict.fromkeys(str(one) for one in receipt.skills))
        asked = asked or receipt.asked
    candidate = LearningCandidate(
        task.name, task.title, role=task.role, asked=asked, runs=tuple(one.id for one in task.runs),
        final_run=final_run, created_at=to_iso(store.ports.now()), used=tuple(used),
    )  # fmt: skip
    name = candidate_file(task.name)
    return Put(name, store.texts.read(store.tree, name), dump_candidate(candidate))


def read_candidate(store: Store, name: str) -> tuple[LearningCandidate, str]:
    """Return a candidate and its text, or raise LearningUnknownError."""
    text = store.texts.read(store.tree, candidate_file(name)) if is_name(name) else None
    if text is None:
        raise LearningUnknownError("candidate", name)
    return load_candidate(text, candidate_file(name)), text


def candidate_names(store: Store) -> list[str]:
    """Return the names of all candidates."""
    found = {one.name for one in list_side(store.tree, CANDIDATES) if one.is_file and not one.name.startswith(".")}
    found |= {name.rpartition("/")[2] for name in store.texts.names(CANDIDATES)}
    return sorted(one.removesuffix(".toml") for one in found if one.endswith(".toml"))


def candidate_moved(store: Store, name: str, state: CandidateState, skill: str, **more: str) -> Put:
    """Return what writes how far a candidate has come."""
    text = read_candidate(store, name)[1]
    return Put(candidate_file(name), text, with_values(text, {"state": state.value, "skill": skill, **more}))
