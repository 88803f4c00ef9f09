"""The verbs of skills: a draft becomes a skill's next version, on a person's word and no other; and how each version does."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, convert

from memd.errors import (
    BadParamsError,
    BadSkillError,
    LearningStateError,
    LearningUnknownError,
    MemdError,
    SkillUnknownError,
    StaleTextError,
)
from memd.formats.skill_file import load_skill, with_metadata, with_version
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.scan import digest_of_text
from memd.model.tasks import CandidateState, Effect, LearningCandidate, Version, is_skill_name
from memd.protocol.fields import Digest, Paged, Request, Saying, Skill
from memd.protocol.work import (
    CountsView,
    DifferingCount,
    Effects,
    EffectView,
    FoundSkill,
    Published,
    RegressionView,
    Retired,
    SkillLine,
    Skills,
    VersionView,
)
from memd.service.screening import make_ready
from memd.service.work.effects import judged_of, recount, running_figures, worse
from memd.service.work.learned import (
    beside_file,
    candidate_moved,
    draft_file,
    faults_of,
    last_version,
    published_names,
    read_candidate,
    read_draft,
    record_file,
    skill_text,
    version_file,
    versions_of,
)
from memd.storage.layout import skill_file
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.store.store import Store

MOST_EDITED = 1000  # texts that persons made of one version
Person = Annotated[str, Meta(min_length=1, max_length=200, description="who says so")]


class Publish(Request):
    """A draft to publish, by a person's word."""

    skill: Skill
    by: Person
    words: Saying = ""
    digest: Digest = ""


class Retire(Request):
    """A skill to take out of use, by a person's word."""

    skill: Skill
    by: Person
    words: Saying = ""


class GetSkill(Request):
    """A skill, as it is used or in one of its versions."""

    skill: Skill
    version: Annotated[int, Meta(ge=0, le=1_000_000, description="which; 0 is the one in use")] = 0


class TellEffects(Paged):
    """Of one skill, or of all."""

    skill: Annotated[str, Meta(max_length=64)] = ""
    recompute: Annotated[bool, Meta(description="count the receipts again, and compare")] = False


@verb(
    "learning.publish",
    writes=True,
    errors=(
        BadSkillError,
        LearningStateError,
        LearningUnknownError,
        StaleTextError,
    ),
)
async def publish(service: Service, asked: Publish) -> Published:
    """Publish a draft on a person's word."""
    if not asked.by.strip():
        raise BadParamsError("by: say who publishes it; nothing is published without a person's word")
    workspace, skill = service.store, asked.skill
    await make_ready(workspace)
    async with workspace.working.turn:
        found = read_draft(workspace, skill)
        if found.draft.declined:
            raise LearningStateError(f"the draft of {skill!r} was declined: {found.draft.declined}")
        if asked.digest and asked.digest != digest_of_text(found.text):
            raise StaleTextError(f"the draft of {skill}")
        faults = faults_of(workspace, found.text, skill)
        if faults:
            raise BadSkillError(tuple(faults))
        versions = versions_of(workspace, skill)
        n = await last_version(workspace, skill) + 1
        candidate = _candidate(workspace, found.draft.candidate)
        text = with_metadata(
            found.text, memd_version=str(n), memd_candidate=candidate.name, memd_runs=" ".join(candidate.runs)[:900]
        )
        version = Version(
            n, digest_of_text(text), to_iso(workspace.ports.now()), asked.by.strip(), asked.words.strip(),
            candidate.name, candidate.runs, candidate.final_run, found.draft.based_on,
        )  # fmt: skip
        operations = _publishing(workspace, skill, text, version, versions)
        operations += [Put(draft_file(skill), found.text, None), Put(beside_file(skill), found.beside or None, None)]
        if candidate.runs:
            operations.append(candidate_moved(workspace, candidate.name, CandidateState.PUBLISHED, skill))
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done
    return Published(skill, n, skill_file(skill), version.digest, text)


def _candidate(store: Store, name: str) -> LearningCandidate:
    """Return the candidate of a draft; one whose file is gone leaves its name."""
    try:
        return read_candidate(store, name)[0]
    except MemdError:
        return LearningCandidate(name, name)


def _publishing(
    store: Store, skill: str, text: str, version: Version, versions: tuple[Version, ...]
) -> list[Operation]:
    current = store.texts.read(store.tree, skill_file(skill))
    record = store.texts.read(store.tree, record_file(skill))
    operations: list[Operation] = [
        Put(skill_file(skill), current, text),
        Put(version_file(skill, version.n), None, text),
        Put(record_file(skill), record, with_version(record, version)),
    ]
    return operations + _edited(store, skill, current, versions)


