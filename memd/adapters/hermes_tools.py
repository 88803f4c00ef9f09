"""The tools that hermes' model is given: what each is for, which method it is, and what of the reply it reads. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memd.model.names import is_name


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters` are JSON Schemas by name, the `required` first; `shown` are the keys of the reply that are passed on."""

    name: str
    method: str
    description: str
    parameters: Mapping[str, dict[str, Any]]
    shown: tuple[str, ...]
    required: int = 1
    writes: bool = False
    of_role: bool = True
    renamed: Mapping[str, str] = field(default_factory=dict)

    def schema(self) -> dict[str, Any]:
        """Return the tool as OpenAI's function calling has it."""
        properties = {name: dict(one) for name, one in self.parameters.items()}
        required = list(self.parameters)[: self.required]
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {"type": "object", "properties": properties, "required": required},
        }

    def params(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the method's parameters for what the model gave; what it made up is left out."""
        return {self.renamed.get(name, name): given[name] for name in self.parameters if name in given}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


_ID = _text("The id of the memory, as memory_search tells it.")
TOOLS: tuple[Tool, ...] = (
    Tool(
        "memory_trigger",
        "trigger",
        "What comes to mind for a message or a subject: memories of this user, ranked, ready to read.",
        {"message": _text("The message or the subject, in the user's own words.")},
        ("content",),
    ),
    Tool(
        "memory_search",
        "search",
        'Search memories, pages, sessions, runs and skills: words, "phrases", wild*cards, field:value.',
        {"query": _text("What to look for."), "limit": {"type": "integer", "minimum": 1, "maximum": 50}},
        ("hits", "total"),
        of_role=False,
    ),
    Tool(
        "memory_remember",
        "remember",
        "Offer one definite statement to keep. It is judged; the answer says whether it was kept, and why.",
        {
            "content": _text("One statement that stands for itself."),
            "asked": {"type": "boolean", "description": "True where the user asked to remember it."},
        },
        ("stored", "id", "verdict", "reason", "hint"),
        writes=True,
        renamed={"asked": "explicit"},
    ),
    Tool(
        "memory_update",
        "memory.update",
        "Correct what a memory says.",
        {"id": _ID, "content": _text("What it says from now on.")},
        ("id", "content"),
        required=2,
        writes=True,
    ),
    Tool(
        "memory_forget",
        "memory.forget",
        "Take a memory out of use; the user can bring it back.",
        {"id": _ID, "reason": _text("Why.")},
        ("id", "archived"),
        writes=True,
    ),
)
BY_NAME = {one.name: one for one in TOOLS}
CONFIG: tuple[dict[str, Any], ...] = (
    {"key": "workspace", "description": "The memd workspace (a directory with memd.toml)", "required": True},
    {"key": "role", "description": "The role whose memory it is", "default": "main"},
    {"key": "keep", "description": "Keep what of a turn is worth remembering", "default": "yes", "choices": ["yes", "no"]},
    {"key": "curated", "description": "Put MEMORY.md and USER.md of the workspace in the system prompt", "default": "yes", "choices": ["yes", "no"]},
)  # fmt: skip


# What hermes says of a conversation, as events of a session and as messages to propose from. Pure.
#
# Source
#     Messages are OpenAI-style: `role`, `content` (a text, or parts with `text`), `tool_calls`, `tool_call_id`.

TEXT_CHARS = 100_000  # of one message; hermes has the whole of it
FRAME_CHARS = 200_000  # of one request: four bytes each fit the protocol's frame
MOST_SAID = 200
NAME_CHARS = 200

Message = dict[str, Any]


def session_name(session: str) -> str:
    """Return the name of memd's session for one of hermes': its own where that is a name, else its digest."""
    own = f"hermes-{session}"
    return own if is_name(own) else f"hermes-{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:24]}"


def text_of(content: Any) -> str:
    """Return the words of a message's content, at most TEXT_CHARS of them."""
    if isinstance(content, list):
        content = "\n".join(str(one["text"]) for one in content if isinstance(one, dict) and one.get("text"))
    text = content.encode("utf-8", "replace").decode().replace("\0", "") if isinstance(content, str) else ""
    return text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}\n[{len(text) - TEXT_CHARS} characters more]"


def said(messages: Any) -> list[dict[str, str]]:
    """Return what the user and the assistant said, oldest first: the newest MOST_SAID messages that fit a request."""
    found: list[dict[str, str]] = []
    room = FRAME_CHARS
    for one in reversed(messages if isinstance(messages, list) else []):
        if not isinstance(one, dict) or one.get("role") not in ("user", "assistant"):
            continue
        text = text_of(one.get("content"))
        room -= len(text)
        if room < 0 or len(found) == MOST_SAID:
            break
        if text.strip():
            found.append({"speaker": one["role"], "content": text})
    return found[::-1]


def turn_events(user: str, assistant: str, messages: Any) -> list[dict[str, Any]]:
    """Return the events of a completed turn: what the user said, the calls and results behind it, the answer."""
    begin = {"kind": "message", "speaker": "user", "content": text_of(user)}
    end = {"kind": "message", "speaker": "assistant", "content": text_of(assistant)}
    between = [event for one in _of_the_turn(messages) for event in _tool_events(one)]
    return [event for event in (begin, *between, end) if event["kind"] != "message" or event["content"].strip()]


def batches(events: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield events in their order, as many as fit a request."""
    batch: list[dict[str, Any]] = []
    size = 0
    for event in events:
        chars = len(json.dumps(event, ensure_ascii=False))
        if batch and size + chars > FRAME_CHARS:
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += chars
    if batch:
        yield batch


def _of_the_turn(messages: Any) -> list[Message]:
    found: list[Message] = []
    for one in reversed(messages if isinstance(messages, list) else []):
        if isinstance(one, dict):
            if one.get("role") == "user":
                break
            found.append(one)
    return found[::-1]


def _tool_events(message: Message) -> Iterator[dict[str, Any]]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and function.get("name"):
            event = {"kind": "tool_call", "tool": _short(function["name"]), "call_id": _short(call.get("id"))}
            yield {**_told(event), "arguments": text_of(function.get("arguments"))}
    if message.get("role") == "tool":
        event = {
            "kind": "tool_result",
            "tool": _short(message.get("name")),
            "call_id": _short(message.get("tool_call_id")),
        }
        yield {**_told(event), "content": text_of(message.get("content"))}


def _short(value: Any) -> str:
    return text_of(value)[:NAME_CHARS]


def _told(event: dict[str, str]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if value}
