"""Drafts of skills: their files, what keeps a text from being a skill, and how one differs from what is published."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import Fault, LearningUnknownError
from memd.formats.skill_file import load_draft, skill_faults
from memd.model.change import Operation, Put
from memd.model.scan import Danger, digest_of_text
from memd.model.tasks import NAME_CHARS, Draft, LearningCandidate, is_skill_name
from memd.service.work.published import versions_of
from memd.storage.layout import DRAFTS, skill_file
from memd.storage.side import list_side

if TYPE_CHECKING:
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
