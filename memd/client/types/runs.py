"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.views import Reply


class StartedRun(Reply, kw_only=True):
    """A run that has begun, and what it may do."""

    run: str
    session: str
    snapshot: str
    """Digest of the curated memory it began with."""
    role: str
    """Whose memory it has; empty where nobody's."""
    max_tool_iterations: int
    max_context_messages: int
    task: str | None = None
    faults: list[str] | None = None
    """Of curated files that cannot be read."""


class CompletedRun(Reply, kw_only=True):
    """A run that has ended, and its receipt."""

    run: str
    state: str
    """Completed, failed or cancelled."""
    file: str
    """Its receipt's."""
    session: str
    text: str | None = None
    iterations: int | None = None
    tools: dict[str, int] | None = None
    """How often each was called."""
    usage: dict[str, float] | None = None
    task: str | None = None
    already: bool | None = None
    """It was completed so before; then there is no text."""


class _Run(Reply, kw_only=True):
    """What is told of every run; what is empty is not sent."""

    run: str | None = None
    state: str
    """Running, interrupted, completed, failed or cancelled."""
    session: str | None = None
    role: str | None = None
    task: str | None = None
    asked: str | None = None
    started_at: str | None = None
    snapshot: str | None = None
    skills: list[str] | None = None
    """Name@version."""
    iterations: int
    """Of tools."""


class RunUnderWay(_Run, kw_only=True):
    """A run that has not ended."""

    max_tool_iterations: int
    pid: int | None = None
    alive: bool | None = None
    """That process lives."""


class _Receipt(_Run, kw_only=True):
    """_Receipt"""

    ended_at: str | None = None
    injected: list[str] | None = None
    """Role/id of memories."""
    tools: dict[str, int] | None = None
    """How often each was called."""
    usage: dict[str, float] | None = None
    summary: str | None = None
    words: str | None = None
    """What a person said of it."""
    evidence: list[str] | None = None
    changed: list[str] | None = None
    """What it changed in the world."""


class ReceiptView(_Receipt, kw_only=True):
    """A run that has ended, as its receipt says."""

    acceptance: str
    """Pending, accepted, revised or abandoned."""
    final: bool
    """It is the accepted run of its task."""
    edited: bool
    """A person edited the receipt."""
    file: str


class FoundRun(_Receipt, kw_only=True):
    """A run under way as RunUnderWay, or one that has ended as ReceiptView with its text."""

    max_tool_iterations: int | None = None
    pid: int | None = None
    alive: bool | None = None
    acceptance: str | None = None
    final: bool | None = None
    edited: bool | None = None
    file: str | None = None
    text: str | None = None


class Runs(Reply, kw_only=True):
    """Runs under way, and the newest receipts."""

    running: list[RunUnderWay]
    runs: list[ReceiptView]
    total: int
    """Of receipts, whichever were asked for."""


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
