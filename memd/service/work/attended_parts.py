"""The parts of what an agent is told: the snapshot, what comes to mind, what it should remember, what was worth it."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from memd.engine.keep.guard.asking import LONGEST, asked_to_remember
from memd.engine.work.briefing import (
    MEMORY_UNITS,
    Section,
    Way,
    asked_text,
    proposals_text,
    snapshot_text,
    status_text,
    title_of,
)
from memd.engine.work.visible import sections_of
from memd.errors import MemdError, RoleUnknownError
from memd.formats.strict_json import loads
from memd.model.agents import units
from memd.service.memory.egress import ALL, safe_text
from memd.service.screening import make_ready
from memd.service.walks import MAIN, OTHERS, PERSONS, GuardRequest, Prompt, TriggerRequest, Walks
from memd.service.work.sessions import OpenRequest
from memd.service.work.snapshots import freeze_now, take_snapshot
from memd.storage.itself import own_command, own_line, placed

if TYPE_CHECKING:
    from memd.service.capture.asking import Heard
    from memd.store.attended import Conversation
    from memd.store.store import Store

logger = logging.getLogger(__name__)

OF_TOOL = ("role", "content", "kind", "keys", "tags", "validity", "explicit", "source", "session")  # memory_remember's
LEAST_CHARS = 100  # the least room that a trigger takes
MOST_LINES = 200  # of a prompt that are read for more than one thing to remember
MOST_TOLD = 3  # proposals at once
SPARE_S = 0.5  # of an asker's time, for all that is told beside what was asked
BEHIND_S = 0.3  # a prompt waits this long for what is still done about the turn before it
WITHIN = ("compact", "clear")  # a window that goes on: its person has read how memory stands


class HookEvent(Protocol):
    """One event of an agent, as hook.event is asked. `session` and `key` are the agent's own: of the conversation, the turn or call."""

    agent: str
    event: str
    session: str
    key: str
    source: str
    message: str
    reply: str
    tool: str
    input: dict[str, Any] | str
    until_ms: int
    role: str
    project: str
    named: str
    mark: str
    shared: bool
    chinese: bool


@dataclass(slots=True)
class Late:
    """An event that is heard long after it happened: its id, when that was (seconds since 1970), and whose memory it came to.

    `told`: what came of what it asked for; `faults`: what of it could not be kept.
    """

    id: str
    at_s: float
    role: str = ""
    told: list[str] = field(default_factory=list)
    faults: list[MemdError] = field(default_factory=list)


@dataclass(slots=True)
class Attending:
    """An event with what it concerns: the conversation, the role (as it is called), the name of its session.

    `person`: who gets what one says of oneself; `project`, with the `address` of its role; `elsewhere`: the workspace that has its memory.
    `fresh`: it was not kept yet; `undo`: what takes back that the agent was told, where it was gone by then;
    `brought`: what its prompt brought to mind.
    """

    store: Store
    walks: Walks
    event: HookEvent
    talk: Conversation
    name: str
    role: str = ""
    title: str = ""
    trouble: str = ""
    person: str = ""
    project: str = ""
    address: str = ""
    elsewhere: str = ""
    fresh: bool = True
    undo: list[Callable[[], None]] = field(default_factory=list)
    late: Late | None = None
    brought: tuple[TriggerRequest, dict[str, Any]] | None = None

    @property
    def whose(self) -> str:
        """The role as a call names it: in a project what stands for it, so that each text finds its home."""
        return self.address or self.role

    @property
    def opening(self) -> OpenRequest:
        """The session to open where there is none yet."""
        event = self.event
        return OpenRequest(self.name, self.role, engine=event.agent, project=self.project, shared=event.shared)

    def is_gone(self) -> bool:
        """Tell whether nobody waits for the answer any more."""
        return self.late is not None or 0 < self.event.until_ms < self.store.ports.now() * 1000

    def take_back(self) -> None:
        """Let what was not told be told another time."""
        while self.undo:
            self.undo.pop()()


