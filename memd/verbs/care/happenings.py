"""The verbs that tell what memd did lately, and how each of it is taken back; and what happens from now on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from memd.errors import DaemonMissingError
from memd.formats.times import to_iso
from memd.service.capture.happened import Happened, Read, happened
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.store.role.happenings import RECENT, TOPICS
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import MaybeRole, RoleName
from memd.verbs.recall.recall_views import Counts, Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.model.memory import Memory

TEXT_CHARS = 300

Topic = Annotated[str, Meta(pattern="^(memory|curated|file|role|settings|recalls|verdicts)$")]


class TellLog(Request):
    """Of which role, and how much."""

    role: MaybeRole = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="how many, the newest first")] = 20
    offset: Annotated[int, Meta(ge=0, le=100_000, description="how many of the newest are left out")] = 0
    id: Annotated[str, Meta(max_length=200, description="only what was done to this memory, pass or text")] = ""


class HappenedView(Struct, kw_only=True):
    """One thing that memd did."""

    at: str
    what: Annotated[
        str, Meta(description="remembered, superseded, consolidated, forgotten with its reason, and others")
    ]
    role: str
    id: Annotated[str, Meta(description="of the memory, the pass or the text of the inbox; empty where there is none")]
    text: Annotated[str, Meta(description=f"its first {TEXT_CHARS} characters")]
    undo: Annotated[str, Meta(description="the words behind `memd` that take it back")] | UnsetType = UNSET


class Log(Reply):
    """What memd did lately, the newest first."""

    total: Annotated[int, Meta(description="how much is known of")]
    happened: list[HappenedView]
    more: Annotated[bool, Meta(description="there is older")]


class Subscribe(Request):
    """`topics` and `roles`: only these; without roles all of them, without topics those that tell of changes."""

    topics: list[Topic] = []
    roles: list[RoleName] = []
    last: Annotated[
        int,
        Meta(ge=0, le=1000, description="so many of the last recalls, and of the last verdicts, come with the reply"),
    ] = 0
    since: Annotated[int, Meta(ge=0, le=2**53, description="but only those whose `n` is greater")] = 0


class RecentRecalled(Struct, forbid_unknown_fields=True):
    """A memory, an entry, a page or a quote that an agent was told."""

    id: str
    role: str
    kind: Said
    score: Annotated[float, Meta(description="what it was ranked by")]
    reasons: Annotated[list[str], Meta(description="why it came: the first three, each cut")]
    strategies: Annotated[dict[str, float], Meta(description="what spoke for it, 0 to 1")]
    chars: Annotated[int, Meta(description="what it took of the block")]
    text: Annotated[str, Meta(description="its beginning, `daemon.recent_chars` at most")]


class RecentRecall(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a prompt brought to mind: an agent's, by its hook, or a client's, by trigger and context.render."""

    topic: Literal["recalls"]
    n: Annotated[int, Meta(description="greater than that of all before, also of a daemon before this one")]
    at: str
    role: str
    agent: Annotated[str, Meta(description="whose session it is; empty where that is not known")]
    session: str
    turn: Annotated[int, Meta(description="of the session; 0 where there is none")]
    message: Annotated[str, Meta(description="the beginning of the newest message; empty where capture is off")]
    activated: Annotated[list[RecentRecalled], Meta(description="what came, the first 20")]
    more: Annotated[int, Meta(description="how many came beside these")]
    chars: Annotated[int, Meta(description="of the block")]
    dropped: Annotated[int, Meta(description="how many had no room")]
    withheld: Annotated[int, Meta(description="how many may not stand in a prompt")]
    counts: Counts
    elapsed_ms: float


