"""The verb that says what of a conversation should be remembered."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, convert

from memd.errors import BadParamsError, ScoringsUsedError, SessionUnknownError
from memd.model.memory import Kind
from memd.protocol.fields import Message, Request, RoleName
from memd.protocol.keeping import Proposal, Proposals, ProposedRelation, ProposedRemember, SaidMessage
from memd.protocol.views import JudgedDimension
from memd.service.memory import proposing
from memd.service.memory.proposing import ProposeRequest, Said
from memd.verbs.declared import Service, verb


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
        relation=convert(found["relation"], ProposedRelation) if "relation" in found else None,
    )
