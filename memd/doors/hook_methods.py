"""The method for agents' hooks."""

from __future__ import annotations

from typing import Any

from memd.doors import hook_params as p
from memd.service.work import attending
from memd.service.work.attended_parts import HookEvent
from memd.verbs.declared import Service, Verb


async def _event(service: Service, given: p.HookEventParams) -> dict[str, Any]:
    event = HookEvent(
        given.agent, given.event, given.session, given.key, given.source, given.message, given.reply, given.tool,
        given.input, given.role, given.until_ms,
    )  # fmt: skip
    return await attending.attend(service.workspace, event)


HOOK_METHODS: tuple[Verb, ...] = (
    Verb("hook.event", p.HookEventParams, _event, "Answer an agent's hook, and keep what was said.", writes=True),
)
