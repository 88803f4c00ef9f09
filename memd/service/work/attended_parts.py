"""The parts of what an agent is told: the snapshot, what comes to mind, what it should remember, what was worth it."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

from memd.engine.work.briefing import MEMORY_CHARS, Section, Way, asked_text, proposals_text, snapshot_text
from memd.engine.work.runtime import sections_of
from memd.errors import MemdError, RoleUnknownError
from memd.formats.strict_json import loads
from memd.service.memory.guarding import GuardRequest, check
from memd.service.memory.scenes import TriggerRequest
from memd.service.memory.trigger import trigger
from memd.service.work.attended import Conversation
from memd.service.work.noticing import MOST_TOLD, still_new
from memd.service.work.sessions import OpenRequest
from memd.service.work.snapshots import freeze_now, shown, take_snapshot
from memd.service.workspace import Workspace

logger = logging.getLogger(__name__)

MAIN = "main"
OF_TOOL = ("role", "content", "kind", "keys", "tags", "validity", "explicit", "source", "session")  # memory_remember's
LEAST_CHARS = 100  # the least room that a trigger takes
BEHIND_S = 0.3  # a prompt waits this long for what is still done about the turn before it


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One event of an agent. `session` and `key` are the agent's own: of the conversation, and of the turn or call."""

    agent: str
    event: str
    session: str = ""
    key: str = ""
    source: str = ""
    message: str = ""
    reply: str = ""
    tool: str = ""
    given: Mapping[str, Any] | str = ""
    role: str = ""


@dataclass(slots=True)
class Attending:
    """An event with what it concerns: the conversation, the role (as it is called), the name of its session."""

    workspace: Workspace
    event: HookEvent
    talk: Conversation
    name: str
    role: str = ""
    title: str = ""
    trouble: str = ""

    @property
    def opening(self) -> OpenRequest:
        """The session to open where there is none yet."""
        return OpenRequest(self.name, self.role, engine=self.event.agent)


async def find_role(one: Attending) -> None:
    """Find whose memory this is: as the hook says, as the settings say, main, or the only one there is."""
    workspace = one.workspace
    wanted = one.event.role or workspace.settings.hooks.role
    try:
        role = await workspace.role(wanted or MAIN)
    except RoleUnknownError as error:
        names = list(workspace.roles)
        if wanted or len(names) != 1:
            logger.warning("a hook of %s has no role: %s", one.event.agent, error)
            one.trouble = (
                f"memd recalls nothing here: {error}. hooks.role in memd.toml, or --role in the hook, names one."
            )
            return
        role = await workspace.role(names[0])
    one.role, one.title = role.name, role.profile.display_name or role.name


async def snapshot(one: Attending, room_chars: int) -> str:
    """Return curated memory as it is now, frozen, within a room."""
    try:
        taken = await take_snapshot(one.workspace)
        one.talk.digest, found = taken["digest"], taken["sections"]
    except MemdError as error:  # it cannot be stored, for want of room or of leave; it can be told
        logger.warning("a snapshot was not stored: %s", error)
        frozen, _ = await freeze_now(one.workspace)
        found = shown(sections_of(loads(frozen.text.encode("utf-8", "surrogatepass"))))
    one.talk.lost = False
    sections = [Section(file["name"], file["title"], file["content"]) for file in found]
    return snapshot_text(sections, one.workspace.path, one.title, room_chars)


async def recalled(one: Attending, found: list[str], room_chars: int) -> str:
    """Return what a prompt brings to mind, within a room; `found` gets the ids of the role's own."""
    role = await one.workspace.role(one.role)
    budget = min(one.workspace.settings_of(role).injection.budget_chars, MEMORY_CHARS, max(LEAST_CHARS, room_chars))
    reply = await trigger(
        one.workspace, TriggerRequest(one.role, (one.event.message,), session=one.name, budget_chars=budget)
    )
    found += [str(memory["id"]) for memory in reply["activated"] if memory.get("role") == one.role]
    content: str = reply["content"]
    return content


async def asked(one: Attending) -> str:
    """Return what to do where the user asks that something be remembered."""
    ruling = await check(
        one.workspace, GuardRequest(message=one.event.message, role=one.role or MAIN, session=one.name)
    )
    return asked_text(ways(one.workspace, ruling)) if ruling["action"] == "ask_remember" else ""


async def proposals(one: Attending) -> str:
    """Return what waits to be told and is not known meanwhile; it waits no longer."""
    talk = one.talk
    if talk.work is not None and not talk.work.done():
        await asyncio.wait({talk.work}, timeout=BEHIND_S)
    waiting, talk.waiting = talk.waiting, []
    new = [found for found in waiting if await still_new(one.workspace, found["remember"])]
    return proposals_text([(found, _way(one.workspace, found["remember"])) for found in new[:MOST_TOLD]])


async def part(telling: Awaitable[str], what: str) -> str:
    """Return one part of what is told; the others are told though it fails."""
    try:
        return await telling
    except MemdError as error:
        logger.warning("a hook goes without %s: %s", what, error)
        return ""


def ways(workspace: Workspace, ruling: Mapping[str, Any]) -> list[Way]:
    """Return the remember calls of a ruling, each so that it can be made from anywhere."""
    place = f" --workspace {shlex.quote(workspace.path)}"
    calls = zip(ruling["remember"], ruling["commands"], strict=True)
    return [Way({key: value for key, value in call.items() if key in OF_TOOL}, line + place) for call, line in calls]


def _way(workspace: Workspace, call: Mapping[str, Any]) -> Way:
    words = ["memd", "remember", call["role"], call["content"], "--source", call.get("source", "user")]
    words += ["--explicit"] * bool(call.get("explicit"))
    return Way(call, shlex.join([*words, "--workspace", workspace.path]))
