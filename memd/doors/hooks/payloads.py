"""What an agent sends its hook, as the parameters of `hook.event`; the one question to the daemon; its reply, as the agent's schema allows.

Payloads come from another program: what is missing or of another type is "", never an error. Lighter than memd.client, which
costs a hook its time.
"""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Mapping
from math import isfinite
from typing import Any

from memd.model.agents import CONTEXT_UNITS, EVENTS, clipped
from memd.whereabouts import is_ours, peer_uid

FRAME_BYTES = 900_000  # the daemon takes 1 MiB; what is longer is cut
CUTS_CHARS = (800_000, 200_000, 40_000, 4_000, 400)  # of each text, until the frame fits
DEEPEST = 24  # of a tool's input; the guard reads less, and the daemon takes 64 at most
INPUT_CHARS = 100_000  # of each text in it: what the guard reads within a hook's time
BLANKS = re.compile(r"\s{17,}")
ALLOWING = ("claude", "vscode")
SHOWING = ("claude", "codex", "gemini")  # to the person, what is for them; VS Code shows that as a warning
SESSION = ("session_id", "sessionId")
NAME = ("hook_event_name", "hookEventName")
KEYS = {"prompt": ("prompt_id", "turn_id"), "stop": ("prompt_id", "turn_id"), "tool": ("tool_use_id", "toolUseId")}
REPLY = ("last_assistant_message", "prompt_response")
SOURCE = ("source", "trigger", "reason")
# Gemini CLI puts what SessionStart was answered before the first prompt of a run without a terminal.
ADDED = ("<hook_context>", "</hook_context>")


def params_of(agent: str, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the parameters of hook.event, None for an event that memd has no use for."""
    event = EVENTS[agent].get(_text(payload, NAME))
    if event in (None, "ask"):
        return None
    params: dict[str, Any] = {"agent": agent, "event": event, "session": _text(payload, SESSION)[:200]}
    params["key"] = _text(payload, KEYS.get(event, ()))[:200]
    if event in ("start", "compact", "end"):
        params["source"] = _text(payload, SOURCE)[:200]
        if (agent, event, params["source"]) == ("gemini", "compact", "auto"):
            return None  # it is sent before every turn, and says only that Gemini CLI will look whether it should
    elif event == "prompt":
        message = _text(payload, ("prompt",))
        params["message"] = _without_added(message) if agent == "gemini" else message
    elif event == "stop":
        params["reply"] = _text(payload, REPLY)
    elif event == "tool":
        given = payload.get("tool_input", payload.get("toolInput"))
        params["tool"] = _text(payload, ("tool_name", "toolName"))[:200]
        params["input"] = _input(given)
    return {key: value for key, value in params.items() if value not in ("", {})}


def output_of(agent: str, payload: Mapping[str, Any], reply: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the agent is told, None where there is nothing to tell it."""
    name = _text(payload, NAME)
    event = EVENTS[agent].get(name)
    text = clipped(_text(reply, ("text",)), CONTEXT_UNITS)
    if event in ("start", "prompt"):
        return _told(agent, name, text, _text(reply, ("status",)))
    reason = clipped(_text(reply, ("reason",)), CONTEXT_UNITS)
    if event != "tool" or reply.get("action") != "deny" or not reason:
        return None
    if agent == "gemini":
        return {"decision": "deny", "reason": reason}
    denied = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": name, **denied}}


def _told(agent: str, name: str, text: str, status: str) -> dict[str, Any] | None:
    """Return what goes into the agent's window, and what the person is shown."""
    shown = {"systemMessage": status} if status and agent in SHOWING else {}
    told = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}} if text else {}
    return {**shown, **told} or None


