"""The verbs of consolidation with a model at hand: what it is given, and what of its answer is taken."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memd.errors import PackUnknownError, SessionUnknownError
from memd.formats.foreign.chat import MOST_STATEMENTS, Stated
from memd.protocol.fields import MaybeRole, Request
from memd.protocol.sessions import AppliedPack, KnownMemory, PacksView, PackTurn, PackView, StatedFact, UnprovedFact
from memd.service.walks import Bounds, Consolidate
from memd.verbs.declared import Service, verb
from memd.verbs.memory.consolidation import pass_view

PackId = Annotated[str, Meta(min_length=1, max_length=80, description="a pack's id, as it was given")]


class TakePacks(Request):
    """Of what, and how large."""

    session: Annotated[str, Meta(max_length=400, description="one session; all without it")] = ""
    role: MaybeRole = ""
    max_turns: Annotated[int, Meta(ge=1, le=200, description="turns of one pack")] = 80
    max_bytes: Annotated[int, Meta(ge=1000, le=200_000, description="bytes of one pack's turns, about")] = 32_000
    limit: Annotated[int, Meta(ge=1, le=20, description="how many packs")] = 8


class ApplyPack(Request):
    """A model's answer to a pack."""

    pack: PackId
    statements: Annotated[list[StatedFact], Meta(max_length=MOST_STATEMENTS)]
    inbox: Annotated[bool, Meta(description="nothing is kept at once: all that is worth it waits in the inbox")] = False
    dry_run: Annotated[bool, Meta(description="only say what would become of it")] = False


@verb("consolidate.pack", errors=(SessionUnknownError,))
async def take_packs(service: Service, asked: TakePacks) -> PacksView:
    """Give the turns that were not looked at, numbered, with what is known and the form of an answer, for a model to say what they tell."""
    bounds = Bounds(asked.max_turns, asked.max_bytes, asked.limit)
    found = await service.walks.take_packs(service.store, asked.session, asked.role, bounds)
    return PacksView(packs=[_pack_view(one) for one in found.told], skipped=found.skipped, left=found.left)


def _pack_view(told: dict[str, Any]) -> PackView:
    turns = [PackTurn(**{"seen": None, **one}) for one in told["turns"]]
    return PackView(**{**told, "turns": turns, "known": [KnownMemory(**one) for one in told["known"]]})


@verb("consolidate.apply", writes=True, errors=(PackUnknownError,))
async def apply_pack(service: Service, asked: ApplyPack) -> AppliedPack:
    """Take a model's statements: what the turns prove is judged like all that is said, what none proves is refused."""
    wanted = Consolidate("", "", "inbox" if asked.inbox else "auto", "model", asked.dry_run)
    stated = [Stated(one.text, tuple(one.turns)) for one in asked.statements]
    done = await service.walks.apply_pack(service.store, asked.pack, stated, wanted)
    passes = [pass_view(report, {one.id: one for one in statements}) for report, statements in done.passed.passes]
    return AppliedPack(
        would=asked.dry_run,
        pack=asked.pack,
        session=done.pack.session,
        role=done.pack.role.name,
        settled=done.settled,
        already=done.already,
        passes=passes,
        unproved=[UnprovedFact(one.stated.text, list(one.stated.turns), one.why) for one in done.unproved],
    )
