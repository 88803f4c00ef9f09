"""The verb that tells what memd did lately, and how each of it is taken back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.formats.times import to_iso
from memd.service.capture.happened import Happened, Read, happened
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import MaybeRole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.model.memory import Memory

TEXT_CHARS = 300


class TellLog(Request):
    """Of which role, and how much."""

    role: MaybeRole = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="how many, the newest first")] = 20
    offset: Annotated[int, Meta(ge=0, le=100_000, description="how many of the newest are left out")] = 0


class HappenedView(Struct, kw_only=True):
    """One thing that memd did."""

    at: str
    what: Annotated[
        str, Meta(description="remembered, superseded, consolidated, forgotten with its reason, and others")
    ]
    role: str
    id: Annotated[str, Meta(description="of the memory, the pass or the text of the inbox; empty where there is none")]
    text: Annotated[str, Meta(description=f"its first {TEXT_CHARS} characters")]
    undo: Annotated[str, Meta(description="the words behind `memd` that take it back")] | UnsetType = UNSET


class Log(Reply):
    """What memd did lately, the newest first."""

    happened: list[HappenedView]
    more: Annotated[bool, Meta(description="there is older")]


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
    most = asked.offset + asked.limit + 1
    found = await asyncio.to_thread(happened, store, memories, waiting, most)
    shown = found[asked.offset : asked.offset + asked.limit]
    return Log(happened=[_view(one) for one in shown], more=len(found) == most)


def _view(one: Happened) -> HappenedView:
    text = " ".join(one.text.split())[:TEXT_CHARS]
    return HappenedView(at=to_iso(one.at_s), what=one.what, role=one.role, id=one.id, text=text, undo=one.undo or UNSET)
