"""The verb of context: all that a model is given for its next turn, in one piece and within one budget.

The snapshot stands first, then the moment, the task with what was said of it, and the skills in use; then what the role's memory
has to say to the newest message, and the visible history. What the first of these take is fixed; memory gets its own budget of what
is left, history the rest.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from memd.engine.work.visible import runtime_section, sections_of
from memd.errors import (
    BadParamsError,
    RunLimitError,
    RunMoveError,
    RunUnknownError,
    SessionUnknownError,
    SnapshotBrokenError,
    SnapshotUnknownError,
)
from memd.formats.strict_json import loads
from memd.formats.times import to_seconds, zone_of
from memd.model.runs import PromptSection, RunState
from memd.model.sessions import EventKind
from memd.protocol.fields import MaybeName, Message, Request, SectionView, When
from memd.protocol.recall import Activated, Context, Recalled
from memd.service.recent import tell_recall
from memd.service.walks import TriggerRequest
from memd.service.work.histories import lineage_of, safe_tail
from memd.service.work.runs import known_run
from memd.service.work.snapshots import freeze_now, stored_snapshot
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.runs import Running
    from memd.store.store import Store

MEMORY_SHARE = 0.5  # of what the fixed sections leave, memory may take this much
LEAST_CHARS = 100


class RenderContext(Request):
    """Of a run, or of a session, a role or a message alone."""

    run: Annotated[MaybeName, Meta(description="of this run: its snapshot, session and role")] = ""
    session: Annotated[MaybeName, Meta(description="of this session: its history")] = ""
    role: Annotated[MaybeName, Meta(description="whose memory is asked")] = ""
    message: Annotated[Message, Meta(description="the newest message; else the session's last of the user")] = ""
    snapshot: Annotated[
        str, Meta(max_length=64, description="a stored one; else the run's, else the files as they are")
    ] = ""
    budget_chars: Annotated[
        int, Meta(ge=0, le=10_000_000, description="how many characters all together may have; 0 is no limit")
    ] = 0
    max_messages: Annotated[int, Meta(ge=0, le=100_000, description="how many messages; 0 is what memd.toml says")] = 0
    now: (
        Annotated[When, Meta(description="the time it is; else the clock: seconds, milliseconds or ISO 8601")] | None
    ) = None
    zone: Annotated[str, Meta(max_length=60, description="time zone: a name, or an offset such as +08:00")] = ""
    record: Annotated[bool, Meta(description="note in the run what was injected")] = True


@verb(
    "context.render",
    writes=True,
    errors=(
        RunLimitError,
        RunMoveError,
        RunUnknownError,
        SessionUnknownError,
        SnapshotBrokenError,
        SnapshotUnknownError,
    ),
)
async def render(service: Service, asked: RenderContext) -> Context:
    """Put together what a model is given next."""
    store = service.store
    run = await known_run(store, asked.run) if asked.run else None
    session = asked.session or (run.session if run else "")
    role = (await store.role(asked.role)).name if asked.role else run.role if run else ""
    digest, found = await _snapshot(store, asked.snapshot or (run.snapshot if run else ""))
    fixed = [*found, _moment(store, asked), *(await service.walks.sections_of(store, run) if run else ())]
    used = sum(len(str(one)) for one in fixed)
    left = max(0, asked.budget_chars - used) if asked.budget_chars else 0
    logs = await lineage_of(store, session) if session else []
    memory = await _memory(service, asked, role, session, left, [one for one, _ in logs[:1]])
    remembered = [PromptSection("role", f"Memory of {role}", memory.content)] if memory and memory.content else []
    used += sum(len(str(one)) for one in remembered)
    tail = None
    if logs:
        budget = max(1, asked.budget_chars - used) if asked.budget_chars else 0
        tail = await safe_tail(store, logs, max_messages=asked.max_messages, budget_chars=budget)
        used += tail.chars
    activated = memory.activated if memory else []
    if run and asked.record and run.state is RunState.RUNNING:
        await _record(service, run, activated)
    return Context(
        snapshot=digest,
        sections=[SectionView(*one) for one in (*fixed, *remembered)],
        messages=tail.entries if tail else [],
        cut=tail.cut if tail else None,
        activated=activated,
        dropped_for_room=memory.dropped_for_room if memory else [],
        chars=used,
        session=session or None,
        role=role or None,
        over_budget=used - asked.budget_chars if asked.budget_chars and used > asked.budget_chars else None,
    )


async def _snapshot(store: Store, digest: str) -> tuple[str, list[PromptSection]]:
    """Return a stored snapshot's sections; without a digest, those of the files as they are, which stores nothing."""
    if digest:
        stored = await stored_snapshot(store, digest)
        return stored.digest, stored.sections
    frozen, _ = await freeze_now(store)
    return frozen.digest, sections_of(loads(frozen.text.encode("utf-8", "surrogatepass")))


def _moment(store: Store, asked: RenderContext) -> PromptSection:
    name = asked.zone or store.settings.trigger.zone
    try:
        zone = zone_of(name)
    except ValueError as error:
        raise BadParamsError(f"zone: {error}") from None
    seconds = store.ports.now() if asked.now is None else to_seconds(asked.now)
    if seconds is None:
        raise BadParamsError(f"now: {str(asked.now)[:40]!r} is neither seconds, milliseconds nor ISO 8601")
    moment = datetime.fromtimestamp(seconds, zone or UTC).astimezone(zone)
    return runtime_section(moment, name or moment.tzname() or "UTC")


async def _record(service: Service, run: Running, activated: list[Activated]) -> None:
    """Note in a run which memories its prompt has that it had not before."""
    fresh: dict[str, list[str]] = {}
    for one in activated:
        if one.kind != "said" and (one.role, one.id) not in run.injected:
            fresh.setdefault(one.role, []).append(one.id)
    events = [{"kind": EventKind.INJECTED.value, "role": role, "memories": ids} for role, ids in fresh.items()]
    if events:
        await service.walks.append_to_run(service.store, run.run, events)
        run.injected.update((role, one) for role, ids in fresh.items() for one in ids)


async def _memory(
    service: Service, asked: RenderContext, role: str, session: str, left: int, logs: list[Any]
) -> Recalled | None:
    """Return what the role's memory has to say to the newest message; None where there is none."""
    store = service.store
    said = [asked.message] if asked.message else []
    if not said and logs:
        newest = (one for one in logs[0].visible_back() if one.said.get("speaker") == "user")
        said = [str(one.said.get("content", "")) for one in islice(newest, 1)]
    if not role or not said or not said[0].strip():
        return None
    known = await store.role(role)
    budget = store.settings_of(known).injection.budget_chars
    if asked.budget_chars:
        budget = min(budget, int(left * MEMORY_SHARE))
        if budget < LEAST_CHARS:
            return None
    # The section is made anew for each prompt: what the last one had is not in this one unless it comes again.
    scene = TriggerRequest(
        role=role, messages=said, session=session, now=asked.now, zone=asked.zone, budget=budget, repeat_after=0
    )
    reply = await service.walks.trigger(store, scene)
    tell_recall(store, scene, reply)
    return msgspec.convert(reply, Recalled)
