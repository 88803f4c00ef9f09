"""Parameters of the method for agents' hooks."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memd.doors.params import Params
from memd.model.agents import MEANINGS
from memd.verbs.fields import Message

Agent = Annotated[str, Meta(pattern="^[a-z][a-z0-9_-]{0,19}$", description="claude, codex, gemini, vscode, or another")]
Event = Annotated[str, Meta(pattern=f"^({'|'.join(MEANINGS)})$")]


class HookEventParams(Params):
    """One event of an agent; its `session` and `key` are the agent's own."""

    agent: Agent
    event: Event
    session: Annotated[str, Meta(max_length=200, description="the agent's id of the conversation")] = ""
    key: Annotated[str, Meta(max_length=200, description="the agent's id of the turn or the call")] = ""
    source: Annotated[str, Meta(max_length=200, description="why a window begins or is compacted")] = ""
    message: Annotated[Message, Meta(description="the prompt")] = ""
    reply: Annotated[Message, Meta(description="what the agent answered at the end of a turn")] = ""
    tool: Annotated[str, Meta(max_length=200)] = ""
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
    role: Annotated[str, Meta(max_length=200, description="else hooks.role of the settings decides")] = ""
