"""The verb that rules on a tool call or a message on its way: should it be a remember?"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, convert

from memd.errors import BadParamsError
from memd.protocol.fields import Message, Request, RoleName
from memd.protocol.memories import GuardRuling
from memd.service.memory import guarding
from memd.service.walks import MAIN, GuardRequest
from memd.verbs.declared import Service, verb


class CheckGuard(Request):
    """A tool call, or what a user said."""

    tool: Annotated[str, Meta(max_length=500, description="the tool's name as the agent knows it")] = ""
    input: Annotated[dict[str, Any] | str | None, Meta(description="the tool's input")] = None
    message: Annotated[Message, Meta(description="a user's message instead")] = ""
    role: RoleName = MAIN
    session: Annotated[str, Meta(max_length=200, description="violations are counted by session")] = ""


@verb("guard.check", writes=True)
async def check_guard(service: Service, asked: CheckGuard) -> GuardRuling:
    """Rule on a tool call or a message: should it be a remember?"""
    if bool(asked.tool) == bool(asked.message):
        raise BadParamsError("give a `tool` with its `input`, or a user's `message`")
    role = asked.role if asked.role == MAIN else (await service.store.role(asked.role)).name
    request = GuardRequest(
        tool=asked.tool, given=asked.input or {}, message=asked.message, role=role, session=asked.session
    )
    return convert(await guarding.check(service.store, request), GuardRuling)
