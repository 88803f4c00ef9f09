"""A session's log, and what was said in it: turns, and the statements that consolidation takes from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

# A session: the events of one conversation, in the order they were appended.
#
# Visible means: part of the conversation that a model is shown again. What is not visible is in the file and in search.
#
# Source
#     docs/design/origins.md#the-blueprint-of-an-engine: messages, usage, prompt snapshots, tool calls and results,
#     evidence, acceptance.


class EventKind(StrEnum):
    """What an event is."""

    OPENED = "opened"
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    USAGE = "usage"
    PROMPT_SNAPSHOT = "prompt_snapshot"
    INJECTED = "injected"
    EVIDENCE = "task_evidence"
    ACCEPTANCE = "acceptance"
    FALLBACK = "fallback"
    NOTE = "note"
    RUN_STARTED = "run_started"
    RUN_COMPLETED = "run_completed"
    CLOSED = "closed"


SPEAKERS = ("user", "assistant", "system", "tool")
VISIBLE = frozenset((EventKind.MESSAGE, EventKind.TOOL_CALL, EventKind.TOOL_RESULT))
# What memd itself writes when a session, a run or a task changes; nobody else may.
RESERVED = frozenset(
    (EventKind.OPENED, EventKind.CLOSED, EventKind.RUN_STARTED, EventKind.RUN_COMPLETED, EventKind.ACCEPTANCE)
)
USAGE_KEYS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost")


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a session. `id` is unique everywhere; `seq` counts from 1 in this session; `said` has the rest.

    `foreign`: written by somebody else than memd, and so without key and checksum.
    """

    seq: int
    id: str
    kind: str
    at: str
    said: Mapping[str, Any]
    foreign: bool = False

    @property
    def visible(self) -> bool:
        """Whether it is part of the conversation."""
        return is_visible(self.said, self.kind)

    @property
    def run(self) -> str:
        """The run it belongs to, or ""."""
        return str(self.said.get("run", ""))


def is_visible(said: Mapping[str, Any], kind: str) -> bool:
    """Tell whether an event is part of the conversation: as it says, else by its kind."""
    told = said.get("context_visible")
    return told if isinstance(told, bool) else kind in VISIBLE


def is_said(event: Event) -> bool:
    """Tell whether an event is a turn: a message, or what a tool returned, that is part of the conversation."""
    text = event.said.get("content")
    said = event.kind in (EventKind.MESSAGE, EventKind.TOOL_RESULT) and event.visible
    return said and isinstance(text, str) and bool(text.strip())


def own_number(event: Event, writer: str) -> int | None:
    """Return the number under which a writer wrote an event, None where it is not its own."""
    own, _, rest = event.id.partition("-")
    number = rest.partition("-")[0]
    is_own = not event.foreign and own == writer and number.isascii() and number.isdigit()
    return int(number) if is_own else None


@dataclass(slots=True)
class Usage:
    """Tokens and cost of a session or a run, summed."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float = 0.0
    calls: int = 0

    def add(self, said: Mapping[str, Any]) -> None:
        """Add what one usage event says."""
        for key in USAGE_KEYS:
            value = said.get(key)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                setattr(self, key, getattr(self, key) + value)
        self.calls += 1

    def view(self) -> dict[str, Any]:
        """Return what is not nothing."""
        values = {key: getattr(self, key) for key in (*USAGE_KEYS, "calls")}
        return {key: round(value, 6) if key == "cost" else value for key, value in values.items() if value}


class Turn(NamedTuple):
    """One message of a session. `number`: its place there, from 1; `speaker`: user, assistant, tool or system; `at_s` in seconds since 1970."""

    number: int
    speaker: str
    text: str
    at_s: float


class LetGo(NamedTuple):
    """A statement of the user that tells nothing that lasts, and why."""

    text: str
    turn: int
    why: str


class Told(NamedTuple):
    """A statement of a turn, such that it can stand by itself.

    `source`: user or agent, who said it; `turn`: the number of the turn that settles it; `proof`: of all turns that it is
    made of; `asked`: somebody asked for it to be remembered; `delicate`: why it should wait for a person, "" where it need not;
    `follows`: it goes on in the sentence of the statement before it; `after`: what was said right before it, its end;
    `own`: it is of a remark out of character.
    """

    text: str
    source: str
    turn: int
    at_s: float
    proof: tuple[int, ...]
    asked: bool = False
    delicate: str = ""
    follows: bool = False
    after: str = ""
    own: bool = False
