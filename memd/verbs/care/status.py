"""The verbs of the daemon itself: is it there, how is it, build its index."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, convert

from memd import PROTOCOL
from memd.errors import ProtocolVersionError
from memd.formats.times import to_iso
from memd.model.files import severity_of
from memd.model.trust import past_order
from memd.protocol.fields import Request
from memd.protocol.status import (
    AgentHooks,
    AskView,
    EmbedderState,
    Flushed,
    IndexState,
    LimitState,
    LogState,
    PastState,
    Pong,
    Progress,
    Rebuilt,
    Regression,
    RoleState,
    Scanned,
    Status,
    SyncState,
    TrustState,
    UnheardState,
    Watching,
    WorkState,
)
from memd.service.granting import asked_by, sentence, view
from memd.service.screening import know_provisional
from memd.service.work.effects import judged_of, running_figures, worse
from memd.service.work.runs import make_runs_ready
from memd.store.reading.discovery import shown
from memd.store.room import limits_used
from memd.verbs.declared import Nothing, Service, verb

if TYPE_CHECKING:
    from memd.service.care.doctor_outside import Hooks
    from memd.store.following.following import Following
    from memd.store.store import Store

FLUSH_S = 8.0


class Ping(Request):
    """Who asks, by what it was written for."""

    protocol: Annotated[int, Meta(ge=1, description="the protocol that the asker was written for")] | None = None


class AskStatus(Request):
    """How much is looked at."""

    outside: Annotated[
        bool, Meta(description="also which agents have memd's hooks, and how git stands to its remote: some 20 ms more")
    ] = False


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
        agents=await asyncio.to_thread(agents_of, workspace.path) if asked.outside else None,
        sync=await asyncio.to_thread(sync_of, workspace.path) if asked.outside else None,
    )


def _past(store: Store) -> PastState | None:
    order = past_order(store.in_force.trust.trusted.granted)
    if not order:
        return None
    if store.captured.past is None:
        store.captured.woken.set()  # it was ordered a moment ago
    past = store.captured.past
    is_paused = store.ports.now() < store.in_force.trust.trusted.paused_until_s
    why = "capture is paused" if is_paused else past.why if past else ""
    if past is None:
        return PastState(order["id"], 0, 0, "", {}, why)
    return PastState(past.id, past.of, past.of - len(past.waiting), past.session, past.left, why)


async def _embedder(store: Store) -> EmbedderState:
    await know_provisional(store)  # what waits is read when it is first asked for
    found = convert(await store.meaning.figures(), EmbedderState)
    found.provisional = len(store.keeping.provisional.held) or None
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
    store.in_force.look()
    store.roles.seen.hear()
    for role in sorted(store.roles.values(), key=lambda role: role.name):
        if not role.turn.locked():
            async with role.turn:
                await store.follow(role, of_many=True)
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
        why=hearing.why or None,
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


# How replies show what is around a workspace: agents' hooks, and how git stands to its remote.


def agents_of(path: str) -> list[AgentHooks]:
    """Return what each agent has of memd's hooks. Blocks."""
    from memd.service.care.doctor import Scope  # noqa: PLC0415  few who ask for the status look outside
    from memd.service.care.doctor_outside import AGENTS, hooks_of  # noqa: PLC0415

    scope = Scope(path, "", "", os.path.expanduser("~"), path, os.environ, "")
    return [_hooks(hooks_of(scope, agent), os.path.realpath(path)) for agent in AGENTS]


def _hooks(found: Hooks, path: str) -> AgentHooks:
    files = [one for own in found.files.values() for one in own]
    lacking = sorted({event for one in files for event in found.lacking(one)})
    states = (
        ("broken", found.faults),
        ("twice", any(len(together) + bool(found.plugins) > 1 for together in found.read_together) and files),
        ("elsewhere", found.workspaces and path not in found.workspaces),
        ("partly", lacking),
        ("installed", files or found.plugins),
        ("unreadable", found.unreadable),
        ("none", True),
    )
    state = next(name for name, holds in states if holds)
    faults = [f"{one}: {'; '.join(whys)}" for one, whys in found.faults.items()]
    faults += [f"{one}: {why}" for one, why in found.unreadable.items()]
    return AgentHooks(found.agent, state, files, bool(found.plugins), lacking, faults, sorted(found.workspaces))


def sync_of(path: str) -> SyncState:
    """Return how git stands to its remote. Blocks."""
    from memd.service.care.syncing import standing  # noqa: PLC0415  as above

    found = asdict(standing(path))
    heard_s = found.pop("heard_s")
    return SyncState(**found, heard_at=to_iso(heard_s) if heard_s is not None else None)
