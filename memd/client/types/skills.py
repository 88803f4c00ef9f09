"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.views import Reply


class CandidateView(Struct, kw_only=True, omit_defaults=True):
    """An accepted task from which a skill may be learned; what is empty is not sent."""

    candidate: str
    """Its name, which is the task's."""
    title: str
    state: str
    """Open, drafted, published or declined."""
    role: str | None = None
    runs: list[str] | None = None
    final_accepted_run_id: str | None = None
    created_at: str | None = None
    skill: str | None = None
    """The skill it came to."""
    used: list[str] | None = None
    """Name@version of the skills that its runs used."""
    file: str


class Candidates(Reply, kw_only=True):
    """Candidates, newest first."""

    total: int
    """How many there are, this part among them."""
    candidates: list[CandidateView]
    faults: list[str] | None = None
    """Of candidates whose file cannot be read."""


class DraftLine(Reply, kw_only=True):
    """A draft, without its text."""

    skill: str
    candidate: str
    made_by: str
    made_at: str
    based_on: int
    """The published version it was made over; 0 is none."""
    digest: str
    file: str
    faults: list[str]
    """What keeps it from being published."""
    declined: str | None = None
    """A person's words."""


class DraftView(DraftLine, kw_only=True):
    """A draft, and how it differs from the text in use."""

    text: str
    diff: str


class Synthesized(Reply, kw_only=True):
    """A draft; with `prompt`, the evidence and a prompt instead."""

    candidate: str
    skill: str
    """With `prompt`, empty where no name is known yet."""
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

    total: int | None = None
    """How many there are, this part among them."""
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


class Published(Reply, kw_only=True):
    """A version that was published."""

    skill: str
    version: int
    file: str
    digest: str
    text: str


class Retired(Reply, kw_only=True):
    """A skill that was taken out of use."""

    skill: str
    retired: bool
    version: int
    kept: str
    """Where its versions stay."""


class CountsView(Struct, kw_only=True, omit_defaults=True):
    """What persons said of the runs that used one version of a skill."""

    accepted: int
    revised: int
    abandoned: int


class EffectView(Struct, kw_only=True, omit_defaults=True):
    """How well a version does."""

    skill: str
    version: int
    accepted: int
    revised: int
    abandoned: int
    runs: int
    """How many were judged."""
    mean: float
    """Share of accepted runs, 0 to 1; a revised one is half."""
    low: float
    """Lower end of the interval the share is in."""
    high: float
    """Upper end of the interval the share is in."""


class SkillLine(Struct, kw_only=True, omit_defaults=True):
    """A published skill; one whose file cannot be read has its fault alone."""

    skill: str
    description: str | None = None
    version: int | None = None
    """0 where nothing was published under the name."""
    file: str
    fault: str | None = None
    effect: EffectView | None = None


class Skills(Reply, kw_only=True):
    """The skills there are by their names, those a person wrote by hand included."""

    total: int
    """How many there are, this part among them."""
    skills: list[SkillLine]


class VersionView(Struct, kw_only=True, omit_defaults=True):
    """One published version; what is empty is not sent."""

    n: int
    published_at: str | None = None
    by: str | None = None
    """Who said so."""
    words: str | None = None
    candidate: str | None = None
    runs: list[str] | None = None
    final_accepted_run_id: str | None = None
    based_on: int
    """The version it was made from; 0 is none."""
    digest: str | None = None


class FoundSkill(Reply, kw_only=True):
    """A skill's text, with its lineage and effects."""

    skill: str
    version: int
    file: str
    text: str
    retired: bool
    """It is not in use."""
    versions: list[VersionView]
    effects: list[EffectView]


class VersionBefore(Struct, kw_only=True, omit_defaults=True):
    """The version that did better."""

    version: int
    mean: float


class RegressionView(Struct, kw_only=True, omit_defaults=True):
    """A version that does worse than the one judged before it."""

    skill: str
    version: int
    mean: float
    before: VersionBefore
    certain: bool
    """Their intervals do not meet."""


class DifferingCount(Struct, kw_only=True, omit_defaults=True):
    """A version whose running figure was not what the receipts say."""

    skill: str
    version: int
    running: CountsView
    receipts: CountsView


class Effects(Reply, kw_only=True):
    """How each version does, and which do worse than before; the rest with `recompute` alone."""

    total: int
    """How many there are, this part among them."""
    effects: list[EffectView]
    regressions: list[RegressionView]
    recomputed: bool | None = None
    receipts: int | None = None
    """How many were counted."""
    equal: bool | None = None
    """The running figures were right."""
    differing: list[DifferingCount] | None = None
    edited: list[str] | None = None
    """Runs whose receipt a person edited."""
    faults: list[str] | None = None
    """Of receipts that cannot be read."""
