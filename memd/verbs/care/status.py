"""The verbs of the daemon itself: is it there, how is it, build its index."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from memd import PROTOCOL
from memd.errors import ProtocolVersionError
from memd.model.findings import severity_of
from memd.model.trust import past_order
from memd.service.asking import asked_by, sentence, view
from memd.service.work.effects import judged_of, running_figures, worse
from memd.service.work.run_state import make_runs_ready
from memd.store.reading.discovery import shown
from memd.store.used import limits_used
from memd.verbs.care.outside import agents_of, sync_of
from memd.verbs.care.settings import AgentHooks, AskView, SyncState
from memd.verbs.declared import Nothing, Reply, Request, Service, verb

if TYPE_CHECKING:
    from memd.store.following.following import Following
    from memd.store.store import Store


FLUSH_S = 8.0


class Progress(Struct, forbid_unknown_fields=True):
    """How far long work is."""

    done: int
    of: int
    step: str


class Ping(Request):
    """Who asks, by what it was written for."""

    protocol: Annotated[int, Meta(ge=1, description="the protocol that the asker was written for")] | None = None


class Pong(Reply):
    """Who answers."""

    pong: bool
    protocol: Annotated[int, Meta(description="the version of the protocol that is spoken")]
    version: str
    pid: Annotated[int, Meta(description="of the daemon; null where a command answers for itself")] | None
    workspace: str
    socket: str
    under_way: Annotated[dict[str, Progress], Meta(description="long work, by its name")] | UnsetType = UNSET


class RoleState(Struct):
    """A role, and how many changes wait for its file."""

    name: str
    memories: int
    waiting: int


class Scanned(Struct, forbid_unknown_fields=True):
    """The last look at every file."""

    at: str
    files: int
    found: Annotated[int, Meta(description="files that were other than known")]
    took_ms: float
    scans: int


class Watching(Struct):
    """How changes are heard of."""

    mode: Annotated[str, Meta(description="events, polling, starting; none without a daemon")]
    folders: int | UnsetType = UNSET
    heard_s_ago: float | UnsetType | None = UNSET
    restarts: int | UnsetType = UNSET
    missed: Annotated[int, Meta(description="changes that no event had told")] | UnsetType = UNSET
    reconciled: Scanned | UnsetType = UNSET
    why: str | UnsetType = UNSET


class IndexState(Struct, forbid_unknown_fields=True):
    """The full-text index on disk."""

    state: Annotated[str, Meta(description="ready, building, failed, absent")]
    behind: Annotated[int, Meta(description="documents that it does not have as they are now")]
    documents: int | UnsetType = UNSET
    built_at: str | UnsetType = UNSET
    bytes: int | UnsetType = UNSET
    fault: str | UnsetType = UNSET


class LogState(Struct, forbid_unknown_fields=True):
    """The log, and what recovery did at the start."""

    waiting: Annotated[int, Meta(description="acknowledged batches that are not in the files yet")]
    redone: int | UnsetType = UNSET
    quarantined: Any = UNSET
    conflict_copies: list[str] | UnsetType = UNSET


class Flushed(Reply):
    """What came into the files."""

    held: Annotated[
        dict[str, str], Meta(description="places that lack something acknowledged before this call, and why")
    ]
    waiting: Annotated[int, Meta(description="acknowledged batches that are not in the files yet; newer ones too")]


class WorseBefore(Struct, forbid_unknown_fields=True):
    """The version before, and how it did."""

    version: int
    mean: float


class Regression(Struct, forbid_unknown_fields=True):
    """A version of a skill that does worse than the one before."""

    skill: str
    version: int
    mean: float
    before: WorseBefore
    certain: bool


class WorkState(Struct, forbid_unknown_fields=True):
    """Runs under way, receipts that a person edited, skills that do worse."""

    running: list[str]
    edited_receipts: list[str]
    regressions: list[Regression]


class LimitState(Struct, forbid_unknown_fields=True):
    """What is used of a limit."""

    used: int
    limit: int
    warning: Annotated[bool, Meta(description="nine tenths are used")]
    largest: str | UnsetType = UNSET
    unwritten: Annotated[int, Meta(description="notes that found no room")] | UnsetType = UNSET


class TrustState(Struct, forbid_unknown_fields=True):
    """What the workspace asks this machine for, what is granted, and where that is kept."""

    state: str
    fault: str
    approved: Annotated[int, Meta(description="texts that somebody here let stand in prompts")]
    asked: list[AskView]
    said: Annotated[str, Meta(description="what is asked for in vain, as one line")]


class UnheardState(Struct, forbid_unknown_fields=True):
    """What agents' hooks left while no daemon ran."""

    waiting: Annotated[int, Meta(description="events that are not taken in yet")]
    bytes: int
    aside: Annotated[int, Meta(description="files that could not be used, and were set aside")]
    lost: Annotated[int, Meta(description="events that found no room since the last daemon")]
    folder: Annotated[str, Meta(description="where they lie; empty where this machine keeps nothing")]
    fault: Annotated[str, Meta(description="why the folder is not used; empty where nothing is wrong")]


