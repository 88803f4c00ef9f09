"""What was learned: candidates for skills, drafts of them, and what is published, with whose word published each."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import Fault, LearningUnknownError, RejectedFileError, RunUnknownError, SkillUnknownError
from memd.formats.skill_file import dump_candidate, load_candidate, load_draft, load_record, skill_faults, with_values
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.names import is_name
from memd.model.scan import Danger, digest_of_text
from memd.model.tasks import NAME_CHARS, CandidateState, Draft, LearningCandidate, Version, is_skill_name
from memd.service.work.receipts import receipt_of
from memd.storage.layout import CANDIDATES, DRAFTS, PUBLISHED, SKILLS, skill_file
from memd.storage.listing import identify_side, list_side

if TYPE_CHECKING:
    from memd.model.runs import Task
    from memd.store.store import Store

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


def draft_names(store: Store) -> list[str]:
    """Return the names of all skills that have a draft."""
    names = {one.name for one in list_side(store.tree, DRAFTS) if one.is_dir and is_skill_name(one.name)}
    return sorted(names | {name.split("/")[2] for name in store.texts.names(DRAFTS)})


def read_draft(store: Store, skill: str) -> DraftText:
    """Return a draft, or raise LearningUnknownError."""
    if not is_skill_name(skill):
        raise LearningUnknownError("draft", skill)
    text = store.texts.read(store.tree, draft_file(skill))
    if text is None:
        raise LearningUnknownError("draft", skill)
    beside = store.texts.read(store.tree, beside_file(skill)) or ""
    return DraftText(load_draft(beside, beside_file(skill)), text, beside)


def free_name(store: Store, candidate: LearningCandidate, name: str) -> str:
    """Return a name that no other skill has: the same words may be about another matter."""
    for one in (name, *(f"{name[: NAME_CHARS - 4].rstrip('-')}-{number}" for number in range(2, 1000))):
        beside = store.texts.read(store.tree, beside_file(one))
        own = beside is not None and load_draft(beside, beside_file(one)).candidate == candidate.name
        if own or (
            beside is None and not versions_of(store, one) and not store.texts.read(store.tree, skill_file(one))
        ):
            return one
    return name


def improved(store: Store, candidate: LearningCandidate) -> str:
    """Return the published skill that the runs used, where they all used one: the candidate is its next version."""
    names = {one.partition("@")[0] for one in candidate.used}
    name = names.pop() if len(names) == 1 else ""
    return name if is_skill_name(name) and store.texts.read(store.tree, skill_file(name)) else ""


def kept_aside(store: Store, skill: str, before: str | None, beside: str | None, text: str) -> list[Operation]:
    """Return what keeps a draft that a person had edited, when another takes its place."""
    known = load_draft(beside, beside_file(skill)).digest if beside is not None else ""
    if before is None or before == text or digest_of_text(before) == known:
        return []
    for number in range(1, 1000):
        name = f"{DRAFTS}/{skill}/edited-{number}.md"
        if store.texts.read(store.tree, name) is None:
            return [Put(name, None, before)]
    return []


def faults_of(store: Store, text: str, skill: str) -> list[Fault]:
    """Return all that keeps a text from being a skill: form, sizes, name, and what a scan finds in it."""
    name = draft_file(skill) if is_skill_name(skill) else "SKILL.md"
    faults = skill_faults(text, skill, name)
    if store.settings.gate.scan and not store.keeping.quarantine.is_approved(text):
        found = store.keeping.quarantine.look(text, store.keeping.learned.orders).found
        for one in found:
            if one.danger in OF_A_SKILL:
                line = text.count("\n", 0, one.start) + 1
                faults.append(Fault(name, line, 1, one.why, "skill.unsafe"))
    return faults


def diff_of(current: str, draft: str, skill: str) -> str:
    """Return how a draft differs from the text in use, as a unified diff."""
    lines = difflib.unified_diff(
        current.splitlines(keepends=True), draft.splitlines(keepends=True),
        skill_file(skill) if current else "/dev/null", draft_file(skill),
    )  # fmt: skip
    return "".join(line for _, line in zip(range(DIFF_LINES), lines, strict=False))


# What is published: skills by name, their versions, and the record of whose word published each.


def version_file(skill: str, n: int, edited: int = 0) -> str:
    """Return the text of one version; `edited`: the first, second … text that a person had made of it."""
    more = "" if not edited else "-edited" if edited == 1 else f"-edited-{edited}"
    return f"{PUBLISHED}/{skill}/{n}{more}.md"


def record_file(skill: str) -> str:
    """Return the record of what was published under a name."""
    return f"{PUBLISHED}/{skill}/record.toml"


def versions_of(store: Store, skill: str) -> tuple[Version, ...]:
    """Return the versions of a skill, oldest first; none where nothing was published."""
    text = store.texts.read(store.tree, record_file(skill)) if is_skill_name(skill) else None
    return load_record(text, record_file(skill)) if text is not None else ()


async def last_version(store: Store, skill: str) -> int:
    """Return the number of the last published version, 0 where there is none; a lost record frees no number."""
    if not is_skill_name(skill):
        return 0
    folder = f"{PUBLISHED}/{skill}"
    names = [one.name for one in list_side(store.tree, folder)]
    names += [name.rpartition("/")[2] for name in store.texts.names(folder)]
    stems = (name.removesuffix(".md") for name in names if name.endswith(".md"))
    kept = (int(stem) for stem in stems if stem.isascii() and stem.isdigit())
    return max([0, *kept, *(one.n for one in versions_of(store, skill))])


def published_names(store: Store) -> list[str]:
    """Return the names of the skills that there are, those a person wrote by hand included."""
    found = {one.name for one in list_side(store.tree, SKILLS) if one.is_dir and is_skill_name(one.name)}
    found |= {name.split("/")[1] for name in store.texts.names(SKILLS)}
    held, tree = store.texts.held, store.tree
    there = (name for name in found if skill_file(name) not in held or held[skill_file(name)][1] is not None)
    return sorted(
        name for name in there if skill_file(name) in held or identify_side(tree, skill_file(name)) is not None
    )


class SkillInUse(NamedTuple):
    """The text of a skill, and the versions that were published under its name."""

    file: str
    text: str
    versions: tuple[Version, ...]


def skill_text(store: Store, name: str, version: int) -> SkillInUse:
    """Return a skill's text: the one in use, or where there is none the last; `version`: that one. SkillUnknownError."""
    versions = versions_of(store, name)
    file = version_file(name, version) if version else skill_file(name)
    text = store.texts.read(store.tree, file) if is_skill_name(name) else None
    if text is None and not version and versions:
        file = version_file(name, versions[-1].n)
        text = store.texts.read(store.tree, file)
    if text is None:
        raise SkillUnknownError(f"{name}@{version}" if version else name)
    return SkillInUse(file, text, versions)


# Candidates for skills: made by accept alone, each under its task's name, with all the task's runs.


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