def passing_of(agent: str, payload: Mapping[str, Any], reason: str) -> dict[str, Any] | None:
    """Return what lets a call pass without a question, None where the agent takes no such answer to this event.

    Codex takes it where it is about to ask, and calls it an error before that. Gemini CLI has asked by the time its hooks run.
    """
    name = _text(payload, NAME)
    if EVENTS[agent].get(name) == "ask":
        return {"hookSpecificOutput": {"hookEventName": name, "decision": {"behavior": "allow"}}}
    if EVENTS[agent].get(name) != "tool" or agent not in ALLOWING:
        return None
    allowed = {"permissionDecision": "allow", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": name, **allowed}}


def frame_of(params: dict[str, Any]) -> bytes:
    """Return the request as one line that the daemon takes; texts that are too long for it are cut."""
    for most in CUTS_CHARS:
        frame = _dump(_cut(params, most))
        if len(frame) <= FRAME_BYTES:
            return frame
    return _dump(_cut({**params, "input": {}}, CUTS_CHARS[-1]))


def _dump(params: Any) -> bytes:
    request = {"jsonrpc": "2.0", "id": 1, "method": "hook.event", "params": params}
    return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"


def _cut(params: Mapping[str, Any], most: int) -> dict[str, Any]:
    given = _strict(params.get("input", ""), min(most, INPUT_CHARS), both_ends=True)
    return {**{key: _strict(one, most) for key, one in params.items()}, **({"input": given} if given else {})}


def _input(given: Any) -> Any:
    """Return a tool's input as the guard reads it; a list is a list of files, or the words of a command."""
    if isinstance(given, list):
        words = [one for one in given if isinstance(one, str)]
        return {"files": [one for one in given if isinstance(one, dict)], **({"command": words} if words else {})}
    return given if isinstance(given, (dict, str)) else {}


def _strict(value: Any, most: int, *, both_ends: bool = False, depth: int = 0) -> Any:
    """Return a value that the protocol takes: no NUL, no half characters, no endless numbers, no endless depth."""
    if isinstance(value, str):
        return _shortened(_mended(value), most, both_ends=both_ends)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if not isinstance(value, (dict, list)):
        return value
    if depth == DEEPEST:
        return None
    if isinstance(value, list):
        return [_strict(one, most, both_ends=both_ends, depth=depth + 1) for one in value]
    return {_mended(key): _strict(one, most, both_ends=both_ends, depth=depth + 1) for key, one in value.items()}


def _mended(text: str) -> str:
    text = text.replace("\0", "")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _shortened(text: str, most: int, *, both_ends: bool) -> str:
    """Return as much of a text; what a call does may stand at its end, behind nothing but blanks."""
    if len(text) <= most or not both_ends:
        return text[:most]
    text = BLANKS.sub(lambda blanks: "\n" if "\n" in blanks[0] else " ", text)
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-(most // 2) :]}"


def _without_added(prompt: str) -> str:
    while prompt.startswith(ADDED[0]) and ADDED[1] in prompt:
        prompt = prompt.partition(ADDED[1])[2].lstrip("\n")
    return prompt


def _text(payload: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        found = payload.get(name)
        if isinstance(found, str) and found:
            return found
    return ""


# One question to a daemon over its socket, within deadlines.

CONNECT_S = 0.15
READ_BYTES = 65_536
REPLY_BYTES = 4_000_000


class NoAnswerError(Exception):
    """The daemon refused, or did not answer in time; the text says which."""


class LateError(NoAnswerError):
    """The daemon did not answer in time."""


class LostError(NoAnswerError):
    """The daemon went away while it was asked: perhaps it heard, perhaps not."""


class StrangerError(NoAnswerError):
    """Somebody else listens at the socket, and was asked nothing."""


def ask(path: str, frame: bytes, deadline_s: float) -> dict[str, Any] | None:
    """Return the result of one request, None where no daemon listens. Only this user's daemon, or root's, is asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talk:
        talk.settimeout(CONNECT_S)
        try:
            talk.connect(path)
        except OSError:
            return None
        if not is_ours(talk):
            raise StrangerError(f"who listens at {path} is user {peer_uid(talk)}, not you, and was asked nothing")
        try:
            reply = json.loads(_exchange(talk, frame, time.monotonic() + deadline_s))
        except TimeoutError:
            raise LateError(f"no answer within {deadline_s:g} s") from None
        except OSError as error:
            raise LostError(f"it went away: {error}") from None
        except ValueError as error:
            raise NoAnswerError(f"no answer that can be read: {error}") from None
    refused, result = reply.get("error"), reply.get("result")
    if isinstance(refused, dict):
        raise NoAnswerError(str(refused.get("message", "the daemon refused")))
    return result if isinstance(result, dict) else None


def _exchange(talk: socket.socket, frame: bytes, until: float) -> bytes:
    def left_s() -> float:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    talk.settimeout(left_s())
    talk.sendall(frame)
    pieces: list[bytes] = []
    count = 0
    while count <= REPLY_BYTES:
        talk.settimeout(left_s())
        piece = talk.recv(READ_BYTES)
        pieces.append(piece)
        count += len(piece)
        if not piece:
            raise ConnectionResetError("the answer has no end")
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)