class EmbedderState(Struct, forbid_unknown_fields=True):
    """The process that finds what is near in meaning."""

    state: Annotated[str, Meta(description="ready; starting; off: not needed now, or not wanted; failed")]
    why: Annotated[str, Meta(description="words alone serve, for this reason; empty where nothing is wrong")]
    behind: Annotated[int, Meta(description="texts that have no vector yet")]
    restarts: Annotated[int, Meta(description="how often it was started again after a failure")]
    provisional: (
        Annotated[int, Meta(description="verdicts that words gave alone, and that are to be judged again")] | UnsetType
    ) = UNSET
    model: str | UnsetType = UNSET
    vectors: Annotated[int, Meta(description="windows of texts that have one")] | UnsetType = UNSET
    resident_kb: Annotated[int, Meta(description="memory that the process takes")] | UnsetType = UNSET


class PastState(Struct, forbid_unknown_fields=True):
    """How far the conversations that agents keep on this machine are taken in."""

    id: Annotated[str, Meta(description="by which it is taken back")]
    of: Annotated[int, Meta(description="conversations; 0 where the daemon has not looked yet")]
    done: int
    session: Annotated[str, Meta(description="what is taken in now")]
    left: Annotated[dict[str, int], Meta(description="how many are left out, by the reason")]
    why: Annotated[str, Meta(description="what stands in the way; empty where nothing does")]


class AskStatus(Request):
    """How much is looked at."""

    outside: Annotated[
        bool, Meta(description="also which agents have memd's hooks, and how git stands to its remote: some 20 ms more")
    ] = False


class Status(Reply):
    """How the workspace is, all at once."""

    version: str
    pid: int | None
    workspace: str
    socket: str
    state: Annotated[str, Meta(description="serving; workspace gone")]
    uptime_s: float
    mode: Annotated[str, Meta(description="read-write; read-only and why")]
    roles: list[RoleState]
    rejected: Annotated[list[str], Meta(description="a line for each fault: file, line, column, code, why")]
    held: Annotated[dict[str, str], Meta(description="files that cannot be written now, and why")]
    files: int
    watcher: Watching
    index: IndexState
    embedder: EmbedderState
    log: LogState
    work: WorkState
    limits: dict[str, LimitState]
    trust: TrustState
    unheard: UnheardState
    past: Annotated[PastState, Meta(description="while it is taken in")] | UnsetType = UNSET
    agents: Annotated[list[AgentHooks], Meta(description="with `outside`")] | UnsetType = UNSET
    sync: Annotated[SyncState, Meta(description="with `outside`")] | UnsetType = UNSET


class Rebuilt(Reply):
    """What building the index anew came to."""

    documents: int
    files: int
    read: int
    put: int
    dropped: int
    fresh: bool
    bytes: int
    took_s: float
    why: str


@verb("ping", errors=(ProtocolVersionError,))
async def ping(service: Service, asked: Ping) -> Pong:
    """Answer with version, pid and workspace, and how far long work is.

    ProtocolVersionError for whoever was written for a newer protocol.
    """
    if asked.protocol is not None and asked.protocol > PROTOCOL:
        raise ProtocolVersionError(asked.protocol, PROTOCOL)
    process = service.process
    reply = Pong(
        pong=True,
        protocol=PROTOCOL,
        version=process.version,
        pid=process.pid,
        workspace=process.workspace,
        socket=process.socket,
    )
    if under_way := service.under_way():
        reply.under_way = convert(under_way, dict[str, Progress])
    return reply


@verb("status")
async def status(service: Service, asked: AskStatus) -> Status:
    """Tell how the workspace is: roles, rejected files, limits used, log."""
    await service.look_once()
    workspace, process, following = service.store, service.process, service.following
    workspace.in_force.look()
    roles = await _roles(workspace)
    rejected = await _rejected(workspace, following)
    return Status(
        version=process.version,
        pid=process.pid,
        workspace=process.workspace,
        socket=process.socket,
        state="workspace gone" if following and not following.presence.look() else "serving",
        uptime_s=round(workspace.ports.monotonic() - workspace.opened_s, 1),
        mode=f"read-only: {workspace.writer.read_only}" if workspace.writer.read_only else "read-write",
        roles=roles,
        rejected=rejected,
        held=workspace.writer.trouble,
        files=len(workspace.library.held),
        watcher=watching(following, workspace.ports.monotonic()),
        index=convert(service.indexing.view(), IndexState),
        embedder=await _embedder(workspace),
        log=convert({"waiting": workspace.writer.depth, **workspace.writer.recovered}, LogState),
        work=await _work(workspace),
        limits=convert(await limits_used(workspace), dict[str, LimitState]),
        trust=await _trust(workspace),
        unheard=await _unheard(workspace),
        past=_past(workspace),
        agents=await asyncio.to_thread(agents_of, workspace.path) if asked.outside else UNSET,
        sync=await asyncio.to_thread(sync_of, workspace.path) if asked.outside else UNSET,
    )


