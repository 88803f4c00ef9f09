"""The composition root: build the daemon, start it, stop it. Nothing else."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from memd import __version__
from memd.config import EmbeddingPlace, Place
from memd.doors.activation import take_manager
from memd.doors.methods import METHODS
from memd.doors.portable_watcher import PortableWatcher
from memd.doors.rpc import convert
from memd.doors.socket import Server
from memd.doors.watcher import Watcher
from memd.errors import MemdError, MethodUnknownError, WorkspaceBusyError
from memd.service.cache import erased_roles, give_up
from memd.service.care.following import Following
from memd.service.care.forgetting import keep_forgetting
from memd.service.care.hints import Hints, Watch
from memd.service.care.indexing import Indexing
from memd.service.memory.meaning import Embedder, Meaning
from memd.service.memory.recall_file import keep_saving, load_recalled, save_recalled
from memd.service.opening import keep_trying, open_workspace
from memd.service.work.runs import close_dead
from memd.service.workspace import Workspace
from memd.storage.embedding_endpoint import Endpoint
from memd.storage.lock import Lock
from memd.storage.mounts import remote_kind
from memd.storage.onnx_model import OnnxModel
from memd.storage.system import bound_heap
from memd.text.times import read_times
from memd.verbs.declared import Process, Service
from memd.verbs.upkeep import keep_up

logger = logging.getLogger(__name__)

SWITCH_S = 0.0005  # worker threads hand the interpreter back this often, so that the loop never waits long
STOP_S = 5.0
LOCK_WAIT_S = 5.0
LOCK_STEP_S = 0.05


async def serve(place: Place, ready: Callable[[Workspace, str], None], lock: Lock | None = None) -> None:
    """Run the daemon of a workspace until it is told to stop (SIGTERM, SIGINT); `lock` was taken before."""
    sys.setswitchinterval(SWITCH_S)
    bound_heap()
    manager = take_manager()
    place = replace(place, socket=manager.path or place.socket)
    holder = {"pid": os.getpid(), "what": "daemon", "socket": place.socket, "since_s": round(time.time(), 1)}
    gc.disable()  # what is loaded now stays: the collector need not walk it again and again
    try:
        workspace = await open_workspace(
            place.workspace, holder=holder, cache_dir=place.cache, state_dir=place.state, lock=lock
        )
    except MemdError as error:
        manager.tell(status=str(error))
        raise
    service = service_of(workspace, place)
    server = Server(service, place.socket)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    tasks: list[asyncio.Task[None]] = []
    try:
        await asyncio.to_thread(workspace.save_cache)
        await asyncio.to_thread(load_recalled, workspace.tree, workspace.recalled)
        await close_what_died(workspace)
        gc.freeze()
        gc.enable()
        await server.start(manager.listening)
        tasks += begin_following(service, loop, stop)
        tasks.append(asyncio.create_task(keep_saving(workspace, stop)))
        tasks.append(asyncio.create_task(keep_up(workspace, stop)))
        tasks.append(asyncio.create_task(keep_forgetting(workspace, service.indexing, stop)))
        tasks.append(asyncio.create_task(write_when_it_can(workspace, holder, stop)))
        tasks.append(asyncio.create_task(asyncio.to_thread(warm_up, workspace)))
        tasks.append(asyncio.create_task(manager.keep_alive(stop)))
        ready(workspace, place.socket)
        manager.tell(READY="1", status=f"serving {place.workspace}: {len(workspace.roles)} roles")
        await stop.wait()
        manager.tell(STOPPING="1", status="stopping")
        logger.info("stopping")
    finally:
        await _end(service, server, tasks)


async def _end(service: Service, server: Server, tasks: list[asyncio.Task[None]]) -> None:
    """Follow no more, answer what was asked, put everything on the disk."""
    workspace = service.workspace
    if service.following:
        service.following.stop()
    service.indexing.close()
    if tasks:
        ended, late = await asyncio.wait(tasks, timeout=STOP_S)
        for task in late:
            task.cancel()
        for task in ended:
            if not task.cancelled() and (error := task.exception()):
                logger.error("following the files ended: %s", error)
    try:
        await server.stop(STOP_S)
        await workspace.working.attended.finish(STOP_S)
    finally:
        save_recalled(workspace)
        await workspace.close(deadline_s=STOP_S)
    workspace.save_cache(changed=True)


async def close_what_died(workspace: Workspace) -> None:
    """Close the runs whose process is gone, and those of the daemon before this one."""
    if workspace.writing is not None:
        await close_dead(workspace, unknown=True)


async def write_when_it_can(workspace: Workspace, holder: dict[str, Any], stop: asyncio.Event) -> None:
    """Write as soon as the disk can be written, where it could not at the start."""
    if workspace.read_only:
        await keep_trying(workspace, holder, stop)
        await close_what_died(workspace)


def warm_up(workspace: Workspace) -> None:
    """Make ready what the first trigger would else wait for. Blocks."""
    workspace.keeping.learned.load_orders()
    workspace.feelings()
    read_times("昨天, yesterday", datetime.now(UTC))
    workspace.keeping.learned.load()
    gc.freeze()  # what was loaded stays for good: no collection need look at it


def begin_following(service: Service, loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> list[asyncio.Task[None]]:
    """Begin to follow the files and to keep the index; `stop` is set when the workspace is gone for good."""
    following = service.following
    if following is None:
        return []
    following.watch = watcher_of(service.workspace, following.hear)
    tasks = [loop.create_task(following.run())]
    tasks[0].add_done_callback(lambda _: stop.set())  # the workspace is gone for good
    if service.workspace.settings.daemon.index:
        tasks.append(loop.create_task(service.indexing.run()))
    return tasks


def watcher_of(workspace: Workspace, hear: Callable[[Hints], None]) -> Watch | None:
    """Return what hears of changes, as the settings say it; None where the scans alone shall find them."""
    kind = workspace.settings.daemon.watcher
    if kind == "none":
        return None
    if kind == "inotify" or (kind == "auto" and sys.platform == "linux"):
        return Watcher(workspace.path, hear, workspace.tree.place)
    return PortableWatcher(workspace.path, hear, workspace.tree.place)


@dataclass(frozen=True, slots=True)
class Local:
    """A workspace opened in this process, with the methods the daemon has."""

    workspace: Workspace
    service: Service

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""
        if method not in METHODS:
            raise MethodUnknownError(method)
        return await METHODS[method].answer(self.service, convert(METHODS[method], params))


@asynccontextmanager
async def local(place: Place, *, writes: bool) -> AsyncIterator[Local]:
    """Open a workspace in this process. A writer waits LOCK_WAIT_S for another, then WorkspaceBusyError."""
    holder = {"pid": os.getpid(), "what": "command", "socket": ""} if writes else None
    workspace = await _open_patiently(place, holder)
    service = service_of(workspace, place, daemon=False)
    load_recalled(workspace.tree, workspace.recalled)
    try:
        yield Local(workspace, service)
    finally:
        service.indexing.close()
        await workspace.close(deadline_s=STOP_S)
        if writes:
            give_up_erased(workspace)


def give_up_erased(workspace: Workspace) -> None:
    """Give up what the cache has of memories that a command erased, where the files are rid of them. Blocks."""
    roles = erased_roles(workspace.cache_dir)
    if roles and not workspace.log_depth:
        give_up(workspace.cache_dir, roles, index=True)


def writes(method: str) -> bool:
    """Tell whether a method needs the workspace's lock."""
    return method in METHODS and METHODS[method].writes


