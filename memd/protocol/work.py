"""Objects of requests and replies: runs, tasks, skills and what is learned."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memd.protocol.fields import Part, Reply, Total


class CandidateView(Part, kw_only=True):
    """An accepted task from which a skill may be learned; what is empty is not sent."""

    candidate: Annotated[str, Meta(description="its name, which is the task's")]
    title: str
    state: Annotated[str, Meta(description="open, drafted, published or declined")]
    role: str | None = None
    runs: list[str] | None = None
    final_accepted_run_id: str | None = None
    created_at: str | None = None
    skill: Annotated[str, Meta(description="the skill it came to")] | None = None
    used: Annotated[list[str], Meta(description="name@version of the skills that its runs used")] | None = None
    file: str


class Candidates(Reply, kw_only=True):
    """Candidates, newest first."""

    total: Total
    candidates: list[CandidateView]
    faults: Annotated[list[str], Meta(description="of candidates whose file cannot be read")] | None = None


class DraftLine(Reply, kw_only=True):
    """A draft, without its text."""

    skill: str
    candidate: str
    made_by: str
    made_at: str
    based_on: Annotated[int, Meta(description="the published version it was made over; 0 is none")]
    digest: str
    file: str
    faults: Annotated[list[str], Meta(description="what keeps it from being published")]
    declined: Annotated[str, Meta(description="a person's words")] | None = None


class DraftView(DraftLine, kw_only=True):
    """A draft, and how it differs from the text in use."""

    text: str
    diff: str


class Synthesized(Reply, kw_only=True):
    """A draft; with `prompt`, the evidence and a prompt instead."""

    candidate: str
    skill: Annotated[str, Meta(description="with `prompt`, empty where no name is known yet")]
    made_by: str | None = None
    made_at: str | None = None
    based_on: int | None = None
    digest: str | None = None
    file: str | None = None
    faults: list[str] | None = None
    declined: str | None = None
    text: str | None = None
    diff: str | None = None
    evidence: dict[str, Any] | None = None
    prompt: str | None = None


class Reviewed(Reply, kw_only=True):
    """The drafts that wait; or the one that was asked for, or declined."""

    total: Total | None = None
    drafts: list[DraftLine] | None = None
    skill: str | None = None
    candidate: str | None = None
    made_by: str | None = None
    made_at: str | None = None
    based_on: int | None = None
    digest: str | None = None
    file: str | None = None
    faults: list[str] | None = None
    declined: str | None = None
    text: str | None = None
    diff: str | None = None


class StartedRun(Reply, kw_only=True):
    """A run that has begun, and what it may do."""

    run: str
    session: str
    snapshot: Annotated[str, Meta(description="digest of the curated memory it began with")]
    role: Annotated[str, Meta(description="whose memory it has; empty where nobody's")]
    max_tool_iterations: int
    max_context_messages: int
    task: str | None = None
    faults: Annotated[list[str], Meta(description="of curated files that cannot be read")] | None = None


class CompletedRun(Reply, kw_only=True):
    """A run that has ended, and its receipt."""

    run: str
    state: Annotated[str, Meta(description="completed, failed or cancelled")]
    file: Annotated[str, Meta(description="its receipt's")]
    session: str
    text: str | None = None
    iterations: int | None = None
    tools: Annotated[dict[str, int], Meta(description="how often each was called")] | None = None
    usage: dict[str, float] | None = None
    task: str | None = None
    already: Annotated[bool, Meta(description="it was completed so before; then there is no text")] | None = None


class _Run(Reply, kw_only=True):
    """What is told of every run; what is empty is not sent."""

    run: str | None = None
    state: Annotated[str, Meta(description="running, interrupted, completed, failed or cancelled")]
    session: str | None = None
    role: str | None = None
    task: str | None = None
    asked: str | None = None
    started_at: str | None = None
    snapshot: str | None = None
    skills: Annotated[list[str], Meta(description="name@version")] | None = None
    iterations: Annotated[int, Meta(description="of tools")]


class RunUnderWay(_Run, kw_only=True):
    """A run that has not ended."""

    max_tool_iterations: int
    pid: int | None = None
    alive: Annotated[bool, Meta(description="that process lives")] | None = None


class _Receipt(_Run, kw_only=True):
    ended_at: str | None = None
    injected: Annotated[list[str], Meta(description="role/id of memories")] | None = None
    tools: Annotated[dict[str, int], Meta(description="how often each was called")] | None = None
    usage: dict[str, float] | None = None
    summary: str | None = None
    words: Annotated[str, Meta(description="what a person said of it")] | None = None
    evidence: list[str] | None = None
    changed: Annotated[list[str], Meta(description="what it changed in the world")] | None = None


class ReceiptView(_Receipt, kw_only=True):
    """A run that has ended, as its receipt says."""

    acceptance: Annotated[str, Meta(description="pending, accepted, revised or abandoned")]
    final: Annotated[bool, Meta(description="it is the accepted run of its task")]
    edited: Annotated[bool, Meta(description="a person edited the receipt")]
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


class Runs(Reply):
    """Runs under way, and the newest receipts."""

    running: list[RunUnderWay]
    runs: list[ReceiptView]
    total: Annotated[int, Meta(description="of receipts, whichever were asked for")]


class Published(Reply):
    """A version that was published."""

    skill: str
    version: int
    file: str
    digest: str
    text: str


class Retired(Reply):
    """A skill that was taken out of use."""

    skill: str
    retired: bool
    version: int
    kept: Annotated[str, Meta(description="where its versions stay")]


class CountsView(Part):
    """What persons said of the runs that used one version of a skill."""

    accepted: int
    revised: int
    abandoned: int


class EffectView(Part):
    """How well a version does."""

    skill: str
    version: int
    accepted: int
    revised: int
    abandoned: int
    runs: Annotated[int, Meta(description="how many were judged")]
    mean: Annotated[float, Meta(description="share of accepted runs, 0 to 1; a revised one is half")]
    low: Annotated[float, Meta(description="lower end of the interval the share is in")]
    high: Annotated[float, Meta(description="upper end of the interval the share is in")]


class SkillLine(Part, kw_only=True):
    """A published skill; one whose file cannot be read has its fault alone."""

    skill: str
    description: str | None = None
    version: Annotated[int, Meta(description="0 where nothing was published under the name")] | None = None
    file: str
    fault: str | None = None
    effect: EffectView | None = None


class Skills(Reply):
    """The skills there are by their names, those a person wrote by hand included."""

    total: Total
    skills: list[SkillLine]


class VersionView(Part, kw_only=True):
    """One published version; what is empty is not sent."""

    n: int
    published_at: str | None = None
    by: Annotated[str, Meta(description="who said so")] | None = None
    words: str | None = None
    candidate: str | None = None
    runs: list[str] | None = None
    final_accepted_run_id: str | None = None
    based_on: Annotated[int, Meta(description="the version it was made from; 0 is none")]
    digest: str | None = None


class FoundSkill(Reply):
    """A skill's text, with its lineage and effects."""

    skill: str
    version: int
    file: str
    text: str
    retired: Annotated[bool, Meta(description="it is not in use")]
    versions: list[VersionView]
    effects: list[EffectView]


