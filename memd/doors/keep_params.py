"""Parameters of the methods that keep a memory in shape."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from memd.doors.params import Params
from memd.verbs.fields import MemoryId, Message, RoleName

MAIN = "main"  # whom a guard rules for where nobody is named, whether or not there is such a role
Session = Annotated[str, Meta(max_length=200)]
MaybeRole = Annotated[str, Meta(max_length=200, description="a role's name, alias or uuid; all roles without it")]


class GuardParams(Params):
    """A tool call, or what a user said."""

    tool: Annotated[str, Meta(max_length=500, description="the tool's name as the agent knows it")] = ""
    input: Annotated[dict[str, Any] | str | None, Meta(description="the tool's input")] = None
    message: Annotated[Message, Meta(description="a user's message instead")] = ""
    role: RoleName = MAIN
    session: Annotated[Session, Meta(description="violations are counted by session")] = ""


class SaidParam(msgspec.Struct, forbid_unknown_fields=True):
    """One message."""

    content: Message
    speaker: Annotated[str, Meta(max_length=40, description="user, assistant or tool")] = "user"


class ProposeParams(Params):
    """What was said, oldest first, and what tools returned; or a session, for what it has at its end."""

    role: RoleName
    messages: Annotated[list[SaidParam], Meta(max_length=10_000)] = msgspec.field(default_factory=list)
    results: Annotated[list[Message], Meta(max_length=1000, description="results of tools")] = msgspec.field(
        default_factory=list
    )
    session: Session = ""
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class ReviewListParams(Params):
    """Of which role; with `memories`, also those in files that are withheld from prompts."""

    role: MaybeRole = ""
    memories: Annotated[bool, Meta(description="look through all memories, which takes a while")] = False


class ReviewDecideParams(Params):
    """What becomes of a held text; with `role`, of a memory in that role's file."""

    id: MemoryId
    verdict: Annotated[str, Meta(pattern="^(approve|drop)$")]
    content: Annotated[str, Meta(max_length=1_000_000, description="an edited text to approve instead")] = ""
    role: Annotated[str, Meta(max_length=200, description="the id is of a memory of this role")] = ""


class OfRoleParams(Params):
    """One role, or all."""

    role: MaybeRole = ""
