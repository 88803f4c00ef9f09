"""The verb that rules on a tool call or a message on its way: should it be a remember?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from memd.errors import BadParamsError
from memd.model.guard import Action
from memd.service.memory import guarding
from memd.service.walks import MAIN, GuardRequest
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import Message, RoleName


class CheckGuard(Request):
    """A tool call, or what a user said."""

    tool: Annotated[str, Meta(max_length=500, description="the tool's name as the agent knows it")] = ""
    input: Annotated[dict[str, Any] | str | None, Meta(description="the tool's input")] = None
    message: Annotated[Message, Meta(description="a user's message instead")] = ""
    role: RoleName = MAIN
    session: Annotated[str, Meta(max_length=200, description="violations are counted by session")] = ""


class MeantRemember(Struct, kw_only=True, forbid_unknown_fields=True):
    """The parameters of the remember that was meant, ready to send."""

    role: str
    content: str
    source: Literal["user", "agent"]
    explicit: bool | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    name: Annotated[str, Meta(description="a trait's name")] | UnsetType = UNSET
    keys: list[str] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    validity: str | UnsetType = UNSET
    session: str | UnsetType = UNSET


class GuardRuling(Reply, forbid_unknown_fields=True):
    """What is to be done with a call, or after a message."""

    action: Action
    why: str
    target: Annotated[str, Meta(description="the files or the tool concerned")]
    hint: Annotated[str, Meta(description="what to do instead")]
    remember: list[MeantRemember]
    commands: Annotated[list[str], Meta(description="the same as lines for a shell")]
    violations: Annotated[int, Meta(description="how many the session has by now; 0 where this is none")]
    allowed: Annotated[int, Meta(description="how many a session may have")]


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