class RecentOutcome(Struct, forbid_unknown_fields=True, kw_only=True):
    """What became of one text."""

    verdict: Annotated[
        str,
        Meta(
            description="of remember; waiting: in the inbox; proposed, dropped, settled; of what is judged again what it became"
        ),
    ]
    id: Annotated[str, Meta(description="of the memory that is meant; empty where there is none")]
    text: Annotated[str, Meta(description="its beginning; [withheld] where it may not stand in a prompt")]
    reason: str
    total: float | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    supersedes: Annotated[str, Meta(description="the memory whose place it takes")] | UnsetType = UNSET
    inbox: Annotated[str, Meta(description="under which it waits in the inbox")] | UnsetType = UNSET
    review: Annotated[str, Meta(description="under which it waits for a person, held as an order")] | UnsetType = UNSET
    conflict: Annotated[str, Meta(description="the conflict's id, for review.settle")] | UnsetType = UNSET
    provisional: Annotated[bool, Meta(description="by words alone: it is judged again")] | UnsetType = UNSET


class RecentVerdicts(Struct, forbid_unknown_fields=True, kw_only=True):
    """What became of texts in one act."""

    topic: Literal["verdicts"]
    n: Annotated[int, Meta(description="greater than that of all before, also of a daemon before this one")]
    at: str
    act: Annotated[
        Literal["remember", "asked", "consolidate", "propose", "review", "judge again"],
        Meta(description="asked: in a prompt, carried out by the hook; review: what a person decided"),
    ]
    role: str
    agent: Annotated[str, Meta(description="whose session it is; empty where that is not known")]
    session: str
    turn: Annotated[int, Meta(description="of the session; 0 where there is none")]
    outcomes: Annotated[list[RecentOutcome], Meta(description="the first 20")]
    more: Annotated[int, Meta(description="how many there were beside these")]
    counts: Annotated[dict[str, int], Meta(description="by verdict, all of them")]


class Subscribed(Reply):
    """What will be told on this connection."""

    subscribed: list[str]
    roles: list[str]
    n: (
        Annotated[int, Meta(description="with recalls or verdicts: of the last of them; events have a greater one")]
        | UnsetType
    ) = UNSET
    recalls: Annotated[list[RecentRecall], Meta(description="with `last`, the oldest first")] | UnsetType = UNSET
    verdicts: Annotated[list[RecentVerdicts], Meta(description="likewise")] | UnsetType = UNSET


@verb("subscribe", errors=(DaemonMissingError,))
async def subscribe(service: Service, asked: Subscribe) -> Subscribed:
    """Send an `event` on this connection for every change, and for what comes to mind and what becomes of texts."""
    if service.following is None:
        raise DaemonMissingError(service.process.socket)
    named = [(await service.store.role(address)).name for address in asked.roles]
    reply = Subscribed(subscribed=asked.topics or list(TOPICS), roles=named)
    happenings = service.store.happenings
    if not set(RECENT).isdisjoint(asked.topics):
        reply.n = happenings.number
    if asked.last and "recalls" in asked.topics:
        reply.recalls = convert(happenings.recent("recalls", named, asked.since, asked.last), list[RecentRecall])
    if asked.last and "verdicts" in asked.topics:
        reply.verdicts = convert(happenings.recent("verdicts", named, asked.since, asked.last), list[RecentVerdicts])
    return reply


@verb("log")
async def tell_log(service: Service, asked: TellLog) -> Log:
    """Tell what memd did lately, each with the command that takes it back."""
    store = service.store
    await make_ready(store)
    await store.roles.look()
    names = [(await store.role(asked.role)).name] if asked.role else sorted(store.roles)
    memories: dict[str, Mapping[str, Memory]] = {}
    for name in names:
        role = store.roles[name]
        async with role.turn:
            await store.look(role)
            memories[name] = dict(role.compiled.memories)
    waiting = Read(store.writer.waiting_lines(ARCHIVE), store.writer.waiting_lines(PRIVATE))
    upto = asked.offset + asked.limit
    total, found = await asyncio.to_thread(happened, store, memories, waiting, upto, asked.id)
    return Log(total=total, happened=[_view(one) for one in found[asked.offset :]], more=total > upto)


def _view(one: Happened) -> HappenedView:
    text = " ".join(one.text.split())[:TEXT_CHARS]
    return HappenedView(at=to_iso(one.at_s), what=one.what, role=one.role, id=one.id, text=text, undo=one.undo or UNSET)
