"""The verb that lists what waits for a person; verdicts.py and conflicts.py decide it.

Three kinds wait: texts that were held back as orders, texts near the gate's edge in the inbox, and memories that say
otherwise than others.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from memd.formats.strict_json import dumps
from memd.service.screening import make_ready, withheld_why
from memd.verbs.declared import Reply, Service, verb
from memd.verbs.fields import MaybeRole, Paged
from memd.verbs.memory.conflicts import ConflictView, conflicts_in

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


class HeldText(Struct, kw_only=True):
    """A text that waits: what its file says of it, which may be a stranger's, so that any but the text may be lacking."""

    id: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    content: str
    fields: (
        Annotated[dict[str, str | int | bool | list[str]], Meta(description="what else would be stored")] | UnsetType
    ) = UNSET
    why: Annotated[str, Meta(description="what is found in it")]
    source: Annotated[str, Meta(description="who offered it")] | UnsetType = UNSET
    session: str | UnsetType = UNSET
    at: Annotated[str, Meta(description="since when it waits")] | UnsetType = UNSET
    chars: Annotated[int, Meta(description="of the text as JSON")]


class WaitingText(Struct, kw_only=True):
    """A text in the inbox: it was offered, and was not sure to be worth keeping."""

    id: str
    role: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    content: str
    fields: (
        Annotated[dict[str, str | int | bool | list[str]], Meta(description="what else would be stored")] | UnsetType
    ) = UNSET
    total: Annotated[float, Meta(description="as it was judged, 0 to 10")]
    why: Annotated[str, Meta(description="it was not kept")]
    source: Annotated[str, Meta(description="who offered it")] | UnsetType = UNSET
    session: str | UnsetType = UNSET
    at: Annotated[str, Meta(description="since when it waits")] | UnsetType = UNSET


SHOWN = tuple(name for name in HeldText.__struct_fields__ if name != "chars")


class WithheldMemory(Struct):
    """A memory in a role's file that does not stand in prompts."""

    id: str
    role: str
    content: str
    why: str


class Reviews(Reply):
    """What waits for a person, by kinds: of each the same part, `limit` after `offset`."""

    total: Annotated[int, Meta(description="how many there are of all kinds that were asked for")]
    totals: Annotated[dict[str, int], Meta(description="of each kind, by its key")]
    held: Annotated[list[HeldText], Meta(description="oldest first")]
    waiting: Annotated[list[WaitingText], Meta(description="the inbox, nearest to the edge first")] | UnsetType = UNSET
    conflicts: (
        Annotated[list[ConflictView], Meta(description="memories that say otherwise than others, the latest first")]
        | UnsetType
    ) = UNSET
    withheld: Annotated[list[WithheldMemory], Meta(description="where `memories` was asked")] | UnsetType = UNSET


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
        waiting=[convert({**one, "what": None}, WaitingText) for one in asked.part(nearest)] or UNSET,
        conflicts=asked.part(conflicts) or UNSET,
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
