"""The verb that lists what waits for a person; verdicts.py and conflicts.py decide it.

Three kinds wait: texts that were held back as orders, texts near the gate's edge in the inbox, and memories that say
otherwise than others.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, convert

from memd.formats.strict_json import dumps
from memd.protocol.fields import MaybeRole, Paged
from memd.protocol.memories import HeldText, Reviews, WaitingText, WithheldMemory
from memd.service.screening import make_ready, withheld_why
from memd.verbs.declared import Service, verb
from memd.verbs.memory.conflicts import conflicts_in

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

AT_ONCE = 25  # memories that are looked at without giving others a turn


class ListReviews(Paged):
    """Of which role, and which part of each kind; with `memories`, also those in files that are withheld from prompts."""

    role: MaybeRole = ""
    memories: Annotated[
        bool,
        Meta(
            description="also memories in files that are withheld from prompts; all are looked through, which takes a while"
        ),
    ] = False


SHOWN = tuple(name for name in HeldText.__struct_fields__ if name != "chars")


@verb("review.list")
async def list_reviews(service: Service, asked: ListReviews) -> Reviews:
    """List what waits for a person."""
    store = service.store
    await make_ready(store)
    wanted = (await store.role(asked.role)).name if asked.role else ""
    held = store.keeping.quarantine.held.values()
    texts = [one for one in held if not wanted or one.get("role") == wanted]
    inbox = [one for one in store.keeping.inbox.waiting.values() if not wanted or one.get("role") == wanted]
    nearest = sorted(inbox, key=lambda one: -one["total"])
    await store.roles.look()
    names = [wanted] if wanted else sorted(store.roles)
    conflicts = [one for name in names for one in await conflicts_in(store, store.roles[name])]
    totals = {"held": len(texts), "waiting": len(inbox), "conflicts": len(conflicts)}
    reply = Reviews(
        total=0,
        totals=totals,
        held=[_view(one) for one in asked.part(texts)],
        waiting=[convert({**one, "what": None}, WaitingText) for one in asked.part(nearest)] or None,
        conflicts=asked.part(conflicts) or None,
    )
    if asked.memories:
        withheld = [one for name in names for one in await _withheld(store, store.roles[name])]
        totals["withheld"] = len(withheld)
        reply.withheld = asked.part(withheld)
    reply.total = sum(totals.values())
    return reply


async def _withheld(store: Store, role: Role) -> list[WithheldMemory]:
    async with role.turn:
        await store.look(role)
        memories = list(role.compiled.memories.values())
    found = []
    for number, memory in enumerate(memories):
        why = withheld_why(store, memory.text, memory.content)
        if why:
            found.append(WithheldMemory(memory.id, role.name, memory.content, why))
        if number % AT_ONCE == AT_ONCE - 1:
            await asyncio.sleep(0)
    return found


def _view(held: dict[str, Any]) -> HeldText:
    shown = {key: held[key] for key in SHOWN if held.get(key)}
    return HeldText(**shown, chars=len(dumps(held.get("content", ""))))
