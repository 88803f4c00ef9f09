"""The verbs that tell what memd did lately, and how each of it is taken back; and what happens from now on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, convert

from memd.errors import DaemonMissingError
from memd.formats.times import to_iso
from memd.protocol.fields import MaybeRole, Request, RoleName
from memd.protocol.statistics import HAPPENED_CHARS, HappenedView, Log, RecentRecall, RecentVerdicts, Subscribed
from memd.service.capture.happened import Happened, Read, happened
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.store.role.happenings import RECENT, TOPICS
from memd.verbs.declared import Service, verb

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
