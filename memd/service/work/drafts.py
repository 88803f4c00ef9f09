"""learning.candidates, synthesize, draft, review: from an accepted task to a text that a person can read and judge.

Nothing here publishes. A draft is checked when it is made and again when it is published.
"""

from __future__ import annotations

import asyncio
import difflib
from dataclasses import replace
from typing import Any, NamedTuple

from memd.engine.work.evidence import evidence_pack, skill_prompt
from memd.engine.work.synthesis import draft_skill
from memd.errors import (
    BadSkillError,
    Fault,
    LearningStateError,
    LearningUnknownError,
    MemdError,
    RejectedFileError,
)
from memd.formats.learning_files import dump_draft, load_draft
from memd.formats.skill_file import dump_skill, load_skill, skill_faults, with_metadata
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.scan import Danger
from memd.model.work.skill import NAME_CHARS, CandidateState, Draft, LearningCandidate, is_skill_name
from memd.service.memory.quarantine import digest_of_text
from memd.service.memory.screening import make_ready
from memd.service.work.candidates import candidate_file, candidate_moved, candidate_names, read_candidate
from memd.service.work.published import last_version, versions_of
from memd.service.work.stories import learned_of
from memd.service.workspace import Workspace
from memd.storage.layout import DRAFTS, skill_file
from memd.storage.side import list_side

OWN = "memd"
# A skill's business is to instruct; what it may not do is give data away, hide what it says, or hold a secret.
OF_A_SKILL = frozenset((Danger.EXFILTRATION, Danger.INVISIBLE, Danger.SECRET))
DIFF_LINES = 2000


class DraftText(NamedTuple):
    """A draft with what is beside it."""

    draft: Draft
    text: str
    beside: str


def draft_file(skill: str) -> str:
    """Return the text of a draft."""
    return f"{DRAFTS}/{skill}/SKILL.md"


def beside_file(skill: str) -> str:
    """Return what stands beside a draft."""
    return f"{DRAFTS}/{skill}/draft.toml"


async def candidates(workspace: Workspace, state: str) -> dict[str, Any]:
    """Return the candidates, of one state or all, newest first."""
    found: list[dict[str, Any]] = []
    faults: list[str] = []
    for name in candidate_names(workspace):
        try:
            one = read_candidate(workspace, name)[0]
        except MemdError as error:
            faults.append(str(error))
            continue
        if not state or one.state.value == state:
            found.append(candidate_view(one))
    found.sort(key=lambda one: str(one.get("created_at", "")), reverse=True)
    return {"candidates": found, **({"faults": faults} if faults else {})}


def candidate_view(one: LearningCandidate) -> dict[str, Any]:
    """Return a candidate as replies tell it."""
    shown = {
        "candidate": one.name, "title": one.title, "state": one.state.value, "role": one.role,
        "runs": list(one.runs), "final_accepted_run_id": one.final_run, "created_at": one.created_at,
        "skill": one.skill, "used": list(one.used), "file": candidate_file(one.name),
    }  # fmt: skip
    return {key: value for key, value in shown.items() if value not in ("", [])}


async def synthesize(workspace: Workspace, name: str, skill: str, *, prompt: bool) -> dict[str, Any]:
    """Make a draft of a candidate by what its runs share; or return the evidence and a prompt for the caller's model."""
    candidate = read_candidate(workspace, name)[0]
    _check_open(candidate)
    known = skill or candidate.skill or _improved(workspace, candidate)
    learned = await learned_of(workspace, candidate, known)
    if prompt:
        pack = await asyncio.to_thread(evidence_pack, learned)
        current = workspace.texts.read(workspace.tree, skill_file(known)) if is_skill_name(known) else None
        return {
            "candidate": name,
            "skill": known,
            "evidence": pack,
            "prompt": skill_prompt(learned, pack, current or ""),
        }
    drafted = await asyncio.to_thread(draft_skill, learned, known)
    if not known:
        drafted = replace(drafted, name=_free(workspace, candidate, drafted.name))
    return await _put_draft(workspace, candidate, dump_skill(drafted), OWN)


def _free(workspace: Workspace, candidate: LearningCandidate, name: str) -> str:
    """Return a name that no other skill has: the same words may be about another matter."""
    for one in (name, *(f"{name[: NAME_CHARS - 4].rstrip('-')}-{number}" for number in range(2, 1000))):
        beside = workspace.texts.read(workspace.tree, beside_file(one))
        own = beside is not None and load_draft(beside, beside_file(one)).candidate == candidate.name
        if own or (
            beside is None
            and not versions_of(workspace, one)
            and not workspace.texts.read(workspace.tree, skill_file(one))
        ):
            return one
    return name


def _improved(workspace: Workspace, candidate: LearningCandidate) -> str:
    """Return the published skill that the runs used, where they all used one: the candidate is its next version."""
    names = {one.partition("@")[0] for one in candidate.used}
    name = names.pop() if len(names) == 1 else ""
    return name if is_skill_name(name) and workspace.texts.read(workspace.tree, skill_file(name)) else ""


def _check_open(candidate: LearningCandidate) -> None:
    if candidate.state in (CandidateState.PUBLISHED, CandidateState.DECLINED):
        raise LearningStateError(f"candidate {candidate.name!r} is {candidate.state.value}")


async def hand_in(workspace: Workspace, name: str, text: str, made_by: str) -> dict[str, Any]:
    """Take a draft that the caller's model, or a person, wrote for a candidate."""
    candidate = read_candidate(workspace, name)[0]
    _check_open(candidate)
    return await _put_draft(workspace, candidate, text if text.endswith("\n") else f"{text}\n", made_by or "caller")


