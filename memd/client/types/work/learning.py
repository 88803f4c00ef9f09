"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.plain.declared import Reply


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