class VersionBefore(Part):
    """The version that did better."""

    version: int
    mean: float


class RegressionView(Part):
    """A version that does worse than the one judged before it."""

    skill: str
    version: int
    mean: float
    before: VersionBefore
    certain: Annotated[bool, Meta(description="their intervals do not meet")]


class DifferingCount(Part):
    """A version whose running figure was not what the receipts say."""

    skill: str
    version: int
    running: CountsView
    receipts: CountsView


class Effects(Reply, kw_only=True):
    """How each version does, and which do worse than before; the rest with `recompute` alone."""

    total: Total
    effects: list[EffectView]
    regressions: list[RegressionView]
    recomputed: bool | None = None
    receipts: Annotated[int, Meta(description="how many were counted")] | None = None
    equal: Annotated[bool, Meta(description="the running figures were right")] | None = None
    differing: list[DifferingCount] | None = None
    edited: Annotated[list[str], Meta(description="runs whose receipt a person edited")] | None = None
    faults: Annotated[list[str], Meta(description="of receipts that cannot be read")] | None = None


class RunOfTask(Part):
    """A run that worked for a task."""

    id: str
    state: str
    acceptance: Annotated[str, Meta(description="pending, accepted, revised or abandoned")]


class VerdictView(Part):
    """A person's word on a task."""

    verdict: Annotated[str, Meta(description="accept, revise or abandon")]
    at: str
    run: Annotated[str, Meta(description="which run it is about; empty where about none")]
    words: str


class EvidenceView(Part):
    """A fact that bears on a task."""

    content: str
    status: Annotated[str, Meta(description="what the caller said of it")]
    run: str
    at: str


class TaskView(Reply, kw_only=True):
    """A task; what is empty is not sent, but for its runs."""

    task: Annotated[str, Meta(description="its name")]
    title: str
    state: Annotated[str, Meta(description="open, review, revising, accepted or abandoned")]
    file: str
    role: str | None = None
    asked: str | None = None
    created_at: str | None = None
    final_accepted_run_id: str | None = None
    runs: list[RunOfTask]
    said: list[VerdictView] | None = None
    evidence: list[EvidenceView] | None = None
    running: Annotated[list[str], Meta(description="its runs under way")] | None = None


class JudgedTask(TaskView, kw_only=True):
    """A task after a verdict."""

    candidate: Annotated[str, Meta(description="the candidate for a skill that accept made")] | None = None


class Tasks(Reply, kw_only=True):
    """Tasks, newest first."""

    total: Total
    tasks: list[TaskView]
    faults: Annotated[list[str], Meta(description="of tasks whose file cannot be read")] | None = None
