"""The verbs of consolidation: what was said becomes memories, the passes that did it, and how one is taken back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from memd.errors import ConsolidationUnknownError, PackUnknownError, SessionUnknownError
from memd.formats.foreign.chat import MOST_STATEMENTS, Stated
from memd.protocol.fields import MaybeRole, Request
from memd.protocol.keeping import (
    BecameView,
    ConsolidatedSessions,
    DroppedView,
    PassedOverView,
    PassesView,
    PassTakenBack,
    PassView,
)
from memd.protocol.sessions import AppliedPack, KnownMemory, PacksView, PackTurn, PackView, StatedFact, UnprovedFact
from memd.service.capture.undoing_passes import find_report, undo_pass
from memd.service.walks import Bounds, Consolidate
from memd.store.capture import read_report, report_ids
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.sessions import Told
    from memd.service.capture.deciding import Statement
    from memd.store.capture import Became, Report

PassId = Annotated[str, Meta(min_length=1, max_length=40, description="a pass's id, or its first characters")]
TOLD_WHOLE = 4  # passes at once of which what their turns passed over is told as well
TEXT_CHARS = 400


class ConsolidateSessions(Request):
    """What to look at: one session, those of a role, or all."""

    session: Annotated[str, Meta(max_length=400, description="one session; all without it")] = ""
    role: MaybeRole = ""
    inbox: Annotated[bool, Meta(description="nothing is kept at once: all that is worth it waits in the inbox")] = False
    dry_run: Annotated[bool, Meta(description="only say what would become of it")] = False


class TakePassBack(Request):
    """A pass."""

    id: PassId


class ListPasses(Request):
    """Those there are; with an id, that one with what became of each statement."""

    id: Annotated[str, Meta(max_length=40, description="a pass's id, or its first characters; all without it")] = ""
    limit: Annotated[int, Meta(ge=1, le=200, description="how many, the newest first")] = 20
    before: Annotated[str, Meta(max_length=40, description="only those that came before this one")] = ""


@verb("consolidate.run", writes=True, errors=(SessionUnknownError,))
async def consolidate_sessions(service: Service, asked: ConsolidateSessions) -> ConsolidatedSessions:
    """Make memories of what was said in sessions since the last pass, or say what would become of it."""
    level = "inbox" if asked.inbox else "auto"
    wanted = Consolidate(asked.session, asked.role, level, "person", asked.dry_run)
    with service.telling("consolidate") as told:
        passed = await service.walks.consolidate(service.store, wanted, told)
    passes = [pass_view(report, {one.id: one for one in statements}) for report, statements in passed.passes]
    if len(passes) <= TOLD_WHOLE:
        parts = set[
            tuple[str, int]
        ]()  # what a project's session says of the person has a pass of its own, of the same turns
        for (report, _), view in zip(passed.passes, passes, strict=True):
            if (part := (report.session, report.first_turn)) not in parts:
                parts.add(part)
                view.passed_over = await _passed_over(service, report)
    return ConsolidatedSessions(
        would=asked.dry_run, sessions=passed.sessions, passes=passes, skipped=passed.skipped, left=passed.left
    )


@verb("consolidate.undo", writes=True, errors=(ConsolidationUnknownError,))
async def undo_consolidation(service: Service, asked: TakePassBack) -> PassTakenBack:
    """Take a pass back as a whole; what was changed since is left, and told."""
    done = await undo_pass(service.store, asked.id)
    return PassTakenBack(
        id=done.report.id,
        role=done.report.role,
        archived=done.archived,
        changed=done.changed,
        unstaged=done.unstaged,
        left=done.left,
        already=bool(done.report.undone),
    )


@verb("consolidate.list", errors=(ConsolidationUnknownError,))
async def list_consolidations(service: Service, asked: ListPasses) -> PassesView:
    """List the passes, or show one."""
    store = service.store
    if asked.id:
        report = await find_report(store, asked.id)
        return PassesView(total=1, passes=[await _whole(service, report)], more=False)
    ids = await asyncio.to_thread(report_ids, store.tree, store.texts)
    older = [one for one in ids if not asked.before or one < asked.before]
    found = [await asyncio.to_thread(read_report, store.tree, store.texts, one) for one in older[: asked.limit]]
    passes = [pass_view(one) for one in found if one is not None]
    return PassesView(total=len(ids), passes=passes, more=len(older) > asked.limit)


async def _whole(service: Service, report: Report) -> PassView:
    """Return a pass with the texts of what it kept and let wait, as far as they stand, and of what it left out."""
    store = service.store
    role = await store.role(report.role)
    async with role.turn:
        await store.refresh(role)
        memories = role.compiled.memories
        texts = {one.id: memories[one.memory].text for one in report.became if one.memory in memories}
    waiting = store.keeping.inbox.waiting
    texts |= {one.id: str(waiting[one.inbox]["content"]) for one in report.became if one.inbox in waiting}
    view = pass_view(report)
    view.became = [_became(one, texts.get(one.id, "")) for one in report.became]
    if report.dropped:
        view.dropped = [_dropped(one) for one in await service.walks.dropped_in(store, report)] or None
    view.passed_over = await _passed_over(service, report)
    return view


async def _passed_over(service: Service, report: Report) -> list[PassedOverView] | None:
    found = await service.walks.passed_over_in(service.store, report)
    return [PassedOverView(turn=one.turn, text=one.text[:TEXT_CHARS], why=one.why) for one in found] or None


def _dropped(told: Told) -> DroppedView:
    return DroppedView(turn=told.turn, text=told.text[:TEXT_CHARS])


def pass_view(report: Report, statements: dict[str, Statement] | None = None) -> PassView:
    """Return a pass as it is told; with its statements, what became of each."""
    counts: dict[str, int] = {}
    for one in report.became:
        counts[one.fate] = counts.get(one.fate, 0) + 1
    if report.dropped:
        counts["dropped"] = report.dropped
    became = [_became(one, statements[one.id].told.text) for one in report.became] if statements is not None else None
    named = {one.id for one in report.became}
    dropped = [_dropped(one.told) for key, one in (statements or {}).items() if key not in named] or None
    return PassView(
        id=report.id,
        at=report.at,
        session=report.session,
        role=report.role,
        level=report.level,
        by=report.by,
        first_turn=report.first_turn,
        last_turn=report.last_turn,
        turns=report.turns,
        counts=counts,
        undone=report.undone or None,
        became=became,
        dropped=dropped,
    )


def _became(one: Became, text: str) -> BecameView:
    return BecameView(
        fate=one.fate,
        id=one.id,
        turn=one.turn,
        at=one.at,
        total=one.total,
        source=one.source,
        why=one.why or None,
        text=text[:TEXT_CHARS] or None,
        memory=one.memory or None,
        how=one.how or None,
        supersedes=one.supersedes or None,
        inbox=one.inbox or None,
        lasting=one.lasting or None,
    )


# The verbs of consolidation with a model at hand: what it is given, and what of its answer is taken.

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