def embedder_of(given: EmbeddingPlace) -> Embedder:
    """Return the embedder that the environment names, or raise EmbeddingsError."""
    if given.where.startswith(("http://", "https://")):
        return Endpoint(given.where, given.model)
    return OnnxModel(given.where, given.digest)


def service_of(workspace: Workspace, place: Place, *, daemon: bool = True) -> Service:
    """Return what methods work on, for a workspace that is open."""
    if place.embeddings.where:
        workspace.meaning = Meaning(partial(embedder_of, place.embeddings), place.cache, waits=not daemon)
    process = Process(__version__, os.getpid() if daemon else None, place.workspace, place.socket)
    indexing = Indexing(
        place.workspace, place.cache, workspace.library, workspace.roles, workspace.ports.monotonic, follows=daemon
    )
    if not daemon:
        return Service(workspace, process, indexing)
    remote = remote_kind(place.workspace, workspace.tree.system)
    why = f"{remote}: changes made elsewhere raise no event here" if remote else ""
    return Service(workspace, process, indexing, Following(workspace, workspace.library, indexing, remote=why))


async def _open_patiently(place: Place, holder: dict[str, Any] | None) -> Workspace:
    until = asyncio.get_running_loop().time() + LOCK_WAIT_S
    while True:
        try:
            return await open_workspace(place.workspace, holder=holder, cache_dir=place.cache, state_dir=place.state)
        except WorkspaceBusyError:
            if asyncio.get_running_loop().time() > until:
                raise
        await asyncio.sleep(LOCK_STEP_S)