def _past(store: Store) -> PastState | UnsetType:
    order = past_order(store.in_force.trust.trusted.granted)
    if not order:
        return UNSET
    if store.captured.past is None:
        store.captured.woken.set()  # it was ordered a moment ago
    past = store.captured.past
    is_paused = store.ports.now() < store.in_force.trust.trusted.paused_until_s
    why = "capture is paused" if is_paused else past.why if past else ""
    if past is None:
        return PastState(order["id"], 0, 0, "", {}, why)
    return PastState(past.id, past.of, past.of - len(past.waiting), past.session, past.left, why)


async def _embedder(store: Store) -> EmbedderState:
    found = convert(await store.meaning.figures(), EmbedderState)
    found.provisional = len(store.keeping.provisional.held) or UNSET
    return found


@verb("flush", writes=True)
async def flush(service: Service, _: Nothing) -> Flushed:
    """Bring everything that is acknowledged into the files now, and tell what is not there."""
    held = await service.store.writer.flush(FLUSH_S)
    return Flushed(held=held, waiting=service.store.writer.depth)


@verb("rebuild")
async def rebuild(service: Service, _: Nothing) -> Rebuilt:
    """Build the full-text index from nothing."""
    return convert(await service.indexing.rebuild(), Rebuilt)


async def _roles(store: Store) -> list[RoleState]:
    roles: list[RoleState] = []
    for role in sorted(store.roles.values(), key=lambda role: role.name):
        if not role.turn.locked():
            async with role.turn:
                await store.follow(role)
        waiting = len(role.unsaved.pending) + len(role.saves.parked) + role.saves.stale
        roles.append(RoleState(role.name, role.count, waiting))
    return roles


async def _rejected(store: Store, following: Following | None) -> list[str]:
    """Return a line for everything that is not served, or not as its file has it; each once."""
    rejected: list[str] = []
    for _, role in sorted(store.roles.items()):
        faults = (role.file.rejected, *role.file.faults, *role.own.faults, *role.shelf.faults())
        rejected += [str(fault) for fault in faults if fault]
    rejected += [str(fault) for fault in (*store.in_force.file.faults, *store.lexicon.faults, *store.roles.bad)]
    rejected += [str(fault) for fault in store.library.faults() if severity_of(fault.code) != "note"]
    beside = await asyncio.to_thread(store.side_files.look, store.tree)
    rejected += [str(fault) for fault in beside if not any(line.startswith(f"{fault.name}:") for line in rejected)]
    known = {fault.name for fault in beside}
    odd = following.reconciled.odd if following else {}
    rejected += [f"{shown(name)}:1:1: file.odd {why}" for name, why in sorted(odd.items()) if name not in known]
    return list(dict.fromkeys(rejected))


def watching(following: Following | None, now_s: float) -> Watching:
    """Return how the files are watched, and what the last scan found."""
    if following is None:
        return Watching("none", why="no daemon runs")
    hearing, last = following.hearing, following.reconciled
    return Watching(
        mode="polling" if hearing.why else hearing.mode,
        folders=hearing.watch.folders if hearing.watch else 0,
        heard_s_ago=None if hearing.heard_s is None else round(now_s - hearing.heard_s, 1),
        restarts=hearing.restarts,
        missed=last.missed,
        reconciled=convert(last.view(), Scanned),
        why=hearing.why or UNSET,
    )


async def _unheard(store: Store) -> UnheardState:
    found = await asyncio.to_thread(store.unheard.standing)
    return UnheardState(
        found.waiting.events, found.waiting.bytes, found.aside, found.lost, store.unheard.spooling.folder, found.fault
    )


async def _work(store: Store) -> WorkState:
    await make_runs_ready(store)
    edited = sorted({fault.name for fault in store.library.faults() if fault.code == "run.edited"})
    figures = await running_figures(store)
    regressions = convert(worse(judged_of(figures)), list[Regression])
    return WorkState(sorted(store.working.running), edited, regressions)


async def _trust(store: Store) -> TrustState:
    trust, asks = store.in_force.trust, await asked_by(store)
    views = convert([view(one) for one in asks], list[AskView])
    return TrustState(trust.folder, trust.fault, len(trust.trusted.approved), views, sentence(asks))
