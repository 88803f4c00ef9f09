"""A run, its record, and the snapshot of curated memory that is frozen for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from memd.model.tasks import TaskState


# A run: one execution of an agent, from a frozen snapshot to a receipt.
#
# Source
#     docs/design/origins.md#the-blueprint-of-an-engine: a receipt after the run, acceptance by the task.


class RunState(StrEnum):
    """How a run stands; all but RUNNING are outcomes."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


class Acceptance(StrEnum):
    """What a person said of a run."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REVISED = "revised"
    ABANDONED = "abandoned"


# What an engine may say a run came to. That it was interrupted is found out, not told.
OUTCOMES = (RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED)

# state -> what happens -> state. A run that was given up too early, because its process seemed dead, may go on.
RUN_MOVES: dict[RunState, dict[str, frozenset[RunState]]] = {
    RunState.RUNNING: {
        "event": frozenset({RunState.RUNNING}),
        "complete": frozenset(OUTCOMES),
        "interrupt": frozenset({RunState.INTERRUPTED}),
    },
    RunState.INTERRUPTED: {"event": frozenset({RunState.RUNNING}), "complete": frozenset(OUTCOMES)},
    RunState.COMPLETED: {},
    RunState.FAILED: {},
    RunState.CANCELLED: {},
}


@dataclass(frozen=True, slots=True)
class SkillUse:
    """A skill that a run used, in which version; version 0 is unknown."""

    name: str
    version: int = 0

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name

    @classmethod
    def read(cls, text: str) -> SkillUse:
        """Return what `name@version` says."""
        name, _, version = text.strip().partition("@")
        return cls(name, int(version) if version.isascii() and version.isdigit() and len(version) < 10 else 0)


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call of a run with what came of it."""

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    failed: bool = False
    result: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """One run as learning sees it. `words` is what the person said of it; `final`: it is the one that was accepted."""

    run: str
    state: RunState
    acceptance: Acceptance
    asked: str
    steps: tuple[Step, ...] = ()
    summary: str = ""
    words: str = ""
    final: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """The record of one run, as its file says."""

    run: str
    state: RunState = RunState.COMPLETED
    acceptance: Acceptance = Acceptance.PENDING
    final: bool = False
    task: str = ""
    session: str = ""
    role: str = ""
    started_at: str = ""
    ended_at: str = ""
    snapshot: str = ""
    skills: tuple[SkillUse, ...] = ()
    injected: tuple[str, ...] = ()
    tools: Mapping[str, int] = field(default_factory=dict)
    iterations: int = 0
    max_tool_iterations: int = 0
    events: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)
    asked: str = ""
    summary: str = ""
    words: str = ""
    evidence: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    edited: bool = False


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A run of a task."""

    id: str
    state: RunState
    acceptance: Acceptance = Acceptance.PENDING


@dataclass(frozen=True, slots=True)
class Said:
    """What a person said of a task, when, and of which run."""

    verdict: str
    at: str
    run: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact that bears on a task; memd records its status and validates nothing."""

    content: str
    at: str
    status: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One task."""

    name: str
    title: str
    state: TaskState
    role: str = ""
    asked: str = ""
    created_at: str = ""
    final_run: str = ""
    runs: tuple[TaskRun, ...] = ()
    said: tuple[Said, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    def run(self, run_id: str) -> TaskRun | None:
        """Return a run of this task."""
        return next((one for one in self.runs if one.id == run_id), None)


@dataclass(slots=True)
class Running:
    """A run under way. `mark` tells its process from a later one of the same number; pid 0 is unknown."""

    run: str
    session: str
    started_at: str
    task: str = ""
    role: str = ""
    asked: str = ""
    snapshot: str = ""
    skills: tuple[SkillUse, ...] = ()
    max_tool_iterations: int = 0
    pid: int = 0
    mark: str = ""
    state: RunState = RunState.RUNNING
    iterations: set[str] = field(default_factory=set)
    counted: bool = False
    injected: set[tuple[str, str]] = field(default_factory=set)


class PromptSection(NamedTuple):
    """One section of a system prompt; as a text, its title as a heading and its content."""

    name: str
    title: str
    content: str

    def __str__(self) -> str:
        return f"## {self.title}\n\n{self.content}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`digest` names it for good: equal content has an equal digest, and equal sections byte for byte."""

    digest: str
    sections: tuple[PromptSection, ...]

    @classmethod
    def of_reply(cls, reply: Mapping[str, Any]) -> Snapshot:
        """Return the snapshot of a reply to snapshot.take or snapshot.sections."""
        found = (PromptSection(one["name"], one["title"], one["content"]) for one in reply["sections"])
        return cls(reply["digest"], tuple(found))

    def as_prompt_sections(self) -> list[str]:
        """Return the sections as texts for a system prompt, in their order."""
        return [str(one) for one in self.sections]
