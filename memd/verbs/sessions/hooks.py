"""The verb of agents' hooks: what one is told of an event, and what is kept of it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, convert

from memd.model.agents import MEANINGS
from memd.protocol.fields import Message, Request
from memd.protocol.sessions import AttendedEvent
from memd.service.work.attending import attend
from memd.verbs.declared import Service, verb

Agent = Annotated[str, Meta(pattern="^[a-z][a-z0-9_-]{0,19}$", description="claude, codex, gemini, vscode, or another")]
Meaning = Annotated[str, Meta(pattern=f"^({'|'.join(MEANINGS)})$", description="what happened")]


class AttendEvent(Request):
    """One event of an agent; its `session` and `key` are the agent's own."""

    agent: Agent
    event: Meaning
    session: Annotated[str, Meta(max_length=200, description="the agent's id of the conversation")] = ""
    key: Annotated[str, Meta(max_length=200, description="the agent's id of the turn or the call")] = ""
    source: Annotated[str, Meta(max_length=200, description="why a window begins or is compacted")] = ""
    message: Annotated[Message, Meta(description="the prompt")] = ""
    reply: Annotated[Message, Meta(description="what the agent answered at the end of a turn")] = ""
    tool: Annotated[str, Meta(max_length=200, description="the tool's name as the agent knows it")] = ""
    input: Annotated[
        dict[str, Any] | Annotated[str, Meta(max_length=1_000_000)],
        Meta(description="of the tool: an object, or a text such as a patch"),
    ] = ""
    until_ms: Annotated[
        int,
        Meta(
            ge=0, le=2**53, description="when the asker goes, in ms since 1970: later it is told nothing; 0: it stays"
        ),
    ] = 0
    role: Annotated[str, Meta(max_length=200, description="else the directory that the agent works in decides")] = ""
    project: Annotated[str, Meta(max_length=200, description="of that directory, host/owner/name by its origin")] = ""
    named: Annotated[str, Meta(max_length=200, description="the role that its .memd-role names")] = ""
    mark: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$", description="of that file's place and what it says")] = ""
    shared: Annotated[
        bool,
        Meta(description="the person's own workspace sent the hook here: what they say of themselves is kept there"),
    ] = False
    chinese: Annotated[bool, Meta(description="the person reads Chinese, as the agent's locale says")] = False


@verb("hook.event", writes=True)
async def attend_event(service: Service, asked: AttendEvent) -> AttendedEvent:
    """Answer an agent's hook, and keep what was said."""
    if asked.event != "tool":
        await service.walks.take_in(service.store, service.walks, asked.until_ms)
    return convert(await attend(service.store, service.walks, asked), AttendedEvent)
