"""The verbs of upkeep: expired memories to the archive, old scores looked at again, room made, episodes folded; or only said.

Every step is acknowledged by itself: a kill in the middle leaves whole steps, and the next run goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from memd.engine.keep.aging import worth_now
from memd.engine.keep.fold import foldable
from memd.engine.keep.leaves import marks
from memd.errors import MemdError, RoleRejectedError, RoleUnknownError, StorageFullError
from memd.formats.entry import stamp
from memd.model.change import Change, Operation
from memd.model.files import Told, untold
from memd.model.memory import Kind, Memory
from memd.protocol.fields import MaybeRole, Paged
from memd.protocol.roles import UPKEEP_CHARS, ArchivedMemory, FadedMemory, RoleUpkeep, ShortMemory, Upkeep
from memd.service.inbox import leaving, overdue
from memd.service.memory.decisions import FOLDED
from memd.service.memory.records import BESIDE, least_worth, removals, size_of
from memd.service.screening import make_ready
from memd.storage.layout import AUDIT
from memd.store.room import WARN_SHARE
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

logger = logging.getLogger(__name__)

BATCH = 25  # memories that one acknowledgement moves
FIRST_S = 60.0  # after the start of a daemon
LOOK_S = 30.0  # how often it is asked whether it is time
ALL = Paged()


@dataclass(slots=True)
class RolePlan:
    """What upkeep would do to a role; `below` is only proposed."""

    role: str
    expired: list[Memory] = field(default_factory=list)
    relief: list[Memory] = field(default_factory=list)
    folds: list[list[Memory]] = field(default_factory=list)
    below: list[tuple[Memory, float]] = field(default_factory=list)


class KeepUp(Paged):
    """One role, or all; of each list of a role which part is told: all is done."""

    role: MaybeRole = ""
    limit: Annotated[int, Meta(ge=1, le=10_000, description="how many of each kind at once")] = 1000


@verb("upkeep.plan")
async def plan_upkeep(service: Service, asked: KeepUp) -> Upkeep:
    """Say what upkeep would do."""
    store = service.store
    now_s = store.ports.now()
    plans = [await _plan(store, role, now_s) for role in await _roles(store, asked.role)]
    files = await asyncio.to_thread(store.room.too_many, 0)
    await make_ready(store)
    over = [one["id"] for one in overdue(store, asked.role, now_s)]
    return Upkeep(would=True, roles=[_view(one, asked) for one in plans], remove=files, inbox=over or None)


@verb("upkeep.run", writes=True)
async def run_upkeep(service: Service, asked: KeepUp) -> Upkeep:
    """Archive what expired, make room, fold; propose the rest."""
    with service.telling("upkeep") as told:
        return await run(service.store, asked.role, told, asked)


async def run(store: Store, role_name: str = "", told: Told = untold, asked: Paged = ALL) -> Upkeep:
    """Do what the plan says, and return it; `told` hears of a hundred parts for each role."""
    now_s = store.ports.now()
    done = []
    roles = await _roles(store, role_name)
    for number, role in enumerate(roles):

        def of_role(moved: int, of: int, step: str, before: int = number * 100) -> None:
            told(before + moved * 100 // max(of, 1), len(roles) * 100, step)

        try:
            done.append(await _keep_up(store, role, now_s, of_role))
        except (RoleUnknownError, RoleRejectedError, StorageFullError) as error:
            logger.warning("upkeep of role %s could not be done: %s", role.name, error)
    over = await _empty_inbox(store, role_name, now_s)
    files = await asyncio.to_thread(store.room.too_many, 0)
    with contextlib.suppress(MemdError):
        store.room.memory_dir.until_s = 0.0
        store.writer.make_room(0)
    return Upkeep(would=False, roles=[_view(one, asked) for one in done], remove=files, inbox=over or None)


async def _empty_inbox(store: Store, role_name: str, now_s: float) -> list[str]:
    """Let those leave the inbox whose time is over; return their ids."""
    await make_ready(store)
    over = overdue(store, role_name, now_s)
    for at in range(0, len(over), BATCH):
        steps = leaving(store, over[at : at + BATCH], now_s)
        await store.commit(steps.operations, at_s=now_s, roll_back=steps.roll_back)
    return [one["id"] for one in over]


async def _keep_up(store: Store, role: Role, now_s: float, told: Told) -> RolePlan:
    told(0, 1, role.name)
    made = await _plan(store, role, now_s)
    moved, of = 0, len(made.expired) + len(made.folds) + len(made.relief)

    def on(count: int) -> None:
        nonlocal moved
        moved += count
        told(moved, of, role.name)

    await _archive(store, role, made.expired, "expired", on)
    for group in made.folds:
        await _fold(store, role, group)
        on(1)
    await _archive(store, role, made.relief, "the role is at its limit", on)
    await _note(store, role, made, now_s)
    return made


async def keep_up(store: Store, stop: asyncio.Event) -> None:
    """Run again and again at the pace of the settings, until it is time to stop."""
    monotonic = store.ports.monotonic
    due_s = monotonic() + FIRST_S
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(LOOK_S, max(0.1, due_s - monotonic()))):
                await stop.wait()
        every = store.settings.upkeep.every_minutes
        if stop.is_set() or not every or monotonic() < due_s or store.writer.running is None:
            continue
        due_s = monotonic() + every * 60
        try:
            await run(store)
        except MemdError as error:
            logger.warning("upkeep could not be done: %s", error)
        except Exception:
            logger.exception("upkeep failed")


async def _roles(store: Store, role_name: str) -> Sequence[Role]:
    if role_name:
        return [await store.role(role_name)]
    await store.roles.look()
    return [store.roles[name] for name in sorted(store.roles)]


async def _plan(store: Store, role: Role, now_s: float) -> RolePlan:
    async with role.turn:
        await store.look(role)
        settings = store.settings_of(role)
        made = RolePlan(role.name)
        memories = list(role.compiled.memories.values())
        uses = store.recalled.uses.get(role.name, {})
        if settings.upkeep.archive_expired:
            made.expired = [one for one in memories if one.is_expired(now_s) and not one.constant]
        gone = {one.id for one in made.expired}
        limits = settings.limits
        size = role.file.bytes + role.file.extra_bytes + role.unsaved.waiting_bytes
        near = len(memories) >= limits.role_memories * WARN_SHARE or size >= limits.role_bytes * WARN_SHARE
        if settings.upkeep.fold and near:
            standing = [one for one in memories if one.id not in gone]
            made.folds = foldable(standing, store.keeping.learned.read, settings.upkeep.fold_days)
        folded = [one for group in made.folds for one in sorted(group, key=lambda one: len(one.content))[:-1]]
        over_count = len(memories) - len(folded) - limits.role_memories
        over_bytes = size - sum(size_of(role, one) for one in folded) - limits.role_bytes
        if over_count > 0 or over_bytes > 0:
            chosen = least_worth(store, role, max(0, over_count), max(0, over_bytes), now_s)
            freed = sum(size_of(role, one) for one in chosen)
            # What lies beside the memories is not theirs to make up for.
            helps = freed >= over_bytes and role.file.extra_bytes <= limits.role_bytes * BESIDE
            made.relief = [one for one in chosen if one.id not in gone] if helps else []
        taken = gone | {one.id for one in (*made.relief, *folded)}
        for memory in memories:
            times, used_s = uses.get(memory.id, (0, None))
            worth = worth_now(memory, times, used_s, now_s)
            if worth < settings.upkeep.floor and not memory.constant and memory.id not in taken:
                made.below.append((memory, round(worth, 1)))
    made.below.sort(key=lambda one: one[1])
    return made


async def _archive(store: Store, role: Role, memories: list[Memory], reason: str, on: Callable[[int], None]) -> None:
    for at in range(0, len(memories), BATCH):
        async with role.turn:
            now_s = store.ports.now()
            standing = [one for one in memories[at : at + BATCH] if _is_same(role, one)]
            on(len(memories[at : at + BATCH]))
            if not standing:
                continue

            def build(n: int, some: list[Memory] = standing, at_s: float = now_s) -> list[Operation]:
                return removals(store, role, some, reason, n, at_s)

            done = store.commit(build, at_s=now_s)
        await done


def _is_same(role: Role, memory: Memory) -> bool:
    """Tell whether a memory is written as it was looked at."""
    now = role.compiled.memories.get(memory.id)
    return now is not None and now.as_written() == memory.as_written()


async def _fold(store: Store, role: Role, group: list[Memory]) -> None:
    """Put one episode in the place of several; it lists them, and they are in the archive."""
    async with role.turn:
        if not all(_is_same(role, one) for one in group):
            return
        now_s = store.ports.now()
        ms = role.file.document.style.ms
        fullest = max(group, key=lambda one: (len(one.content), one.id))
        folded_id = store.ports.new_id()
        record = dict(role.raw(fullest.kind, fullest.id) or {}) | {
            "id": folded_id,
            "timestamp": stamp(group[-1].when_s or now_s, ms=ms),
            "keywords": _union(one.keys for one in group),
            "tags": _union(one.tags for one in group),
            "priority": max(one.priority for one in group),
            "sources": [one.id for one in group],
            "foldedFrom": stamp(group[0].when_s or now_s, ms=ms),
        }
        record = {key: value for key, value in record.items() if value not in ([], "", None)}

        def build(n: int) -> list[Operation]:
            told = {"made": marks(record)}
            gone = removals(store, role, group, f"{FOLDED}{folded_id}", n, now_s, told=told)
            return [Change(role.name, Kind.EPISODIC, folded_id, None, record), *gone]

        done = store.commit(build, at_s=now_s)
    await done


def _union(words: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(word for some in words for word in some))


async def _note(store: Store, role: Role, made: RolePlan, now_s: float) -> None:
    """Write down what was done and what is proposed, where there was anything."""
    if not (made.expired or made.relief or made.folds):
        return
    value = {
        "what": "upkeep",
        "role": role.name,
        "expired": len(made.expired),
        "relieved": len(made.relief),
        "folded": sum(map(len, made.folds)),
        "proposed": len(made.below),
    }
    await store.commit(lambda n: [store.record(AUDIT, n, value, now_s)], at_s=now_s)


def _view(made: RolePlan, asked: Paged) -> RoleUpkeep:
    gone: list[tuple[Memory, str]] = [(one, "expired") for one in made.expired]
    gone += [(one, "the role is at its limit") for one in made.relief]
    return RoleUpkeep(
        role=made.role,
        total={"archive": len(gone), "fold": len(made.folds), "propose": len(made.below)},
        archive=[ArchivedMemory(*_short(one), why) for one, why in asked.part(gone)],
        fold=[[ShortMemory(*_short(one)) for one in group] for group in asked.part(made.folds)],
        propose=[FadedMemory(*_short(one), worth) for one, worth in asked.part(made.below)],
    )


def _short(memory: Memory) -> tuple[str, Kind, str]:
    return memory.id, memory.kind, memory.content[:UPKEEP_CHARS]
