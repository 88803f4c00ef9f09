"""Conversations as agents keep them: files of the forms that the agents' own programs write, with what they write around them."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

DAY_S = 86_400.0
Turn = tuple[str, str]


def stamp(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@dataclass
class Kept:
    """A home in which agents keep conversations. `at_s`: when the next one begins; each turn takes a minute."""

    home: Path
    at_s: float

    def claude(self, *turns: Turn, session: str = "", cwd: str = "/nowhere/shop", rested: bool = True) -> str:
        session = session or str(uuid.uuid4())
        begun_s = self._begin()
        about = {"isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": session, "version": "2.1.330"}
        lines: list[Any] = [
            {"type": "queue-operation", "operation": "enqueue", "timestamp": stamp(begun_s), "sessionId": session, "content": "?"},
            {"attachment": {"type": "hook_success", "stdout": "I live in Atlantis."}, "type": "attachment", "timestamp": stamp(begun_s), **about},
            {"type": "user", "message": {"role": "user", "content": "<local-command-caveat>I live in Lemuria.</local-command-caveat>"}, "isMeta": True, "timestamp": stamp(begun_s), **about},
        ]  # fmt: skip
        for number, (speaker, text) in enumerate(turns):
            content: Any = (
                text
                if speaker == "user"
                else [{"type": "thinking", "thinking": "I live in Mu."}, {"type": "text", "text": text}]
            )
            lines.append({"parentUuid": None, "type": speaker, "message": {"role": speaker, "content": content}, "uuid": str(uuid.uuid4()), "timestamp": stamp(begun_s + 60 * number), **about})  # fmt: skip
            lines.append({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "I live in Thule."}]}, "toolUseResult": "x", "timestamp": stamp(begun_s + 60 * number), **about})  # fmt: skip
        lines.append({"type": "a-kind-of-next-year", "message": 7, "deep": [[[]]]})
        return self._put(f".claude/projects/-nowhere-shop/{session}.jsonl", lines, session, rested=rested)

    def codex(self, *turns: Turn, session: str = "", cwd: str = "/nowhere/shop") -> str:
        session = session or str(uuid.uuid4())
        begun_s = self._begin()
        day = datetime.fromtimestamp(begun_s, UTC)
        lines: list[Any] = [
            {"timestamp": stamp(begun_s), "type": "session_meta", "payload": {"id": session, "timestamp": stamp(begun_s), "cwd": cwd, "source": "exec", "thread_source": "user", "base_instructions": {"text": "Be brief."}}},
            {"timestamp": stamp(begun_s), "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>I live in Atlantis.</environment_context>"}], "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["environments.environment_context"]}}},
        ]  # fmt: skip
        for number, (speaker, text) in enumerate(turns):
            kind, item = ("input_text", "UserMessage") if speaker == "user" else ("output_text", "AgentMessage")
            at = stamp(begun_s + 60 * number)
            lines.append({"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": speaker, "content": [{"type": kind, "text": text}], "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.text" if speaker == "user" else "unknown"]}}})  # fmt: skip
            lines.append({"timestamp": at, "type": "event_msg", "payload": {"type": "item_completed", "item": {"type": item, "content": [{"type": "text", "text": text}]}}})  # fmt: skip
            lines.append({"timestamp": at, "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "I live in Thule."}})  # fmt: skip
        name = f".codex/sessions/{day:%Y/%m/%d}/rollout-{day:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
        return self._put(name, lines, session)

    def gemini(self, *turns: Turn, session: str = "", cwd: str = "/nowhere/shop") -> str:
        session = session or str(uuid.uuid4())
        begun_s = self._begin()
        day = datetime.fromtimestamp(begun_s, UTC)
        head = {
            "sessionId": session,
            "projectHash": "e2",
            "startTime": stamp(begun_s),
            "lastUpdated": stamp(begun_s),
            "kind": "main",
        }
        said: list[Any] = [
            {
                "id": "0",
                "timestamp": stamp(begun_s),
                "type": "user",
                "content": [{"text": "<session_context>I live in Atlantis.</session_context>"}],
            }
        ]
        for number, (speaker, text) in enumerate(turns, 1):
            hooked = [
                {"text": f"<hook_context>I live in Mu.</hook_context>\n\n{text}"},
                {"text": "<hook_context>&lt;memd-memory 1&gt;</hook_context>"},
            ]
            kind, content = ("user", hooked) if speaker == "user" else ("gemini", text)
            said.append(
                {"id": str(number), "timestamp": stamp(begun_s + 60 * number), "type": kind, "content": content}
            )
        lines = [head, {"$set": {"messages": said[:1]}}, *said[1:], head, {"$set": {"messages": said}}]
        folder = f".gemini/tmp/{session[:4]}"
        self._put(f"{folder}/chats/session-{day:%Y-%m-%dT%H-%M}-{session[:8]}.jsonl", lines, session)
        (self.home / folder / ".project_root").write_text(cwd)
        return session

    def _begin(self) -> float:
        begun_s = self.at_s
        self.at_s += DAY_S
        return begun_s

    def _put(self, name: str, lines: Sequence[Any], session: str, *, rested: bool = True) -> str:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), "utf-8")
        if rested:
            os.utime(path, (time.time() - 2 * DAY_S,) * 2)
        return session
