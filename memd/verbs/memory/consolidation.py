"""The verbs of consolidation: what was said becomes memories, the passes that did it, and how one is taken back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from memd.errors import ConsolidationUnknownError, SessionUnknownError
from memd.protocol.fields import MaybeRole, Request
from memd.protocol.keeping import BecameView, ConsolidatedSessions, PassesView, PassTakenBack, PassView
from memd.service.capture.undoing_passes import find_report, undo_pass
from memd.service.walks import Consolidate
from memd.store.capture.reports import read_report, report_ids
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.service.capture.deciding import Statement
    from memd.store.capture.reports import Became, Report
    from memd.store.store import Store

PassId = Annotated[str, Meta(min_length=1, max_length=40, description="a pass's id, or its first characters")]
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
        return PassesView(total=1, passes=[await _whole(store, report)], more=False)
    ids = await asyncio.to_thread(report_ids, store.tree, store.texts)
    older = [one for one in ids if not asked.before or one < asked.before]
    found = [await asyncio.to_thread(read_report, store.tree, store.texts, one) for one in older[: asked.limit]]
    passes = [pass_view(one) for one in found if one is not None]
    return PassesView(total=len(ids), passes=passes, more=len(older) > asked.limit)


async def _whole(store: Store, report: Report) -> PassView:
    """Return a pass with the texts of what it kept and let wait, as far as they stand."""
    role = await store.role(report.role)
    async with role.turn:
        await store.refresh(role)
        memories = role.compiled.memories
        texts = {one.id: memories[one.memory].text for one in report.became if one.memory in memories}
    waiting = store.keeping.inbox.waiting
    texts |= {one.id: str(waiting[one.inbox]["content"]) for one in report.became if one.inbox in waiting}
    view = pass_view(report)
    view.became = [_became(one, texts.get(one.id, "")) for one in report.became]
    return view


def pass_view(report: Report, statements: dict[str, Statement] | None = None) -> PassView:
    """Return a pass as it is told; with its statements, what became of each."""
    counts: dict[str, int] = {}
    for one in report.became:
        counts[one.fate] = counts.get(one.fate, 0) + 1
    if report.dropped:
        counts["dropped"] = report.dropped
    became = [_became(one, statements[one.id].told.text) for one in report.became] if statements is not None else None
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