async def find_role(one: Attending) -> None:
    """Find whose memory this is: as the hook's line says, else as the directory that the agent works in does."""
    from memd.service.scope import Place, scope_of  # noqa: PLC0415  a hook's verb alone needs neither

    store = one.store
    try:
        if one.event.role:
            one.role = one.person = (await store.role(one.event.role)).name
        else:
            found = await scope_of(
                store, Place(one.event.project, one.event.named, one.event.mark, shared=one.event.shared)
            )
            one.role, one.person, one.project = found.role, found.person, found.project
            one.address = found.address if found.project else ""
            one.elsewhere = found.elsewhere
    except RoleUnknownError as error:
        logger.warning("a hook of %s has no role: %s", one.event.agent, error)
        one.trouble = f"memd recalls nothing here: {error}. hooks.role in memd.toml, or --role in the hook, names one."
        return
    called = (await store.role(one.role)).own.profile.display_name
    safe = await safe_text(store, called, ALL)
    one.title = title_of(called if safe == called else "", one.role)


async def snapshot(one: Attending, room_units: int) -> str:
    """Return curated memory as it is now, frozen, within a room; where it has none, it waits for the next prompt."""
    talk, digest = one.talk, ""
    try:
        taken = await take_snapshot(one.store)
        digest, found = taken.digest, taken.sections
    except MemdError as error:  # it cannot be stored, for want of room or of leave; it can be told
        logger.warning("a snapshot was not stored: %s", error)
        frozen, _ = await freeze_now(one.store)
        found = sections_of(loads(frozen.text.encode("utf-8", "surrogatepass")))
    sections = [Section(part.name, part.title, part.content) for part in found]
    reads = own_line("curated", "read", "--workspace", one.store.path)
    text = snapshot_text(sections, one.store.path, one.title, room_units, reads)
    talk.lost = bool(sections) and not text
    if not talk.lost:
        talk.digest = digest or talk.digest
    one.undo.append(lambda: _lose(talk))
    return text


def _lose(talk: Conversation) -> None:
    talk.lost, talk.digest = True, ""


async def status_line(one: Attending) -> str:
    """Return how memory stands, for the person whose window begins; "" where nobody is there to read it.

    A window waits no longer for counts than a prompt does for the turn before it; what they began is ended all the same.
    """
    if one.event.source in WITHIN or one.elsewhere or one.is_gone():
        return ""
    task: asyncio.Task[Any] = asyncio.create_task(_counts(one))
    tasks = one.store.working.attended.tasks
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    await asyncio.wait({task}, timeout=BEHIND_S)
    counts = task.result() if task.done() else None
    told = status_text(counts, one.walks.standing(one.store), role=one.role, chinese=one.event.chinese)
    return placed(told, one.store.path)


async def _counts(one: Attending) -> tuple[int, int] | None:
    """Return how many memories there are, and how many texts wait for a person; None where that cannot be read."""
    store, names = one.store, {one.role, one.person or one.role} - {""}
    count = 0
    try:
        await make_ready(store)
        for name in names:
            role = await store.role(name)
            async with role.turn:
                await store.follow(role)
                count += role.count
    except MemdError as error:
        logger.warning("memories were not counted: %s", error)
        return None
    waiting = [*store.keeping.quarantine.held.values(), *store.keeping.inbox.waiting.values()]
    return count, sum(entry.get("role") in names for entry in waiting)


