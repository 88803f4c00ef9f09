"""A task and its acceptance, and the stages of a skill that is learned from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

# A task: what runs work for, and how a person accepts what they came to.
#
# Source
#     docs/design/origins.md#the-blueprint-of-an-engine: acceptance is accept, revise or abandon, and learning begins
#     with accept alone.


class TaskState(StrEnum):
    """How a task stands. Whether a run is under way is not a state: several may be."""

    OPEN = "open"
    REVIEW = "review"
    REVISING = "revising"
    ACCEPTED = "accepted"
    ABANDONED = "abandoned"


class Move(StrEnum):
    """What happens to a task: its runs begin and end, evidence is added, a person says a word."""

    START = "start"
    COMPLETE = "complete"
    STOP = "stop"
    EVIDENCE = "evidence"
    ACCEPT = "accept"
    REVISE = "revise"
    ABANDON = "abandon"


S, M = TaskState, Move
# state -> what happens -> state; what is not here is refused. COMPLETE: a run came to its end; STOP: a run failed, was
# cancelled or interrupted. A run that ends after its task was decided leaves the task as it is.
TASK_MOVES: dict[TaskState, dict[Move, TaskState]] = {
    S.OPEN: {M.START: S.OPEN, M.COMPLETE: S.REVIEW, M.STOP: S.OPEN, M.EVIDENCE: S.OPEN, M.ABANDON: S.ABANDONED},
    S.REVIEW: {
        M.START: S.REVIEW, M.COMPLETE: S.REVIEW, M.STOP: S.REVIEW, M.EVIDENCE: S.REVIEW,
        M.ACCEPT: S.ACCEPTED, M.REVISE: S.REVISING, M.ABANDON: S.ABANDONED,
    },
    S.REVISING: {
        M.START: S.REVISING, M.COMPLETE: S.REVIEW, M.STOP: S.REVISING, M.EVIDENCE: S.REVISING, M.ABANDON: S.ABANDONED,
    },
    S.ACCEPTED: {M.COMPLETE: S.ACCEPTED, M.STOP: S.ACCEPTED, M.EVIDENCE: S.ACCEPTED},
    S.ABANDONED: {M.COMPLETE: S.ABANDONED, M.STOP: S.ABANDONED, M.EVIDENCE: S.ABANDONED},
}  # fmt: skip
# What a person or an engine may do; the rest follows from what runs do.
ASKED = (M.START, M.ACCEPT, M.REVISE, M.ABANDON)


def words_for(state: TaskState) -> str:
    """Return what may be asked for in a state, for a sentence."""
    return ", ".join(move.value for move in ASKED if move in TASK_MOVES[state]) or "nothing: it is decided"


# A skill being learned, and how well each of its versions does.
#
# Source
#     agentskills.io, specification: name, description, optional license, compatibility, metadata, allowed-tools; no other
#     keys. Sizes: the specification's advice (500 lines) and hermes' ceiling (100,000 characters).

NAME_CHARS, DESCRIPTION_CHARS, COMPATIBILITY_CHARS = 64, 1024, 500
SKILL_CHARS, SKILL_LINES = 100_000, 500
KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class CandidateState(StrEnum):
    """How far a candidate has come."""

    OPEN = "open"
    DRAFTED = "drafted"
    PUBLISHED = "published"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class SkillText:
    """A SKILL.md taken apart; `metadata` and the rest are texts, as written."""

    name: str
    description: str
    body: str
    metadata: tuple[tuple[str, str], ...] = ()
    license: str = ""
    compatibility: str = ""
    allowed_tools: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """What persons said of the runs that used one version of a skill."""

    accepted: int = 0
    revised: int = 0
    abandoned: int = 0

    @property
    def total(self) -> int:
        """How many runs were judged."""
        return self.accepted + self.revised + self.abandoned


@dataclass(frozen=True, slots=True)
class Effect:
    """Counts of one version with its Laplace mean and the lower end of Wilson's interval, both 0 to 1."""

    skill: str
    version: int
    counts: Counts
    mean: float
    low: float
    high: float


def is_skill_name(name: str) -> bool:
    """Tell whether a name keeps the rule of Agent Skills, in ASCII."""
    return len(name) <= NAME_CHARS and SKILL_NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class LearningCandidate:
    """An accepted task from which a skill may be learned, under the task's name."""

    name: str
    title: str
    state: CandidateState = CandidateState.OPEN
    role: str = ""
    asked: str = ""
    runs: tuple[str, ...] = ()
    final_run: str = ""
    created_at: str = ""
    skill: str = ""
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft under its skill's name: from which candidate, made by what, when, and over which published version."""

    skill: str
    candidate: str
    made_by: str
    made_at: str
    based_on: int = 0
    declined: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One published version: where it comes from, and whose word published it."""

    n: int
    digest: str
    published_at: str
    by: str
    words: str = ""
    candidate: str = ""
    runs: tuple[str, ...] = ()
    final_run: str = ""
    based_on: int = 0
