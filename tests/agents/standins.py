"""Stand-ins for the models behind agents: loopback servers that speak their protocols, say what a test tells them, and keep
every request they get. Nothing of an agent leaves the machine.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes."""

    tool: str
    given: dict[str, Any]


Said = str | Call


class Server(ThreadingHTTPServer):
    """Listens on a port of its own."""

    daemon_threads = True
    standin: Standin


@dataclass
class Standin:
    """A model. `script` is what it says, turn by turn; at its end it says OK. `asked` has every request with tools."""

    script: deque[Said] = field(default_factory=deque)
    asked: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.standin = self
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def next(self, body: dict[str, Any]) -> Said:
        with self.lock:
            if not body.get("tools"):
                return "OK"
            self.asked.append(body)
            return self.script.popleft() if self.script else "OK"

    def seen(self, turn: int = -1) -> str:
        """What the model was shown in a turn, as text."""
        return json.dumps(self.asked[turn], ensure_ascii=False)

    def is_asked(self, path: str) -> bool:
        raise NotImplementedError

    def answer(self, said: Said, body: dict[str, Any]) -> bytes:
        raise NotImplementedError


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        self.reply(404, b"{}", "application/json")

    do_HEAD = do_GET  # noqa: N815  the name that the server looks for

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        standin = self.server.standin
        if not standin.is_asked(self.path):
            self.reply(404, b"{}", "application/json")
            return
        body = json.loads(data)
        self.reply(200, standin.answer(standin.next(body), body), "text/event-stream")

    def reply(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def events(found: Iterable[dict[str, Any]], *, named: bool = True) -> bytes:
    """Return server-sent events."""
    return b"".join(
        (f"event: {one['type']}\n" if named else "").encode() + f"data: {json.dumps(one)}\n\n".encode() for one in found
    )


class Anthropic(Standin):
    """The Messages API."""

    def is_asked(self, path: str) -> bool:
        return path.partition("?")[0] == "/v1/messages"

    def answer(self, said: Said, body: dict[str, Any]) -> bytes:
        usage = {"input_tokens": 10, "output_tokens": 5}
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        if isinstance(said, str):
            block: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": said}
        else:
            block = {"type": "tool_use", "id": f"toolu_{len(self.asked)}", "name": said.tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(said.given)}
        why = "end_turn" if isinstance(said, str) else "tool_use"
        return events(
            [
                {"type": "message_start", "message": message},
                {"type": "content_block_start", "index": 0, "content_block": block},
                {"type": "content_block_delta", "index": 0, "delta": delta},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage},
                {"type": "message_stop"},
            ]
        )


class OpenAI(Standin):
    """The Responses API."""

    def is_asked(self, path: str) -> bool:
        return path == "/v1/responses"

    def answer(self, said: Said, body: dict[str, Any]) -> bytes:
        number = len(self.asked)
        if isinstance(said, str):
            item: dict[str, Any] = {
                "type": "message", "role": "assistant", "id": f"msg_{number}",
                "content": [{"type": "output_text", "text": said}],
            }  # fmt: skip
        else:
            item = {
                "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": said.tool,
                "arguments": json.dumps(said.given),
            }  # fmt: skip
        usage = {
            "input_tokens": 10, "input_tokens_details": None, "output_tokens": 5, "output_tokens_details": None,
            "total_tokens": 15,
        }  # fmt: skip
        return events(
            [
                {"type": "response.created", "response": {"id": f"resp_{number}"}},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}},
            ]
        )


class Gemini(Standin):
    """The Gemini API."""

    def is_asked(self, path: str) -> bool:
        return ":streamGenerateContent" in path

    def answer(self, said: Said, body: dict[str, Any]) -> bytes:
        part: dict[str, Any] = {"text": said} if isinstance(said, str) else {}
        if isinstance(said, Call):
            part = {"functionCall": {"name": said.tool, "args": said.given}}
        reply = {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": "m",
        }
        return events([reply], named=False)
