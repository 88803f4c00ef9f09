"""The verbs of what is worth remembering: keep a text, or refuse it and say why; judge it, and store nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from memd.errors import (
    BadMemoryError,
    BadScoreError,
    BadSplitError,
    LongMemoryError,
    RoleFullError,
    RoleMemoriesError,
    ScoringsUsedError,
)
from memd.model.change import Relation
from memd.protocol.fields import RoleName
from memd.protocol.keeping import GivenScore, Remembered, Scored
from memd.protocol.views import nearest_texts
from memd.service.judging.offers import (
    Offer,
    RememberRequest,
    as_meant,
    check_size,
    look_at,
    must_wait,
    reply_of,
    score_line,
)
from memd.service.judging.vectors import vectors_of
from memd.service.memory.remember import come_in, judged, remember, with_inferred, with_parts, with_relation
from memd.service.memory.split import remember_split
from memd.verbs.declared import Service, verb
from memd.verbs.memory.memory_views import Said

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.memory import Verdict
    from memd.service.judging.relating import Related
    from memd.store.store import Store

UNASKED = "`explicit` does not count here: nobody has asked in this session for anything to be remembered"
NEAR = 3  # texts near the edge that score tells
WOULD = {
    Relation.DUPLICATE: "duplicate",
    Relation.CONTRADICTION: "would supersede",
    Relation.REFINEMENT: "would refine",
}


class Offered(Said, kw_only=True):
    """What is offered to remember, or to be judged."""

    role: RoleName
    content: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="the text")]
    kind: (
        Annotated[
            str,
            Meta(pattern="^(episodic|semantic|trait|goal)$", description="what it is; else found out from the text"),
        ]
        | None
    ) = None
    scores: Annotated[
        dict[str, float | GivenScore], Meta(description="any of the six dimensions: a number, or value and basis")
    ] = {}
    explicit: Annotated[bool, Meta(description="the user asked for it: the total is at least 8")] = False
    source: Annotated[str, Meta(pattern="^(user|agent|tool|file-edit|import)$", description="who says so")] | None = (
        None
    )
    session: Annotated[str, Meta(max_length=200, description="the session it comes from")] = ""
    speaker: Annotated[str, Meta(max_length=200, description="who says it there, by name")] = ""
    turn: (
        Annotated[
            int,
            Meta(ge=0, le=10_000_000, description="the turn of the session; an episodic one is kept as it was said"),
        ]
        | None
    ) = None
    run: Annotated[str, Meta(max_length=200, description="the run it comes from")] = ""


class Remember(Offered, kw_only=True):
    """What is offered to remember."""

    split: Annotated[
        bool,
        Meta(
            description="make a memory of each statement, each with a verdict of its own; not with `explicit`, `keys`,"
            " `kind`, `name`, `scores`; a list, verse, code, or a text that claims its total stays one"
        ),
    ] = False


@verb(
    "remember",
    writes=True,
    errors=(
        BadMemoryError,
        BadScoreError,
        BadSplitError,
        LongMemoryError,
        RoleFullError,
        RoleMemoriesError,
        ScoringsUsedError,
    ),
)
async def remember_text(service: Service, asked: Remember) -> Remembered:
    """Keep a text, or refuse it and say why."""
    if asked.split:
        whole = await _at_home(service, _offered(asked))
        return msgspec.convert(await remember_split(service.store, whole), Remembered)
    request, remarks = await _as_asked(service, _offered(asked))
    request = await _at_home(service, request)
    reply = await remember(service.store, request)
    if remarks:
        reply["remarks"] = [*remarks, *reply.get("remarks", ())]
    return msgspec.convert(reply, Remembered)


@verb(
    "score",
    writes=True,
    errors=(
        BadMemoryError,
        BadScoreError,
        LongMemoryError,
        ScoringsUsedError,
    ),
)
async def score_text(service: Service, asked: Offered) -> Scored:
    """Judge a text as remember would, and store nothing."""
    workspace = service.store
    request, remarks = await _as_asked(service, _offered(asked))
    offer, role = await come_in(workspace, request)
    vectors = await vectors_of(workspace, role, look_at(workspace, role, offer))
    async with role.turn:
        await workspace.refresh(role)
        now_s = workspace.ports.now()
        workspace.room.scorings.check(workspace.settings.limits, now_s)
        check_size(workspace, role, offer)
        weighed = judged(workspace, role, as_meant(role, look_at(workspace, role, offer)), vectors, now_s)
        offer, verdict, related = weighed.offer, weighed.verdict, weighed.related
        reply = with_inferred(with_parts(_foreseen(workspace, offer, verdict, related), weighed, vectors), role, offer)
        near = nearest_texts(workspace.keeping.inbox.of(role.name), NEAR)

        def build(n: int) -> list[Operation]:
            workspace.room.scorings.add(now_s)
            return [score_line(workspace, role, n, offer, verdict, "", now_s)]

        done = workspace.commit(build, at_s=now_s, roll_back=workspace.room.scorings.drop)
    await done
    if remarks:
        reply["remarks"] = [*remarks, *reply.get("remarks", ())]
    scored = msgspec.convert(reply, Scored)
    scored.near_edge = near or None
    return scored


def _offered(asked: Offered) -> RememberRequest:
    """Return what is asked as what is offered: the one place that knows both."""
    scores = {
        name: (one.value, one.basis) if isinstance(one, GivenScore) else (one, "") for name, one in asked.scores.items()
    }
    return RememberRequest(
        role=asked.role,
        content=asked.content,
        kind=asked.kind or "",
        fields={**asked.said(), "speaker": asked.speaker, "turn": asked.turn},
        scores=scores,
        explicit=asked.explicit,
        source=asked.source or "",
        session=asked.session,
        run=asked.run,
    )


async def _at_home(service: Service, request: RememberRequest) -> RememberRequest:
    """Return a request with the role that it is kept in, where a project's address stands for it."""
    from memd.service.scope import at_home  # noqa: PLC0415  the verb alone needs none of it

    return await at_home(service.store, request)


async def _as_asked(service: Service, request: RememberRequest) -> tuple[RememberRequest, list[str]]:
    """Return a request as it counts, and what is to be said of it.

    Where hooks see a conversation, `explicit` counts only if the person in it asked for something to be remembered; and what
    would stand in every prompt counts as little then.
    """
    if (
        not (request.explicit and request.session)
        or await service.walks.was_asked(service.store, request.session) is not False
    ):
        return request, []
    fields = {**request.fields, "constant": request.fields.get("constant") and None}
    return replace(request, explicit=False, fields=fields), [UNASKED]


def _foreseen(store: Store, offer: Offer, verdict: Verdict, related: Related | None) -> dict[str, Any]:
    if must_wait(store, offer):
        word = "would quarantine"
    elif related is not None and (verdict.keep or related.judged.relation is Relation.DUPLICATE):
        word = WOULD[related.judged.relation]
    else:
        word = "would store" if verdict.keep else "refused"
    reply = reply_of(verdict, word, related.memory.id if related and word != "would store" else "")
    return with_relation(reply, related, offer)
