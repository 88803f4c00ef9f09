"""The verbs of consolidation with a model at hand: what it is given, and what of its answer is taken."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.errors import PackUnknownError, SessionUnknownError
from memd.formats.foreign.chat import MOST_STATEMENTS, MOST_TURNS, TEXT_CHARS, Stated
from memd.service.walks import Bounds, Consolidate
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import MaybeRole
from memd.verbs.memory.consolidation import PassView, pass_view

PackId = Annotated[str, Meta(min_length=1, max_length=80, description="a pack's id, as it was given")]


class TakePacks(Request):
    """Of what, and how large."""

    session: Annotated[str, Meta(max_length=400, description="one session; all without it")] = ""
    role: MaybeRole = ""
    max_turns: Annotated[int, Meta(ge=1, le=200, description="turns of one pack")] = 80
    max_bytes: Annotated[int, Meta(ge=1000, le=200_000, description="bytes of one pack's turns, about")] = 32_000
    limit: Annotated[int, Meta(ge=1, le=20, description="how many packs")] = 8


class StatedFact(Struct):
    """A statement of a model's."""

    text: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARS, description="one fact, in the words of the turns")]
    turns: Annotated[list[int], Meta(max_length=MOST_TURNS, description="the numbers of the turns that say it")]


class ApplyPack(Request):
    """A model's answer to a pack."""

    pack: PackId
    statements: Annotated[list[StatedFact], Meta(max_length=MOST_STATEMENTS)]
    inbox: Annotated[bool, Meta(description="nothing is kept at once: all that is worth it waits in the inbox")] = False
    dry_run: Annotated[bool, Meta(description="only say what would become of it")] = False


class PackTurn(Struct, kw_only=True):
    """A turn of a conversation."""

    n: Annotated[int, Meta(description="its number, by which a statement names it")]
    speaker: Annotated[str, Meta(description="user or agent")]
    at: str
    text: Annotated[str, Meta(description="keys and tokens are redacted")]
    seen: (
        Annotated[bool, Meta(description="it was looked at before, and proves something only with another turn")]
        | UnsetType
    ) = UNSET


class KnownMemory(Struct):
    """A memory that may say already what the turns tell."""

    id: str
    text: str


class PackView(Struct, kw_only=True):
    """What a model is given."""

    pack: Annotated[str, Meta(description="its id: an answer names it")]
    session: str
    role: str
    instructions: str
    turns: list[PackTurn]
    known: list[KnownMemory]
    form: Annotated[dict[str, Any], Meta(description="JSON schema of the answer")]


class PacksView(Reply, kw_only=True):
    """Packs, oldest first."""

    packs: list[PackView]
    skipped: Annotated[dict[str, str], Meta(description="sessions that were left out, each with the reason")]
    left: Annotated[int, Meta(description="messages that have no pack yet")]


class UnprovedFact(Struct):
    """A statement that was refused, as no turn proves it."""

    text: str
    turns: list[int]
    why: str


class AppliedPack(Reply, kw_only=True):
    """What became of an answer."""

    would: Annotated[bool, Meta(description="it was only tried")]
    pack: str
    session: str
    role: str
    settled: Annotated[bool, Meta(description="its turns are done with; where nothing was proved they are not")]
    already: Annotated[bool, Meta(description="its turns were looked at before: nothing was done")]
    passes: list[PassView]
    unproved: list[UnprovedFact]


@verb("consolidate.pack", errors=(SessionUnknownError,))
async def take_packs(service: Service, asked: TakePacks) -> PacksView:
    """Give the turns that were not looked at, numbered, with what is known and the form of an answer, for a model to say what they tell."""
    bounds = Bounds(asked.max_turns, asked.max_bytes, asked.limit)
    found = await service.walks.take_packs(service.store, asked.session, asked.role, bounds)
    return PacksView(packs=[_pack_view(one) for one in found.told], skipped=found.skipped, left=found.left)


def _pack_view(told: dict[str, Any]) -> PackView:
    turns = [PackTurn(**{"seen": UNSET, **one}) for one in told["turns"]]
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
