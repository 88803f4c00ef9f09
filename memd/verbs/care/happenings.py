"""The verbs that tell what memd did lately, how each of it is taken back, and what happens from now on; which level of capture is in force, and a pause."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, convert

from memd.errors import BadParamsError, DaemonMissingError, TrustStateError
from memd.formats.times import to_iso, to_seconds
from memd.protocol.fields import MaybeRole, Request, RoleName
from memd.protocol.sessions import CaptureLevel, CapturePaused
from memd.protocol.statistics import HAPPENED_CHARS, HappenedView, Log, RecentRecall, RecentVerdicts, Subscribed
from memd.service.capture.happened import Happened, Read, happened
from memd.service.capture.levels import FOREVER_S, in_force, pause_until
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.store.role.happenings import RECENT, TOPICS
from memd.verbs.declared import Nothing, Service, verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.model.memory import Memory

Topic = Annotated[str, Meta(pattern="^(memory|curated|file|role|settings|recalls|verdicts)$")]


class TellLog(Request):
    """Of which role, and how much."""

    role: MaybeRole = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="how many, the newest first")] = 20
    offset: Annotated[int, Meta(ge=0, le=100_000, description="how many of the newest are left out")] = 0
    id: Annotated[str, Meta(max_length=200, description="only what was done to this memory, pass or text")] = ""


class Subscribe(Request):
    """`topics` and `roles`: only these; without roles all of them, without topics those that tell of changes."""

    topics: list[Topic] = []
    roles: list[RoleName] = []
    last: Annotated[
        int,
        Meta(ge=0, le=1000, description="so many of the last recalls, and of the last verdicts, come with the reply"),
    ] = 0
    since: Annotated[int, Meta(ge=0, le=2**53, description="but only those whose `n` is greater")] = 0


@verb("subscribe", errors=(DaemonMissingError,))
async def subscribe(service: Service, asked: Subscribe) -> Subscribed:
    """Send an `event` on this connection for every change, and for what comes to mind and what becomes of texts."""
    if service.following is None:
        raise DaemonMissingError(service.process.socket)
    named = [(await service.store.role(address)).name for address in asked.roles]
    reply = Subscribed(subscribed=asked.topics or list(TOPICS), roles=named)
    happenings = service.store.happenings
    if not set(RECENT).isdisjoint(asked.topics):
        reply.n = happenings.number
    if asked.last and "recalls" in asked.topics:
        reply.recalls = convert(happenings.recent("recalls", named, asked.since, asked.last), list[RecentRecall])
    if asked.last and "verdicts" in asked.topics:
        reply.verdicts = convert(happenings.recent("verdicts", named, asked.since, asked.last), list[RecentVerdicts])
    return reply


@verb("log")
async def tell_log(service: Service, asked: TellLog) -> Log:
    """Tell what memd did lately, each with the command that takes it back."""
    store = service.store
    await make_ready(store)
    await store.roles.look()
    names = [(await store.role(asked.role)).name] if asked.role else sorted(store.roles)
    memories: dict[str, Mapping[str, Memory]] = {}
    for name in names:
        role = store.roles[name]
        async with role.turn:
            await store.look(role)
            memories[name] = dict(role.compiled.memories)
    waiting = Read(store.writer.waiting_lines(ARCHIVE), store.writer.waiting_lines(PRIVATE))
    upto = asked.offset + asked.limit
    total, found = await asyncio.to_thread(happened, store, memories, waiting, upto, asked.id)
    return Log(total=total, happened=[_view(one) for one in found[asked.offset :]], more=total > upto)


def _view(one: Happened) -> HappenedView:
    text = " ".join(one.text.split())[:HAPPENED_CHARS]
    return HappenedView(at=to_iso(one.at_s), what=one.what, role=one.role, id=one.id, text=text, undo=one.undo or None)


# The verbs of capture: which level is in force here, and a pause. Raising it and ending a pause are a person's, at the command line.


class PauseCapture(Request):
    """How long. A pause that lasts longer already stays: only `memd pause --off` ends one."""

    until: Annotated[
        float | str, Meta(description="seconds, milliseconds or ISO 8601; without it, until a person ends it")
    ] = ""


@verb("capture.level")
async def tell_level(service: Service, asked: Nothing) -> CaptureLevel:  # noqa: ARG001  a verb's second parameter
    """Tell what is kept of conversations on this machine."""
    return convert(in_force(service.store)._asdict(), CaptureLevel)


@verb("capture.pause", errors=(TrustStateError,))
async def pause_capture(service: Service, asked: PauseCapture) -> CapturePaused:
    """Keep nothing of conversations for a while. It is this machine's own, and no file of the workspace ends it."""
    until_s = to_seconds(asked.until) if asked.until else FOREVER_S
    if until_s is None:
        raise BadParamsError(f"until: {str(asked.until)!r:.60} is no time; write 2026-05-08T18:00, or ISO 8601")
    if until_s <= service.store.ports.now():
        raise BadParamsError(f"until: {to_iso(until_s)} is over already")
    return CapturePaused(to_iso(await pause_until(service.store, min(until_s, FOREVER_S))))
