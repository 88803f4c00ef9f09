"""How a method is answered: what is asked is looked at, carried out, and looked at again before a model is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from memd.service.memory.egress import told_to_model
from memd.service.screening import look_at_request
from memd.store.writing.journal import submitted
from memd.verbs.misfits import typed_of

if TYPE_CHECKING:
    from memd.verbs.declared import Service, Verb


async def answered(verb: Verb, service: Service, asked: Any) -> dict[str, Any]:
    """Return the reply to a typed request, by the names on the wire. What it rests on is durable when this returns."""
    remarks: list[str] = []
    if verb.writes:
        given = msgspec.to_builtins(asked)  # as a client would send it; what it did not say is not there
        looked, remarks = await look_at_request(service.store, verb.name, given)
        asked = asked if looked is given else typed_of(verb.request, looked)
        submitted.set(False)
    reply: dict[str, Any] = msgspec.to_builtins(await verb.call(service, asked))
    if verb.writes:
        await service.store.writer.settled()
    if remarks:
        reply = {**reply, "remarks": [*reply.get("remarks", ()), *remarks]}
    return await told_to_model(service.store, verb.name, reply) if asked.reader == "model" else reply
