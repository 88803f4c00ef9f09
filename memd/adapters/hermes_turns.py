"""What hermes says of a conversation, as events of a session and as messages to propose from. Pure.

Source
    Messages are OpenAI-style: `role`, `content` (a text, or parts with `text`), `tool_calls`, `tool_call_id`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from memd.model.names import is_name

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