def _edited(store: Store, skill: str, current: str | None, versions: tuple[Version, ...]) -> list[Operation]:
    """Return what keeps the text in use where a person had edited it: the version's own text is another one."""
    n = versions[-1].n if versions else 0
    if current is None or (versions and digest_of_text(current) == versions[-1].digest):
        return []
    for number in range(1, MOST_EDITED):
        name = version_file(skill, n, number)
        kept = store.texts.read(store.tree, name)
        if kept is None:
            return [Put(name, None, current)]
        if kept == current:
            return []
    return []


@verb("learning.retire", writes=True, errors=(SkillUnknownError,))
async def retire(service: Service, asked: Retire) -> Retired:
    """Take a skill out of use.

    Its versions stay in learning/published/, and a later publish brings it back.
    """
    if not asked.by.strip():
        raise BadParamsError("by: say who retires it")
    workspace, skill = service.store, asked.skill
    async with workspace.working.turn:
        current = workspace.texts.read(workspace.tree, skill_file(skill)) if is_skill_name(skill) else None
        if current is None:
            raise SkillUnknownError(skill)
        versions = versions_of(workspace, skill)
        record = workspace.texts.read(workspace.tree, record_file(skill))
        now = to_iso(workspace.ports.now())
        note = Version(
            versions[-1].n if versions else 0, "", now, asked.by.strip(), f"retired: {asked.words}".rstrip(": ")
        )
        operations: list[Operation] = [
            Put(skill_file(skill), current, None),
            Put(record_file(skill), record, with_version(record, note, table="retired")),
            *_edited(workspace, skill, current, versions),
        ]
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done
    return Retired(skill, retired=True, version=note.n, kept=f"learning/published/{skill}/")


@verb("skill.list")
async def list_skills(service: Service, asked: Paged) -> Skills:
    """List published skills with how they do."""
    store = service.store
    judged = {(one.skill, one.version): one for one in judged_of(await running_figures(store))}
    names = published_names(store)
    return Skills(total=len(names), skills=[await _line(store, name, judged) for name in asked.part(names)])


async def _line(store: Store, name: str, judged: dict[tuple[str, int], Effect]) -> SkillLine:
    file = skill_file(name)
    try:
        text = store.texts.read(store.tree, file) or ""
        n = await last_version(store, name)
    except MemdError as error:  # one that cannot be read costs no other
        return SkillLine(skill=name, file=file, fault=str(error))
    description = load_skill(text, file)[0].description
    effect = judged.get((name, n))
    return SkillLine(
        skill=name, description=description, version=n, file=file, effect=effect_view(effect) if effect else None
    )


@verb("skill.get", errors=(SkillUnknownError,))
async def get_skill(service: Service, asked: GetSkill) -> FoundSkill:
    """Return a skill with its versions and effects."""
    store = service.store
    file, text, versions = skill_text(store, asked.skill, asked.version)
    judged = [one for one in judged_of(await running_figures(store)) if one.skill == asked.skill]
    return FoundSkill(
        skill=asked.skill,
        version=asked.version or (versions[-1].n if versions else 0),
        file=file,
        text=text,
        retired=store.texts.read(store.tree, skill_file(asked.skill)) is None,
        versions=[_version_view(one) for one in versions],
        effects=[effect_view(one) for one in judged],
    )


def _version_view(one: Version) -> VersionView:
    return VersionView(
        n=one.n,
        published_at=one.published_at or None,
        by=one.by or None,
        words=one.words or None,
        candidate=one.candidate or None,
        runs=list(one.runs) or None,
        final_accepted_run_id=one.final_run or None,
        based_on=one.based_on,
        digest=one.digest or None,
    )


@verb("skill.effects", writes=True)
async def tell_effects(service: Service, asked: TellEffects) -> Effects:
    """Tell how each version does, from receipts.

    With `recompute` the receipts are counted again, and the running figures put right where they differ.
    """
    store = service.store
    figures = await running_figures(store)
    recounted = await recount(store, figures) if asked.recompute else None
    judged = judged_of(recounted.figures if recounted else figures)
    shown = [effect_view(one) for one in judged if not asked.skill or one.skill == asked.skill]
    reply = Effects(
        total=len(shown),
        effects=asked.part(shown),
        regressions=convert(worse(judged, asked.skill), list[RegressionView]),
    )
    if recounted:
        reply.recomputed, reply.receipts, reply.equal = True, len(recounted.receipts), not recounted.differing
        reply.differing = [
            DifferingCount(*one.key, *(CountsView(*astuple(some)) for some in (one.running, one.receipts)))
            for one in recounted.differing
        ]
        reply.edited = [one.run for one in recounted.receipts if one.edited]
        reply.faults = [str(fault) for fault in recounted.faults]
    return reply


def effect_view(one: Effect) -> EffectView:
    """Return an effect as replies show it."""
    counts = one.counts
    return EffectView(
        one.skill, one.version, counts.accepted, counts.revised, counts.abandoned, counts.total,
        one.mean, one.low, one.high,
    )  # fmt: skip
