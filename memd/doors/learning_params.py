"""Parameters of the methods for tasks and skills."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memd.doors.params import Params
from memd.doors.session_params import Digest, MaybeName, Name, Short

Skill = Annotated[str, Meta(min_length=1, max_length=64)]
TASK_CHARS = 20_000  # of one text in a task's file, which is read and written whole
Words = Annotated[str, Meta(max_length=TASK_CHARS, description="what the person says")]


class TaskOpenParams(Params):
    """A task to open; without a name it gets one of its title."""

    title: Annotated[str, Meta(min_length=1, max_length=500)]
    task: MaybeName = ""
    role: MaybeName = ""
    asked: Annotated[str, Meta(max_length=TASK_CHARS, description="what was asked for")] = ""


class TaskParams(Params):
    """A task."""

    task: Name


class TaskEvidenceParams(TaskParams):
    """A fact that bears on a task."""

    content: Annotated[str, Meta(min_length=1, max_length=TASK_CHARS)]
    status: Annotated[str, Meta(max_length=100, description="what the caller says of it: passed, failed, seen, …")] = ""
    run: MaybeName = ""


class VerdictParams(TaskParams):
    """A person's word on a task."""

    words: Words = ""
    run: Annotated[MaybeName, Meta(description="which run; else the last that was completed")] = ""


class TaskListParams(Params):
    """Of one state, or all."""

    state: Annotated[str, Meta(pattern="^(|open|review|revising|accepted|abandoned)$")] = ""


class CandidatesParams(Params):
    """Of one state, or all."""

    state: Annotated[str, Meta(pattern="^(|open|drafted|published|declined)$")] = ""


class SynthesizeParams(Params):
    """A candidate to make a draft of."""

    candidate: Name
    skill: Annotated[str, Meta(max_length=64, description="its name; else made of the task's title")] = ""
    prompt: Annotated[bool, Meta(description="return the evidence and a prompt for your model instead")] = False


class DraftParams(Params):
    """A SKILL.md that your model or a person wrote for a candidate."""

    candidate: Name
    text: Annotated[str, Meta(min_length=1, max_length=900_000)]
    made_by: Short = ""


class ReviewParams(Params):
    """A draft, or all that wait."""

    skill: Annotated[str, Meta(max_length=64)] = ""
    decline: Annotated[bool, Meta(description="say no to it")] = False
    words: Words = ""


class PublishParams(Params):
    """A draft to publish, by a person's word."""

    skill: Skill
    by: Annotated[str, Meta(min_length=1, max_length=200, description="who says so")]
    words: Words = ""
    digest: Digest = ""


class RetireParams(Params):
    """A skill to take out of use, by a person's word."""

    skill: Skill
    by: Annotated[str, Meta(min_length=1, max_length=200, description="who says so")]
    words: Words = ""


class SkillGetParams(Params):
    """A skill, as it is used or in one of its versions."""

    skill: Skill
    version: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class EffectsParams(Params):
    """Of one skill, or of all."""

    skill: Annotated[str, Meta(max_length=64)] = ""
    recompute: Annotated[bool, Meta(description="count the receipts again, and compare")] = False