async def _put_draft(workspace: Workspace, candidate: LearningCandidate, text: str, made_by: str) -> dict[str, Any]:
    await make_ready(workspace)
    named = load_skill(text, "SKILL.md")[0].name
    faults = faults_of(workspace, text, named)
    if faults:
        raise BadSkillError(tuple(faults))
    async with workspace.working.turn:
        before, beside = (workspace.texts.read(workspace.tree, one) for one in (draft_file(named), beside_file(named)))
        if before is not None and beside is not None:
            standing = load_draft(beside, beside_file(named))
            if standing.candidate != candidate.name and not standing.declined:
                raise LearningStateError(f"a draft of {named!r} from candidate {standing.candidate!r} waits for review")
        text = with_metadata(text, memd_candidate=candidate.name)
        kept = _kept_aside(workspace, named, before, beside, text)
        draft = Draft(
            named, candidate.name, made_by, to_iso(workspace.ports.now()), await last_version(workspace, named)
        )
        operations: list[Operation] = [
            Put(draft_file(named), before, text),
            Put(beside_file(named), beside, dump_draft(replace(draft, digest=digest_of_text(text)))),
            candidate_moved(workspace, candidate.name, CandidateState.DRAFTED, named),
            *kept,
        ]
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done
    return await review_one(workspace, named)


def _kept_aside(workspace: Workspace, skill: str, before: str | None, beside: str | None, text: str) -> list[Operation]:
    """Return what keeps a draft that a person had edited, when another takes its place."""
    known = load_draft(beside, beside_file(skill)).digest if beside is not None else ""
    if before is None or before == text or digest_of_text(before) == known:
        return []
    for number in range(1, 1000):
        name = f"{DRAFTS}/{skill}/edited-{number}.md"
        if workspace.texts.read(workspace.tree, name) is None:
            return [Put(name, None, before)]
    return []


def faults_of(workspace: Workspace, text: str, skill: str) -> list[Fault]:
    """Return all that keeps a text from being a skill: form, sizes, name, and what a scan finds in it."""
    name = draft_file(skill) if is_skill_name(skill) else "SKILL.md"
    faults = skill_faults(text, skill, name)
    if workspace.settings.gate.scan and not workspace.keeping.quarantine.is_approved(text):
        found = workspace.keeping.quarantine.look(text, workspace.keeping.learned.orders).found
        for one in found:
            if one.danger in OF_A_SKILL:
                line = text.count("\n", 0, one.start) + 1
                faults.append(Fault(name, line, 1, one.why, "skill.unsafe"))
    return faults


async def review(workspace: Workspace) -> dict[str, Any]:
    """Return every draft that waits for a person."""
    names = {one.name for one in list_side(workspace.tree, DRAFTS) if one.is_dir and is_skill_name(one.name)}
    names |= {name.split("/")[2] for name in workspace.texts.names(DRAFTS)}
    await make_ready(workspace)
    found = []
    for name in sorted(names):
        try:
            one = await review_one(workspace, name)
        except (LearningUnknownError, RejectedFileError):
            continue
        if not one.get("declined"):
            found.append({key: value for key, value in one.items() if key not in ("text", "diff")})
    return {"drafts": found}


async def review_one(workspace: Workspace, skill: str) -> dict[str, Any]:
    """Return a draft with its text, what is wrong with it, and how it differs from what is published."""
    await make_ready(workspace)
    found = read_draft(workspace, skill)
    current = workspace.texts.read(workspace.tree, skill_file(skill)) or ""
    faults = faults_of(workspace, found.text, skill)
    draft = found.draft
    reply: dict[str, Any] = {
        "skill": skill, "candidate": draft.candidate, "made_by": draft.made_by, "made_at": draft.made_at,
        "based_on": draft.based_on, "digest": digest_of_text(found.text), "file": draft_file(skill),
        "text": found.text, "diff": _diff(current, found.text, skill), "faults": [str(one) for one in faults],
    }  # fmt: skip
    latest = await last_version(workspace, skill)
    if latest != draft.based_on:
        reply["remarks"] = [f"version {latest} was published after this draft was made from version {draft.based_on}"]
    return {**reply, **({"declined": draft.declined} if draft.declined else {})}


def read_draft(workspace: Workspace, skill: str) -> DraftText:
    """Return a draft, or raise LearningUnknownError."""
    if not is_skill_name(skill):
        raise LearningUnknownError("draft", skill)
    text = workspace.texts.read(workspace.tree, draft_file(skill))
    if text is None:
        raise LearningUnknownError("draft", skill)
    beside = workspace.texts.read(workspace.tree, beside_file(skill)) or ""
    return DraftText(load_draft(beside, beside_file(skill)), text, beside)


def _diff(current: str, draft: str, skill: str) -> str:
    lines = difflib.unified_diff(
        current.splitlines(keepends=True), draft.splitlines(keepends=True),
        skill_file(skill) if current else "/dev/null", draft_file(skill),
    )  # fmt: skip
    return "".join(line for _, line in zip(range(DIFF_LINES), lines, strict=False))


async def decline(workspace: Workspace, skill: str, words: str) -> dict[str, Any]:
    """Say no to a draft. Its text stays where it is, marked; its candidate is closed."""
    async with workspace.working.turn:
        found = read_draft(workspace, skill)
        said = words.strip() or "declined"
        operations: list[Operation] = [
            Put(beside_file(skill), found.beside or None, dump_draft(replace(found.draft, declined=said)))
        ]
        if found.draft.candidate in candidate_names(workspace):
            operations.append(
                candidate_moved(workspace, found.draft.candidate, CandidateState.DECLINED, skill, words=said)
            )
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done
    return {"skill": skill, "declined": said, "candidate": found.draft.candidate}
