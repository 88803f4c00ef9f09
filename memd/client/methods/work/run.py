"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.run_events import RunEvents
    from memd.client.types.work.runs import CompletedRun, FoundRun, Runs, StartedRun


class RunMethods:
    """The methods `run.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

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
        found: CompletedRun = typed(
            "run.complete",
            "work.runs.CompletedRun",
            self._client.call("run.complete", **given(self.complete, locals())),
        )
        return found

    def event(
        self, *, run: str, events: builtins.list[dict[str, Any]], reader: Literal["person", "model"] = "person"
    ) -> RunEvents:
        """Append events of a run, counted."""
        found: RunEvents = typed(
            "run.event", "work.run_events.RunEvents", self._client.call("run.event", **given(self.event, locals()))
        )
        return found

    def get(self, *, run: str, reader: Literal["person", "model"] = "person") -> FoundRun:
        """Return a run, or its receipt."""
        found: FoundRun = typed(
            "run.get", "work.runs.FoundRun", self._client.call("run.get", **given(self.get, locals()))
        )
        return found

    def list(
        self, *, limit: int = 20, offset: int = 0, task: str = "", reader: Literal["person", "model"] = "person"
    ) -> Runs:
        """List runs under way and receipts.

        limit: how many that have ended
        offset: how many to pass over
        task: only of this task
        """
        found: Runs = typed("run.list", "work.runs.Runs", self._client.call("run.list", **given(self.list, locals())))
        return found

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
        found: StartedRun = typed(
            "run.start", "work.runs.StartedRun", self._client.call("run.start", **given(self.start, locals()))
        )
        return found


class AsyncRunMethods:
    """The methods `run.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def complete(
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
        found: CompletedRun = typed(
            "run.complete",
            "work.runs.CompletedRun",
            await self._client.call("run.complete", **given(self.complete, locals())),
        )
        return found

    async def event(
        self, *, run: str, events: builtins.list[dict[str, Any]], reader: Literal["person", "model"] = "person"
    ) -> RunEvents:
        """Append events of a run, counted."""
        found: RunEvents = typed(
            "run.event",
            "work.run_events.RunEvents",
            await self._client.call("run.event", **given(self.event, locals())),
        )
        return found

    async def get(self, *, run: str, reader: Literal["person", "model"] = "person") -> FoundRun:
        """Return a run, or its receipt."""
        found: FoundRun = typed(
            "run.get", "work.runs.FoundRun", await self._client.call("run.get", **given(self.get, locals()))
        )
        return found

    async def list(
        self, *, limit: int = 20, offset: int = 0, task: str = "", reader: Literal["person", "model"] = "person"
    ) -> Runs:
        """List runs under way and receipts.

        limit: how many that have ended
        offset: how many to pass over
        task: only of this task
        """
        found: Runs = typed(
            "run.list", "work.runs.Runs", await self._client.call("run.list", **given(self.list, locals()))
        )
        return found

    async def start(
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
        found: StartedRun = typed(
            "run.start", "work.runs.StartedRun", await self._client.call("run.start", **given(self.start, locals()))
        )
        return found
