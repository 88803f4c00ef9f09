"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.tasks import JudgedTask, Tasks, TaskView


class TaskMethods:
    """The methods `task.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def abandon(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Give a task up.

        words: what the person says
        run: which run; else the last that was completed
        """
        found: JudgedTask = typed(
            "task.abandon", "work.tasks.JudgedTask", self._client.call("task.abandon", **given(self.abandon, locals()))
        )
        return found

    def accept(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Accept a task's run; a candidate is made.

        words: what the person says
        run: which run; else the last that was completed
        """
        found: JudgedTask = typed(
            "task.accept", "work.tasks.JudgedTask", self._client.call("task.accept", **given(self.accept, locals()))
        )
        return found

    def evidence(
        self, *, task: str, content: str, status: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> TaskView:
        """Record a fact that bears on a task.

        status: what the caller says of it: passed, failed, seen, …
        run: the run it comes from
        """
        found: TaskView = typed(
            "task.evidence", "work.tasks.TaskView", self._client.call("task.evidence", **given(self.evidence, locals()))
        )
        return found

    def get(self, *, task: str, reader: Literal["person", "model"] = "person") -> TaskView:
        """Return a task with its runs and what was said."""
        found: TaskView = typed(
            "task.get", "work.tasks.TaskView", self._client.call("task.get", **given(self.get, locals()))
        )
        return found

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
        found: Tasks = typed(
            "task.list", "work.tasks.Tasks", self._client.call("task.list", **given(self.list, locals()))
        )
        return found

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
        found: TaskView = typed(
            "task.open", "work.tasks.TaskView", self._client.call("task.open", **given(self.open, locals()))
        )
        return found

    def revise(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Ask for another run, and say why.

        words: what the person says
        run: which run; else the last that was completed
        """
        found: JudgedTask = typed(
            "task.revise", "work.tasks.JudgedTask", self._client.call("task.revise", **given(self.revise, locals()))
        )
        return found


class AsyncTaskMethods:
    """The methods `task.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def abandon(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Give a task up.

        words: what the person says
        run: which run; else the last that was completed
        """
        found: JudgedTask = typed(
            "task.abandon",
            "work.tasks.JudgedTask",
            await self._client.call("task.abandon", **given(self.abandon, locals())),
        )
        return found

    async def accept(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Accept a task's run; a candidate is made.

        words: what the person says
        run: which run; else the last that was completed
        """
        found: JudgedTask = typed(
            "task.accept",
            "work.tasks.JudgedTask",
            await self._client.call("task.accept", **given(self.accept, locals())),
        )
        return found

    async def evidence(
        self, *, task: str, content: str, status: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> TaskView:
        """Record a fact that bears on a task.

        status: what the caller says of it: passed, failed, seen, …
        run: the run it comes from
        """
        found: TaskView = typed(
            "task.evidence",
            "work.tasks.TaskView",
            await self._client.call("task.evidence", **given(self.evidence, locals())),
        )
        return found

    async def get(self, *, task: str, reader: Literal["person", "model"] = "person") -> TaskView:
        """Return a task with its runs and what was said."""
        found: TaskView = typed(
            "task.get", "work.tasks.TaskView", await self._client.call("task.get", **given(self.get, locals()))
        )
        return found

    async def list(
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
        found: Tasks = typed(
            "task.list", "work.tasks.Tasks", await self._client.call("task.list", **given(self.list, locals()))
        )
        return found

    async def open(
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
        found: TaskView = typed(
            "task.open", "work.tasks.TaskView", await self._client.call("task.open", **given(self.open, locals()))
        )
        return found

    async def revise(
        self, *, task: str, words: str = "", run: str = "", reader: Literal["person", "model"] = "person"
    ) -> JudgedTask:
        """Ask for another run, and say why.

        words: what the person says
        run: which run; else the last that was completed
        """
        found: JudgedTask = typed(
            "task.revise",
            "work.tasks.JudgedTask",
            await self._client.call("task.revise", **given(self.revise, locals())),
        )
        return found
