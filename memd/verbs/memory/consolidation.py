"""The verbs of consolidation: what was said becomes memories, the passes that did it, and how one is taken back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.errors import ConsolidationUnknownError, SessionUnknownError
from memd.service.capture.undoing_passes import find_report, undo_pass
from memd.service.walks import Consolidate
from memd.store.capture.reports import read_report, report_ids
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import MaybeRole

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


class BecameView(Struct, kw_only=True):
    """What became of one statement."""

    fate: Annotated[Literal["kept", "staged", "known", "refused"], Meta(description="staged: it waits in the inbox")]
    id: Annotated[str, Meta(description="of the statement: the same whenever this turn is looked at")]
    turn: Annotated[int, Meta(description="the event of the session that settles it, from 1")]
    at: Annotated[str, Meta(description="when it was said")]
    total: float
    source: str
    why: str | UnsetType = UNSET
    text: Annotated[str, Meta(description="where it is still known")] | UnsetType = UNSET
    memory: Annotated[str, Meta(description="the memory that has it now")] | UnsetType = UNSET
    how: Annotated[str, Meta(description="stored, superseding, refined")] | UnsetType = UNSET
    supersedes: Annotated[str, Meta(description="the memory whose place it took")] | UnsetType = UNSET
    inbox: Annotated[str, Meta(description="its id in the inbox")] | UnsetType = UNSET
    lasting: (
        Annotated[str, Meta(description="proposed for USER.md: identity, preference, health, home or work")] | UnsetType
    ) = UNSET


class PassView(Struct, kw_only=True):
    """One pass."""

    id: Annotated[str, Meta(description="of what was only tried: no such pass is kept")]
    at: str
    session: str
    role: str
    level: Annotated[str, Meta(description="auto, or inbox: all waits")]
    by: Annotated[
        str,
        Meta(
            description="person, model (at an endpoint that this machine names), memd by itself, or past: conversations that agents had kept"
        ),
    ]
    first_turn: int
    last_turn: int
    turns: Annotated[int, Meta(description="messages that were looked at")]
    counts: Annotated[dict[str, int], Meta(description="statements by what became of them; dropped: not worth a word")]
    undone: Annotated[str, Meta(description="when it was taken back")] | UnsetType = UNSET
    became: list[BecameView] | UnsetType = UNSET


class ConsolidatedSessions(Reply, kw_only=True):
    """What became of what was said."""

    would: Annotated[bool, Meta(description="it was only tried")]
    sessions: Annotated[int, Meta(description="that were looked at")]
    passes: list[PassView]
    skipped: Annotated[dict[str, str], Meta(description="sessions that were left out, each with the reason")]
    left: Annotated[int, Meta(description="messages that a trial did not come to")]


class PassesView(Reply, kw_only=True):
    """Passes, the newest first."""

    total: Annotated[int, Meta(description="how many are kept, older and newer ones too")]
    passes: list[PassView]
    more: Annotated[bool, Meta(description="there are older ones")]


class PassTakenBack(Reply, kw_only=True):
    """What was taken back, and what was left as somebody changed it since."""

    id: str
    role: str
    archived: Annotated[list[str], Meta(description="memories that are in the archive now")]
    changed: Annotated[list[str], Meta(description="memories that stand as they did before")]
    unstaged: Annotated[list[str], Meta(description="texts that left the inbox")]
    left: Annotated[dict[str, str], Meta(description="what stays, each with the reason")]
    already: Annotated[bool, Meta(description="it was taken back before")]


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
    became = [_became(one, statements[one.id].told.text) for one in report.became] if statements is not None else UNSET
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
        undone=report.undone or UNSET,
        became=became,
    )


def _became(one: Became, text: str) -> BecameView:
    return BecameView(
        fate=one.fate,  # type: ignore[arg-type]  # a Fate's value
        id=one.id,
        turn=one.turn,
        at=one.at,
        total=one.total,
        source=one.source,
        why=one.why or UNSET,
        text=text[:TEXT_CHARS] or UNSET,
        memory=one.memory or UNSET,
        how=one.how or UNSET,
        supersedes=one.supersedes or UNSET,
        inbox=one.inbox or UNSET,
        lasting=one.lasting or UNSET,
    )
