"""A task as its file says, and a run under way as memd knows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.model.work.run import Acceptance, RunState, SkillUse

if TYPE_CHECKING:
    from memd.model.work.task import TaskState


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