async def recalled(one: Attending, found: list[str], room_units: int) -> str:
    """Return what a prompt brings to mind, within a room; `found` gets the ids of the role's own."""
    role = await one.store.role(one.role)
    room = min(MEMORY_UNITS, max(LEAST_CHARS, room_units))
    budget = min(one.store.settings_of(role).injection.budget_chars, room)
    window = one.store.recalled.talk(one.role, one.name).injected if one.name else {}
    before = dict(window)

    def forget() -> None:
        for key in [key for key in window if key not in before]:
            del window[key]

    one.undo.append(forget)
    while True:
        request = TriggerRequest(role=one.role, message=one.event.message, session=one.name, budget=budget)
        reply = await one.walks.trigger(one.store, request)
        if units(reply["content"]) <= room or budget <= LEAST_CHARS:
            break
        forget()  # a text of emoji is twice as long for the agent
        budget = max(LEAST_CHARS, budget // 2)
    one.brought = request, reply
    found += [
        str(memory["id"])
        for memory in reply["activated"]
        if memory.get("role") == one.role and memory["kind"] != "said"
    ]
    content: str = reply["content"]
    return content


async def asked(one: Attending, message: str) -> str:
    """Return what to do where the user asks that something be remembered; `message`: what of the prompt is not done yet."""
    asking = [line for line in message.splitlines()[:MOST_LINES] if asked_to_remember(line)]
    found: list[Way] = []
    for text in asking if len(asking) > 1 else [message]:
        ruling = await one.walks.check(one.store, GuardRequest(message=text, role=one.whose or MAIN, session=one.name))
        found += ways(one.store, ruling) if ruling["action"] == "ask_remember" else []
    return asked_text(found, shortened=len(one.event.message) > LONGEST)


async def carried_out(one: Attending, heard: Heard) -> None:
    """Do what a prompt asks of memory; what is not done before the asker goes is told with the next prompt."""
    wishes, prompt = one.talk.wishes, prompt_of(one)
    if wishes.work is not None and not wishes.work.done():
        await asyncio.wait({wishes.work}, timeout=BEHIND_S)
    task = wishes.work = asyncio.create_task(one.walks.carry_out(one.store, one.talk, prompt, heard))
    tasks = one.store.working.attended.tasks
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    left_s = one.event.until_ms / 1000 - one.store.ports.now() - SPARE_S
    await asyncio.wait({task}, timeout=max(0.0, left_s) if one.event.until_ms else None)
    if task.done():
        task.result()


def prompt_of(one: Attending) -> Prompt:
    """Return an event's prompt as it is listened to."""
    event, late = one.event, one.late or Late("", 0.0)
    only = OTHERS if event.shared else PERSONS if one.elsewhere else ""
    return Prompt(
        one.role, one.name, event.key or late.id, event.message, one.trouble, late.at_s, one.person, one.address, only
    )


def carried(one: Attending) -> str:
    """Return what came of what was asked of memory, and is told now."""
    waiting = one.talk.wishes.told
    told, waiting[:] = list(waiting), []

    def untell() -> None:
        waiting[:0] = told

    one.undo.append(untell)
    return "\n".join([afterwards(one), *told]).lstrip("\n")


def afterwards(one: Attending) -> str:
    """Return what came of what was asked for while no daemon ran, and is told now."""
    unheard = one.store.unheard
    told = unheard.take(one.role)
    if told:
        one.undo.append(lambda: unheard.give_back(told))
    return "\n".join(result.text for result in told)


async def proposals(one: Attending, room_units: int) -> str:
    """Return what waits to be told of this role and is not known meanwhile; what has room waits no longer."""
    talk = one.talk
    if talk.wishes.silent:
        return ""
    if talk.work is not None and not talk.work.done():
        await asyncio.wait({talk.work}, timeout=BEHIND_S)
    waiting = [found for found in talk.waiting if found["remember"]["role"] == one.role]
    new = [found for found in waiting if await one.walks.is_new(one.store, found["remember"])][:MOST_TOLD]
    text, count = proposals_text(
        [(found, _way(one.store, {**found["remember"], "role": one.whose})) for found in new], room_units
    )
    kept = new[count:]
    talk.waiting = [found for found in talk.waiting if found in kept or found not in waiting]
    one.undo.append(lambda: talk.waiting.extend(new[:count]))
    return text


async def part(telling: Awaitable[str], what: str) -> str:
    """Return one part of what is told; the others are told though it fails."""
    try:
        return await telling
    except MemdError as error:
        logger.warning("a hook goes without %s: %s", what, error)
        return ""


def ways(store: Store, ruling: Mapping[str, Any]) -> list[Way]:
    """Return the remember calls of a ruling, each so that it can be made from anywhere."""
    place = f" --workspace {shlex.quote(store.path)}"
    calls = zip(ruling["remember"], ruling["commands"], strict=True)
    return [Way({key: value for key, value in call.items() if key in OF_TOOL}, line + place) for call, line in calls]


def _way(store: Store, call: Mapping[str, Any]) -> Way:
    words = [*own_command(), "remember", call["role"], call["content"], "--source", call.get("source", "user")]
    words += ["--explicit"] * bool(call.get("explicit"))
    return Way(call, shlex.join([*words, "--workspace", store.path]))
