"""context.render: all that a model is given for its next turn, in one piece and within one budget.

The snapshot stands first, then the moment, then what the role's memory has to say to the newest message, then the visible
history. What the curated snapshot and the moment take is fixed; memory gets its own budget of what is left; history the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from memd.engine.work.runtime import runtime_section, sections_of
from memd.errors import BadParamsError
from memd.formats.strict_json import loads
from memd.formats.times import to_seconds
from memd.formats.zones import zone_of
from memd.model.work.session import EventKind
from memd.model.work.snapshot import PromptSection
from memd.service.memory.scenes import TriggerRequest
from memd.service.memory.trigger import trigger
from memd.service.work.histories import HistoryRequest, lineage_of, tail_within
from memd.service.work.runs import event, running_of
from memd.service.work.snapshots import freeze_now, sections, shown
from memd.service.workspace import Workspace

MEMORY_SHARE = 0.5  # of what the fixed sections leave, memory may take this much
LEAST_CHARS = 100


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Of a run, or of a session, a role or a message alone. Limits of 0 are the settings'."""

    run: str = ""
    session: str = ""
    role: str = ""
    message: str = ""
    snapshot: str = ""
    budget_chars: int = 0
    max_messages: int = 0
    now: float | str | None = None
    zone: str = ""
    record: bool = True


async def render(workspace: Workspace, request: ContextRequest) -> dict[str, Any]:
    """Return the sections of a system prompt and the messages of the history."""
    run = await running_of(workspace, request.run) if request.run else None
    session = request.session or (run.session if run else "")
    role = request.role or (run.role if run else "")
    digest, found = await _snapshot(workspace, request.snapshot or (run.snapshot if run else ""))
    fixed = [*found, _moment(workspace, request)]
    used = sum(len(str(one)) for one in fixed)
    left = max(0, request.budget_chars - used) if request.budget_chars else 0
    logs = await lineage_of(workspace, session) if session else []
    memory = await _memory(workspace, request, role, session, left, [one for one, _ in logs[:1]])
    remembered = [PromptSection("role", f"Memory of {role}", memory["content"])] if memory.get("content") else []
    used += sum(len(str(one)) for one in remembered)
    reply: dict[str, Any] = {"snapshot": digest, "sections": shown([*fixed, *remembered]), "messages": []}
    if logs:
        budget = max(1, request.budget_chars - used) if request.budget_chars else 0
        tail = tail_within(workspace, logs, HistoryRequest(session, request.max_messages, budget))
        reply |= {"messages": tail.entries, "cut": tail.cut}
        used += tail.chars
    reply |= {"activated": memory.get("activated", []), "dropped_for_room": memory.get("dropped_for_room", 0)}
    if run and request.record and reply["activated"]:
        ids = [f"{one.get('role', role)}/{one['id']}" for one in reply["activated"]]
        await event(workspace, run.run, [{"kind": EventKind.INJECTED.value, "memories": ids}])
    over = {"over_budget": used - request.budget_chars} if request.budget_chars and used > request.budget_chars else {}
    return {
        **reply,
        "chars": used,
        **({"session": session} if session else {}),
        **({"role": role} if role else {}),
        **over,
    }


async def _snapshot(workspace: Workspace, digest: str) -> tuple[str, list[PromptSection]]:
    """Return a stored snapshot's sections; without a digest, those of the files as they are, which stores nothing."""
    if digest:
        stored = await sections(workspace, digest)
        return stored["digest"], [
            PromptSection(one["name"], one["title"], one["content"]) for one in stored["sections"]
        ]
    frozen, _ = await freeze_now(workspace)
    return frozen.digest, sections_of(loads(frozen.text.encode("utf-8", "surrogatepass")))


def _moment(workspace: Workspace, request: ContextRequest) -> PromptSection:
    name = request.zone or workspace.settings.trigger.zone
    try:
        zone = zone_of(name)
    except ValueError as error:
        raise BadParamsError(f"zone: {error}") from None
    seconds = workspace.ports.now() if request.now is None else to_seconds(request.now)
    if seconds is None:
        raise BadParamsError(f"now: {str(request.now)[:40]!r} is neither seconds, milliseconds nor ISO 8601")
    moment = datetime.fromtimestamp(seconds, zone or UTC).astimezone(zone)
    return runtime_section(moment, name or moment.tzname() or "UTC")


async def _memory(
    workspace: Workspace, request: ContextRequest, role: str, session: str, left: int, logs: list[Any]
) -> dict[str, Any]:
    """Return what the role's memory has to say to the newest message; nothing where there is none."""
    said = [request.message] if request.message else []
    if not said and logs:
        newest = (one for one in logs[0].visible_back() if one.said.get("speaker") == "user")
        said = [str(one.said.get("content", "")) for one in islice(newest, 1)]
    if not role or not said or not said[0].strip():
        return {}
    known = await workspace.role(role)
    budget = workspace.settings_of(known).injection.budget_chars
    if request.budget_chars:
        budget = min(budget, int(left * MEMORY_SHARE))
        if budget < LEAST_CHARS:
            return {}
    asked = TriggerRequest(role, tuple(said), session=session, now=request.now, zone=request.zone, budget_chars=budget)
    return await trigger(workspace, asked)
