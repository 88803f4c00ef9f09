"""What there is to learn from: the runs of a candidate, and those that the earlier versions of its skill were learned from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memd.engine.work.alignment import Learned
from memd.errors import LearningStateError, MemdError
from memd.model.runs import Receipt, Step, Story
from memd.service.work.learned import read_candidate, versions_of
from memd.service.work.receipts import receipt_of, steps_of
from memd.service.work.sessions import session_of
from memd.service.work.task_files import task_of

if TYPE_CHECKING:
    from memd.model.tasks import LearningCandidate
    from memd.store.store import Store


async def learned_of(store: Store, candidate: LearningCandidate, skill: str) -> Learned:
    """Return what runs did, oldest first: their receipts, and their sessions where those still are.

    Where the skill is published, the runs behind its versions come first: what they taught stays in the next one.
    """
    earlier = _earlier(store, candidate, skill)
    stories: list[Story] = []
    for one in (*earlier, candidate):
        stories += await _stories(store, one, leads=one is candidate)
    if not any(story.run in candidate.runs for story in stories):
        raise LearningStateError(f"candidate {candidate.name!r} has no run whose receipt is there")
    title = earlier[0].title if earlier else candidate.title
    return Learned(candidate.name, title, candidate.asked, candidate.role, tuple(stories))


def _earlier(store: Store, candidate: LearningCandidate, skill: str) -> list[LearningCandidate]:
    """Return the candidates that the versions of a skill were made of, oldest first."""
    found: dict[str, LearningCandidate] = {}
    for version in versions_of(store, skill) if skill else ():
        if version.candidate and version.candidate != candidate.name:
            try:
                found[version.candidate] = read_candidate(store, version.candidate)[0]
            except MemdError:
                continue
    return list(found.values())


async def _stories(store: Store, candidate: LearningCandidate, *, leads: bool) -> Iterable[Story]:
    words = await _words(store, candidate.name)
    stories: list[Story] = []
    for run in candidate.runs:
        try:
            receipt = (await receipt_of(store, run))[0]
        except MemdError:
            continue
        steps = await _steps(store, receipt)
        said = words.get(run, receipt.words)
        final = leads and run == candidate.final_run
        stories.append(
            Story(run, receipt.state, receipt.acceptance, receipt.asked, steps, receipt.summary, said, final)
        )
    return stories


async def _words(store: Store, task: str) -> dict[str, str]:
    """Return what the person said of each run of a task."""
    try:
        said = (await task_of(store, task)).task.said
    except MemdError:
        return {}
    found: dict[str, str] = {}
    for one in said:
        if one.words:
            found[one.run] = f"{found[one.run]}\n{one.words}" if one.run in found else one.words
    return found


async def _steps(store: Store, receipt: Receipt) -> tuple[Step, ...]:
    try:
        async with store.working.turn_of(receipt.session):
            log = await session_of(store, receipt.session)
        return steps_of(log.of_run(receipt.run)) or receipt.steps
    except MemdError:
        return receipt.steps
