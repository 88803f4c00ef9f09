"""The verb that says what of a conversation should be remembered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, convert

from memd.errors import BadParamsError, ScoringsUsedError, SessionUnknownError
from memd.model.change import Relation
from memd.model.memory import Kind
from memd.service.memory import proposing
from memd.service.memory.proposing import ProposeRequest, Said
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import Message, RoleName
from memd.verbs.memory.judged import JudgedDimension


class SaidMessage(Struct, forbid_unknown_fields=True):
    """One message."""

    content: Message
    speaker: Annotated[str, Meta(max_length=40, description="user, assistant or tool")] = "user"


class Propose(Request):
    """What was said, oldest first, and what tools returned; or a session, for what it has at its end."""

    role: RoleName
    messages: Annotated[list[SaidMessage], Meta(max_length=10_000)] = msgspec.field(default_factory=list)
    results: Annotated[list[Message], Meta(max_length=1000, description="results of tools")] = msgspec.field(
        default_factory=list
    )
    session: Annotated[
        str, Meta(max_length=200, description="without messages: what this session of memd's has at its end")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=100, description="how many proposals")] = 20


class ProposedRemember(Struct, kw_only=True, forbid_unknown_fields=True):
    """The parameters of the remember that is proposed, ready to send."""

    role: str
    content: str
    source: Annotated[Literal["user", "agent", "tool"], Meta(description="where the speaker is one of these")] | (
        UnsetType
    ) = UNSET
    explicit: Annotated[bool, Meta(description="the user asked for it")] | UnsetType = UNSET
    session: str | UnsetType = UNSET


class ProposedRelation(Struct, forbid_unknown_fields=True):
    """The memory that a proposal concerns."""

    to: Annotated[str, Meta(description="its id")]
    relation: Annotated[Relation, Meta(description="how it stands to it")] = msgspec.field(name="is")
    content: Annotated[str, Meta(description="what it says")]


class Proposal(Struct, kw_only=True):
    """A statement that is worth remembering."""

    content: str
    kind: Kind
    total: float
    dimensions: dict[str, JudgedDimension]
    reason: str
    remember: ProposedRemember
    relation: ProposedRelation | UnsetType = UNSET


class Proposals(Reply):
    """What of a conversation is worth remembering."""

    role: str
    looked_at: Annotated[int, Meta(description="how many statements")]
    total: Annotated[int, Meta(description="how many of them are worth it; the first `limit` are told")]
    proposals: Annotated[list[Proposal], Meta(description="the best first")]


@verb(
    "propose",
    writes=True,
    errors=(
        ScoringsUsedError,
        SessionUnknownError,
    ),
)
async def propose(service: Service, asked: Propose) -> Proposals:
    """Name what of a conversation is worth remembering."""
    said = [Said(speaker=one.speaker, content=one.content) for one in asked.messages]
    said += [Said(speaker="tool", content=one) for one in asked.results]
    if not said and asked.session:
        said = [Said(*one) for one in await service.walks.said_in(service.store, asked.session)]
    elif not said:
        raise BadParamsError("give `messages` oldest first, `results` of tools, or a `session`")
    request = ProposeRequest(role=asked.role, said=said, session=asked.session, most=asked.limit)
    found = await proposing.propose(service.store, request)
    proposals = [_proposal(one) for one in found["proposals"]]
    return Proposals(role=found["role"], looked_at=found["looked_at"], total=found["total"], proposals=proposals)


def _proposal(found: dict[str, Any]) -> Proposal:
    """Return a proposal as replies show it; its total stays as it is, whole where the settings' floor is."""
    return Proposal(
        content=found["content"],
        kind=Kind(found["kind"]),
        total=found["total"],
        dimensions=convert(found["dimensions"], dict[str, JudgedDimension]),
        reason=found["reason"],
        remember=convert(found["remember"], ProposedRemember),
        relation=convert(found["relation"], ProposedRelation) if "relation" in found else UNSET,
    )
