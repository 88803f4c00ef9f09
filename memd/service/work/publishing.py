"""learning.publish and retire: a reviewed draft becomes a skill's next version, on a person's word and no other."""

from __future__ import annotations

from typing import Any

from memd.errors import (
    BadParamsError,
    BadSkillError,
    LearningStateError,
    MemdError,
    SkillUnknownError,
    StaleTextError,
)
from memd.formats.learning_files import with_version
from memd.formats.skill_file import with_metadata
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.work.skill import CandidateState, LearningCandidate, Version, is_skill_name
from memd.service.memory.quarantine import digest_of_text
from memd.service.memory.screening import make_ready
from memd.service.work.candidates import candidate_moved, read_candidate
from memd.service.work.drafts import beside_file, draft_file, faults_of, read_draft
from memd.service.work.published import last_version, record_file, version_file, versions_of
from memd.service.workspace import Workspace
from memd.storage.layout import skill_file

MOST_EDITED = 1000  # texts that persons made of one version


async def publish(workspace: Workspace, skill: str, by: str, words: str, digest: str) -> dict[str, Any]:
    """Publish a draft. `by`: who says so; `digest`: of the text that was read, where it shall be no other."""
    if not by.strip():
        raise BadParamsError("by: say who publishes it; nothing is published without a person's word")
    await make_ready(workspace)
    async with workspace.working.turn:
        found = read_draft(workspace, skill)
        if found.draft.declined:
            raise LearningStateError(f"the draft of {skill!r} was declined: {found.draft.declined}")
        if digest and digest != digest_of_text(found.text):
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
            n, digest_of_text(text), to_iso(workspace.ports.now()), by.strip(), words.strip(), candidate.name,
            candidate.runs, candidate.final_run, found.draft.based_on,
        )  # fmt: skip
        operations = _publishing(workspace, skill, text, version, versions)
        operations += [Put(draft_file(skill), found.text, None), Put(beside_file(skill), found.beside or None, None)]
        if candidate.runs:
            operations.append(candidate_moved(workspace, candidate.name, CandidateState.PUBLISHED, skill))
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done
    return {"skill": skill, "version": n, "file": skill_file(skill), "digest": version.digest, "text": text}


def _candidate(workspace: Workspace, name: str) -> LearningCandidate:
    """Return the candidate of a draft; one whose file is gone leaves its name."""
    try:
        return read_candidate(workspace, name)[0]
    except MemdError:
        return LearningCandidate(name, name)


def _publishing(
    workspace: Workspace, skill: str, text: str, version: Version, versions: tuple[Version, ...]
) -> list[Operation]:
    current = workspace.texts.read(workspace.tree, skill_file(skill))
    record = workspace.texts.read(workspace.tree, record_file(skill))
    operations: list[Operation] = [
        Put(skill_file(skill), current, text),
        Put(version_file(skill, version.n), None, text),
        Put(record_file(skill), record, with_version(record, version)),
    ]
    return operations + _edited(workspace, skill, current, versions)


def _edited(workspace: Workspace, skill: str, current: str | None, versions: tuple[Version, ...]) -> list[Operation]:
    """Return what keeps the text in use where a person had edited it: the version's own text is another one."""
    n = versions[-1].n if versions else 0
    if current is None or (versions and digest_of_text(current) == versions[-1].digest):
        return []
    for number in range(1, MOST_EDITED):
        name = version_file(skill, n, number)
        kept = workspace.texts.read(workspace.tree, name)
        if kept is None:
            return [Put(name, None, current)]
        if kept == current:
            return []
    return []


async def retire(workspace: Workspace, skill: str, by: str, words: str) -> dict[str, Any]:
    """Take a skill out of use. Its versions stay in learning/published/, and a later publish brings it back."""
    if not by.strip():
        raise BadParamsError("by: say who retires it")
    async with workspace.working.turn:
        current = workspace.texts.read(workspace.tree, skill_file(skill)) if is_skill_name(skill) else None
        if current is None:
            raise SkillUnknownError(skill)
        versions = versions_of(workspace, skill)
        record = workspace.texts.read(workspace.tree, record_file(skill))
        now = to_iso(workspace.ports.now())
        note = Version(versions[-1].n if versions else 0, "", now, by.strip(), f"retired: {words}".rstrip(": "))
        operations: list[Operation] = [
            Put(skill_file(skill), current, None),
            Put(record_file(skill), record, with_version(record, note, table="retired")),
            *_edited(workspace, skill, current, versions),
        ]
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done
    return {"skill": skill, "retired": True, "version": note.n, "kept": f"learning/published/{skill}/"}
