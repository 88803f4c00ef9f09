"""The verb of recall: what a scene brings to mind, rendered for the prompt and explained."""

from __future__ import annotations

import msgspec

from memd.errors import BadParamsError
from memd.service.memory.trigger import trigger
from memd.service.walks import TriggerRequest
from memd.verbs.declared import Service, verb
from memd.verbs.recall.recall_views import Recalled


@verb("trigger")
async def trigger_scene(service: Service, asked: TriggerRequest) -> Recalled:
    """Return what the scene brings to mind, rendered and explained."""
    if asked.message is None and not asked.messages:
        raise BadParamsError("give `message`, or `messages` oldest first")
    if service.following is None:
        await service.store.library.read_keyed(
            service.store.tree, all_pages=service.store.settings.pages.recall != "keys"
        )
    return msgspec.convert(await trigger(service.store, asked), Recalled)
