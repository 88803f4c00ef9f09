"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class RunOfTask(Struct, kw_only=True, omit_defaults=True):
    """A run that worked for a task."""

    id: str
    state: str
    acceptance: str
    """Pending, accepted, revised or abandoned."""


class VerdictView(Struct, kw_only=True, omit_defaults=True):
    """A person's word on a task."""

    verdict: str
    """Accept, revise or abandon."""
    at: str
    run: str
    """Which run it is about; empty where about none."""
    words: str


class EvidenceView(Struct, kw_only=True, omit_defaults=True):
    """A fact that bears on a task."""

    content: str
    status: str
    """What the caller said of it."""
    run: str
    at: str


class TaskView(Reply, kw_only=True):
    """A task; what is empty is not sent, but for its runs."""

    task: str
    """Its name."""
    title: str
    state: str
    """Open, review, revising, accepted or abandoned."""
    file: str
    role: str | None = None
    asked: str | None = None
    created_at: str | None = None
    final_accepted_run_id: str | None = None
    runs: list[RunOfTask]
    said: list[VerdictView] | None = None
    evidence: list[EvidenceView] | None = None
    running: list[str] | None = None
    """Its runs under way."""


class JudgedTask(TaskView, kw_only=True):
    """A task after a verdict."""

    candidate: str | None = None
    """The candidate for a skill that accept made."""


class Tasks(Reply, kw_only=True):
    """Tasks, newest first."""

    total: int
    """How many there are, this part among them."""
    tasks: list[TaskView]
    faults: list[str] | None = None
    """Of tasks whose file cannot be read."""
