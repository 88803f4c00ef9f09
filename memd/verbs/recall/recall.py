"""The verb of recall: what a scene brings to mind, rendered for the prompt and explained."""

from __future__ import annotations

import msgspec

from memd.errors import BadParamsError
from memd.protocol.recall import Recalled
from memd.service.memory.trigger import trigger
from memd.service.recent import tell_recall
from memd.service.walks import TriggerRequest
from memd.verbs.declared import Service, verb


@verb("trigger")
async def trigger_scene(service: Service, asked: TriggerRequest) -> Recalled:
    """Return what the scene brings to mind, rendered and explained."""
    if asked.message is None and not asked.messages:
        raise BadParamsError("give `message`, or `messages` oldest first")
    if asked.trying and not asked.explain:
        raise BadParamsError("trying: with `explain` alone; what comes so is for nobody's prompt")
    if service.following is None:
        await service.store.library.read_keyed(
            service.store.tree, all_pages=service.store.settings.pages.recall != "keys"
        )
    reply = await trigger(service.store, asked)
    tell_recall(service.store, asked, reply)
    return msgspec.convert(reply, Recalled)
