"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.sessions import RunEvents
    from memd.protocol.work import (
        Candidates,
        CompletedRun,
        DraftView,
        Effects,
        FoundRun,
        FoundSkill,
        JudgedTask,
        Published,
        Retired,
        Reviewed,
        Runs,
        Skills,
        StartedRun,
        Synthesized,
        Tasks,
        TaskView,
    )


class LearningMethods(Asks[K]):
    """The methods `learning.*`."""

    @method("learning.candidates")
    def candidates(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        state: Literal["open", "drafted", "published", "declined", ""] = "",
        reader: Literal["person", "model"] = "person",
    ) -> Candidates:
        """List what skills may be learned from.

        limit: how many at once
        offset: how many to pass over
        state: only those in this state
        """

    @method("learning.draft")
    def draft(
        self, *, candidate: str, text: str, made_by: str = "", reader: Literal["person", "model"] = "person"
    ) -> DraftView:
        """Hand in a draft that was written elsewhere.

        made_by: the model or the person who wrote it
        """

    @method("learning.publish")
    def publish(
        self, *, skill: str, by: str, words: str = "", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> Published:
        """Publish a draft on a person's word.

        by: who says so
        words: what the person says
        digest: sha256 of the text this is meant for
        """

    @method("learning.retire")
    def retire(self, *, skill: str, by: str, words: str = "", reader: Literal["person", "model"] = "person") -> Retired:
        """Take a skill out of use.

        by: who says so
        words: what the person says
        """

    @method("learning.review")
    def review(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        skill: str = "",
        decline: bool = False,
        words: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Reviewed:
        """Show drafts and how they differ; or decline.

        limit: how many at once
        offset: how many to pass over
        decline: say no to it
        words: what the person says
        """

    @method("learning.synthesize")
    def synthesize(
        self, *, candidate: str, skill: str = "", prompt: bool = False, reader: Literal["person", "model"] = "person"
    ) -> Synthesized:
        """Make a draft, or a prompt for one.

        skill: its name; else made of the task's title
        prompt: return the evidence and a prompt for your model instead
        """


class RunMethods(Asks[K]):
    """The methods `run.*`."""

    @method("run.complete")
    def complete(
        self,
        *,
        run: str,
        outcome: Literal["completed", "failed", "cancelled"] = "completed",
        summary: str = "",
        changed: builtins.list[str] = [],
        reader: Literal["person", "model"] = "person",
    ) -> CompletedRun:
        """End a run and write its receipt.

        outcome: how it ended
        summary: what came of it; else the assistant's last message
        changed: what it changed, one thing each
        """

    @method("run.event")
    def event(
        self, *, run: str, events: builtins.list[dict[str, Any]], reader: Literal["person", "model"] = "person"
    ) -> RunEvents:
        """Append events of a run, counted."""

    @method("run.get")
    def get(self, *, run: str, reader: Literal["person", "model"] = "person") -> FoundRun:
        """Return a run, or its receipt."""

    @method("run.list")
    def list(
        self, *, limit: int = 20, offset: int = 0, task: str = "", reader: Literal["person", "model"] = "person"
    ) -> Runs:
        """List runs under way and receipts.

        limit: how many that have ended
        offset: how many to pass over
        task: only of this task
        """

    @method("run.start")
    def start(
        self,
        *,
        run: str = "",
        session: str = "",
        task: str = "",
        role: str = "",
        asked: str = "",
        skills: builtins.list[str] = [],
        max_tool_iterations: int = 0,
        pid: int = 0,
        reader: Literal["person", "model"] = "person",
    ) -> StartedRun:
        """Begin a run on a frozen snapshot.

        run: its name; else it gets one
        session: an open session; else it gets one of its own
        task: the task it works for
        role: whose run it is; else the task's, else main
        asked: what was asked for
        skills: the skills that it uses, as name@version
        max_tool_iterations: 0 is the settings', which is also the most
        pid: the process whose end is the run's end
        """


class SkillMethods(Asks[K]):
    """The methods `skill.*`."""

    @method("skill.effects")
    def effects(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        skill: str = "",
        recompute: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Effects:
        """Tell how each version does, from receipts.

        limit: how many at once
        offset: how many to pass over
        recompute: count the receipts again, and compare
        """

    @method("skill.get")
    def get(self, *, skill: str, version: int = 0, reader: Literal["person", "model"] = "person") -> FoundSkill:
        """Return a skill with its versions and effects.

        version: which; 0 is the one in use
        """

    @method("skill.list")
    def list(self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person") -> Skills:
        """List published skills with how they do.

        limit: how many at once
        offset: how many to pass over
        """


class TaskMethods(Asks[K]):
    """The methods `task.*`."""

    @method("task.abandon")
    def abandon(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Give a task up.

        words: what the person says
        run: which run; else the last that was completed
        """

    @method("task.accept")
    def accept(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Accept a task's run; a candidate is made.

        words: what the person says
        run: which run; else the last that was completed
        """

    @method("task.evidence")
    def evidence(
        self, *, task: str, content: str, status: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> TaskView:
        """Record a fact that bears on a task.

        status: what the caller says of it: passed, failed, seen, …
        run: the run it comes from
        """

    @method("task.get")
    def get(self, *, task: str, reader: Literal["person", "model"] = "person") -> TaskView:
        """Return a task with its runs and what was said."""

    @method("task.list")
    def list(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        state: Literal["open", "review", "revising", "accepted", "abandoned", ""] = "",
        reader: Literal["person", "model"] = "person",
    ) -> Tasks:
        """List tasks.

        limit: how many at once
        offset: how many to pass over
        state: only those in this state
        """

    @method("task.open")
    def open(
        self,
        *,
        title: str,
        task: str = "",
        role: str = "",
        asked: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> TaskView:
        """Open a task.

        task: its name; else made of the title
        role: whose task it is
        asked: what was asked for, whole
        """

    @method("task.revise")
    def revise(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Ask for another run, and say why.

        words: what the person says
        run: which run; else the last that was completed
        """
