"""The methods that keep a memory in shape: guard, propose, review, upkeep, stats."""

from __future__ import annotations

from typing import Any

from memd.doors import keep_params as p
from memd.errors import BadParamsError
from memd.service.care import statistics, upkeep
from memd.service.memory import guarding, proposing, reviewing
from memd.service.work.histories import said_in
from memd.verbs.declared import Service, Verb


async def _guard(service: Service, given: p.GuardParams) -> dict[str, Any]:
    if bool(given.tool) == bool(given.message):
        raise BadParamsError("give a `tool` with its `input`, or a user's `message`")
    role = given.role if given.role == p.MAIN else (await service.workspace.role(given.role)).name
    request = guarding.GuardRequest(given.tool, given.input or {}, given.message, role, given.session)
    return await guarding.check(service.workspace, request)


async def _propose(service: Service, given: p.ProposeParams) -> dict[str, Any]:
    said = [proposing.Said(one.speaker, one.content) for one in given.messages]
    said += [proposing.Said("tool", one) for one in given.results]
    if not said and given.session:
        said = [proposing.Said(*one) for one in await said_in(service.workspace, given.session)]
    elif not said:
        raise BadParamsError("give `messages` oldest first, `results` of tools, or a `session`")
    request = proposing.ProposeRequest(given.role, said, given.session, given.limit)
    return await proposing.propose(service.workspace, request)


async def _review_list(service: Service, given: p.ReviewListParams) -> dict[str, Any]:
    return await reviewing.waiting(service.workspace, given.role, memories=given.memories)


async def _review_decide(service: Service, given: p.ReviewDecideParams) -> dict[str, Any]:
    return await reviewing.decide(
        service.workspace, given.id, given.verdict, content=given.content, role_name=given.role
    )


async def _upkeep_plan(service: Service, given: p.OfRoleParams) -> dict[str, Any]:
    return await upkeep.plan(service.workspace, given.role)


async def _upkeep_run(service: Service, given: p.OfRoleParams) -> dict[str, Any]:
    with service.telling("upkeep") as told:
        return await upkeep.run(service.workspace, given.role, told)


async def _stats(service: Service, given: p.OfRoleParams) -> dict[str, Any]:
    return await statistics.stats(service.workspace, given.role)


KEEP_METHODS: tuple[Verb, ...] = (
    Verb(
        "guard.check", p.GuardParams, _guard, "Rule on a tool call or a message: should it be a remember?", writes=True
    ),
    Verb("propose", p.ProposeParams, _propose, "Name what of a conversation is worth remembering.", writes=True),
    Verb("review.list", p.ReviewListParams, _review_list, "List what waits for a person."),
    Verb("review.decide", p.ReviewDecideParams, _review_decide, "Approve, edit or drop what waits.", writes=True),
    Verb("upkeep.plan", p.OfRoleParams, _upkeep_plan, "Say what upkeep would do."),
    Verb(
        "upkeep.run",
        p.OfRoleParams,
        _upkeep_run,
        "Archive what expired, make room, fold; propose the rest.",
        writes=True,
    ),
    Verb("stats", p.OfRoleParams, _stats, "Tell totals, use, growth, refusals, clusters, and a forecast."),
)
