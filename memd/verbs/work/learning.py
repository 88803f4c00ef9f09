"""The verbs of learning: from an accepted task to a draft that a person can read and judge.

Nothing here publishes. A draft is checked when it is made and again when it is published.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, structs

from memd.engine.work.alignment import Learned
from memd.engine.work.evidence import evidence_pack, skill_prompt
from memd.engine.work.synthesis import draft_skill
from memd.errors import (
    BadParamsError,
    BadSkillError,
    LearningStateError,
    LearningUnknownError,
    MemdError,
    RejectedFileError,
)
from memd.formats.skill_file import dump_draft, dump_skill, load_draft, load_skill, with_metadata
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.runs import Receipt, Step, Story
from memd.model.scan import digest_of_text
from memd.model.tasks import CandidateState, Draft, LearningCandidate, is_skill_name
from memd.protocol.fields import Name, Paged, Request, Saying, Short
from memd.protocol.work import Candidates, CandidateView, DraftLine, DraftView, Reviewed, Synthesized
from memd.service.screening import make_ready
from memd.service.work.learned import (
    beside_file,
    candidate_file,
    candidate_moved,
    candidate_names,
    diff_of,
    draft_file,
    draft_names,
    faults_of,
    free_name,
    improved,
    kept_aside,
    last_version,
    read_candidate,
    read_draft,
    versions_of,
)
from memd.service.work.receipts import receipt_of, steps_of
from memd.service.work.sessions import session_of
from memd.service.work.task_files import task_of
from memd.storage.layout import skill_file
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.store.store import Store

OWN = "memd"


class ListCandidates(Paged):
    """Of one state, or all."""

    state: Annotated[
        str, Meta(pattern="^(|open|drafted|published|declined)$", description="only those in this state")
    ] = ""


class Synthesize(Request):
    """A candidate to make a draft of."""

    candidate: Name
    skill: Annotated[str, Meta(max_length=64, description="its name; else made of the task's title")] = ""
    prompt: Annotated[bool, Meta(description="return the evidence and a prompt for your model instead")] = False


class HandIn(Request):
    """A SKILL.md that your model or a person wrote for a candidate."""

    candidate: Name
    text: Annotated[str, Meta(min_length=1, max_length=900_000)]
    made_by: Annotated[Short, Meta(description="the model or the person who wrote it")] = ""


class Review(Paged):
    """A draft, or those that wait."""

    skill: Annotated[str, Meta(max_length=64)] = ""
    decline: Annotated[bool, Meta(description="say no to it")] = False
    words: Saying = ""


@verb("learning.candidates")
async def list_candidates(service: Service, asked: ListCandidates) -> Candidates:
    """List what skills may be learned from."""
    found: list[CandidateView] = []
    faults: list[str] = []
    for name in candidate_names(service.store):
        try:
            one = read_candidate(service.store, name)[0]
        except MemdError as error:
            faults.append(str(error))
            continue
        if not asked.state or one.state.value == asked.state:
            found.append(_candidate_view(one))
    found.sort(key=lambda one: one.created_at or "", reverse=True)
    return Candidates(total=len(found), candidates=asked.part(found), faults=faults or None)


def _candidate_view(one: LearningCandidate) -> CandidateView:
    return CandidateView(
        candidate=one.name,
        title=one.title,
        state=one.state.value,
        role=one.role or None,
        runs=list(one.runs) or None,
        final_accepted_run_id=one.final_run or None,
        created_at=one.created_at or None,
        skill=one.skill or None,
        used=list(one.used) or None,
        file=candidate_file(one.name),
    )


@verb(
    "learning.synthesize",
    writes=True,
    errors=(
        BadSkillError,
        LearningStateError,
        LearningUnknownError,
    ),
)
async def synthesize(service: Service, asked: Synthesize) -> Synthesized:
    """Make a draft, or a prompt for one.

    It is made by what the candidate's runs share.
    """
    store = service.store
    candidate = read_candidate(store, asked.candidate)[0]
    _check_open(candidate)
    known = asked.skill or candidate.skill or improved(store, candidate)
    learned = await _learned_of(store, candidate, known)
    if asked.prompt:
        pack = await asyncio.to_thread(evidence_pack, learned)
        current = store.texts.read(store.tree, skill_file(known)) if is_skill_name(known) else None
        prompt = skill_prompt(learned, pack, current or "")
        return Synthesized(candidate=asked.candidate, skill=known, evidence=pack, prompt=prompt)
    drafted = await asyncio.to_thread(draft_skill, learned, known)
    if not known:
        drafted = replace(drafted, name=free_name(store, candidate, drafted.name))
    return Synthesized(**structs.asdict(await _put_draft(store, candidate, dump_skill(drafted), OWN)))


@verb(
    "learning.draft",
    writes=True,
    errors=(
        BadSkillError,
        LearningStateError,
        LearningUnknownError,
    ),
)
async def hand_in(service: Service, asked: HandIn) -> DraftView:
    """Hand in a draft that was written elsewhere."""
    candidate = read_candidate(service.store, asked.candidate)[0]
    _check_open(candidate)
    text = asked.text if asked.text.endswith("\n") else f"{asked.text}\n"
    return await _put_draft(service.store, candidate, text, asked.made_by or "caller")


def _check_open(candidate: LearningCandidate) -> None:
    if candidate.state in (CandidateState.PUBLISHED, CandidateState.DECLINED):
        raise LearningStateError(f"candidate {candidate.name!r} is {candidate.state.value}")


async def _put_draft(store: Store, candidate: LearningCandidate, text: str, made_by: str) -> DraftView:
    await make_ready(store)
    named = load_skill(text, "SKILL.md")[0].name
    faults = faults_of(store, text, named)
    if faults:
        raise BadSkillError(tuple(faults))
    async with store.working.turn:
        before, beside = (store.texts.read(store.tree, one) for one in (draft_file(named), beside_file(named)))
        if before is not None and beside is not None:
            standing = load_draft(beside, beside_file(named))
            if standing.candidate != candidate.name and not standing.declined:
                raise LearningStateError(f"a draft of {named!r} from candidate {standing.candidate!r} waits for review")
        text = with_metadata(text, memd_candidate=candidate.name)
        kept = kept_aside(store, named, before, beside, text)
        draft = Draft(named, candidate.name, made_by, to_iso(store.ports.now()), await last_version(store, named))
        operations: list[Operation] = [
            Put(draft_file(named), before, text),
            Put(beside_file(named), beside, dump_draft(replace(draft, digest=digest_of_text(text)))),
            candidate_moved(store, candidate.name, CandidateState.DRAFTED, named),
            *kept,
        ]
        done = store.commit(lambda _: operations, at_s=store.ports.now())
    await done
    return await _draft_view(store, named)


@verb("learning.review", writes=True, errors=(LearningUnknownError,))
async def review(service: Service, asked: Review) -> Reviewed:
    """Show drafts and how they differ; or decline."""
    if asked.decline:
        if not asked.skill:
            raise BadParamsError("skill: say which draft is declined")
        return await _decline(service.store, asked.skill, asked.words)
    if asked.skill:
        return Reviewed(**structs.asdict(await _draft_view(service.store, asked.skill)))
    waiting = await _waiting(service.store)
    return Reviewed(total=len(waiting), drafts=asked.part(waiting))


async def _waiting(store: Store) -> list[DraftLine]:
    """Return every draft that waits for a person."""
    names = draft_names(store)
    await make_ready(store)
    found: list[DraftLine] = []
    for name in names:
        try:
            one = structs.asdict(await _draft_view(store, name))
        except (LearningUnknownError, RejectedFileError):
            continue
        if one["declined"] is None:
            found.append(DraftLine(**{key: value for key, value in one.items() if key not in ("text", "diff")}))
    return found


async def _draft_view(store: Store, skill: str) -> DraftView:
    """Return a draft with its text, what is wrong with it, and how it differs from what is published."""
    await make_ready(store)
    found = read_draft(store, skill)
    current = store.texts.read(store.tree, skill_file(skill)) or ""
    faults = faults_of(store, found.text, skill)
    draft = found.draft
    reply = DraftView(
        skill=skill,
        candidate=draft.candidate,
        made_by=draft.made_by,
        made_at=draft.made_at,
        based_on=draft.based_on,
        digest=digest_of_text(found.text),
        file=draft_file(skill),
        text=found.text,
        diff=diff_of(current, found.text, skill),
        faults=[str(one) for one in faults],
        declined=draft.declined or None,
    )
    latest = await last_version(store, skill)
    if latest != draft.based_on:
        reply.remarks = [f"version {latest} was published after this draft was made from version {draft.based_on}"]
    return reply


async def _decline(store: Store, skill: str, words: str) -> Reviewed:
    """Say no to a draft. Its text stays where it is, marked; its candidate is closed."""
    async with store.working.turn:
        found = read_draft(store, skill)
        said = words.strip() or "declined"
        operations: list[Operation] = [
            Put(beside_file(skill), found.beside or None, dump_draft(replace(found.draft, declined=said)))
        ]
        if found.draft.candidate in candidate_names(store):
            operations.append(candidate_moved(store, found.draft.candidate, CandidateState.DECLINED, skill, words=said))
        done = store.commit(lambda _: operations, at_s=store.ports.now())
    await done
    return Reviewed(skill=skill, declined=said, candidate=found.draft.candidate)


# What there is to learn from: the runs of a candidate, and those that the earlier versions of its skill were learned from.


async def _learned_of(store: Store, candidate: LearningCandidate, skill: str) -> Learned:
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
