"""What of an agent's turn is worth remembering, looked for when it ends and told, once, with the next prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memd.errors import MemdError
from memd.model.change import Relation
from memd.service.judging.offers import RememberRequest, look_at, must_wait, read_offer
from memd.service.judging.vectors import vectors_of
from memd.service.judging.weighing import weigh
from memd.service.memory.proposing import ProposeRequest, Said, propose
from memd.service.screening import beside
from memd.service.work.attended_parts import MOST_TOLD
from memd.text.statements import statements

if TYPE_CHECKING:
    from memd.store.store import Store


async def notice(store: Store, role: str, session: str, said: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the best proposals for what was said; none where nothing in it states anything.

    It is memd's own look, once a turn: the day's scorings are for clients.
    """
    if not await beside(store, [content for _, content in said], _tells, said):
        return []
    messages = [Said(*one) for one in said]
    request = ProposeRequest(role=role, said=messages, session=session, most=MOST_TOLD, counted=False)
    found: list[dict[str, Any]] = (await propose(store, request))["proposals"]
    return found


def _tells(said: Sequence[tuple[str, str]]) -> bool:
    return any(one.tells for _, content in said for one in statements(content))


async def is_new(store: Store, call: Mapping[str, Any]) -> bool:
    """Tell whether what was proposed is still not known: between two prompts it may have been remembered."""
    try:
        role = await store.role(call["role"])
        async with role.turn:
            await store.refresh(role)
        explicit = bool(call.get("explicit"))
        request = RememberRequest(role.name, call["content"], explicit=explicit, source=call.get("source", ""))
        offer = look_at(store, role, read_offer(request))
        if must_wait(store, offer):
            return False
        vectors = await vectors_of(store, role, offer)
        weighed = weigh(store, role, offer, vectors)
        verdict, related = weighed.verdict, weighed.related
    except MemdError:
        return False
    return verdict.keep and (related is None or related.judged.relation is not Relation.DUPLICATE)
