"""Standard input, line by line: what is no frame of the protocol is answered as such, where the SDK would be silent."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import threading
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

logger = logging.getLogger(__name__)

STDIN = 0
WAITING = 64  # lines that were read and not served yet
DIGITS = 4000  # of a number; Python converts no more than 4,300


class Lines:
    """The lines of standard input that are frames. `answers` takes what the others are answered."""

    def __init__(self) -> None:
        self.answers: Any = None
        self._came: asyncio.Queue[bytes] = asyncio.Queue(WAITING)

    def __aiter__(self) -> AsyncIterator[str]:
        """Return the frames as text, until standard input ends."""
        return self._frames()

    async def _frames(self) -> AsyncIterator[str]:
        threading.Thread(target=self._read, args=(_claimed(), asyncio.get_running_loop()), daemon=True).start()
        while line := await self._came.get():
            text = line.decode("utf-8", "replace")
            if not text.strip():
                continue
            frame, fault = readable(text)
            if frame:
                yield frame
            elif fault is not None and self.answers is not None:
                await self.answers.send(SessionMessage(fault))

    def _read(self, wire: BinaryIO, loop: asyncio.AbstractEventLoop) -> None:
        """Read in a thread of its own, which ends with the process: nothing else can be done about a read that waits."""
        line = b"x"
        while line:
            line = wire.readline()
            with contextlib.suppress(RuntimeError):  # the loop has ended
                asyncio.run_coroutine_threadsafe(self._came.put(line), loop).result()


def _claimed() -> BinaryIO:
    """Return standard input, which from then on is empty for everybody else in this process."""
    wire = os.fdopen(os.dup(STDIN), "rb")
    ended, far_end = os.pipe()
    os.close(far_end)
    os.dup2(ended, STDIN)
    os.close(ended)
    return wire


def readable(text: str) -> tuple[str, JSONRPCError | None]:
    """Return a frame as the SDK reads it, halves of characters mended; or "" and what to answer, None for a bad answer."""
    if _fits(text):
        return text, None
    try:
        value = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        return "", _error(None, PARSE_ERROR, f"this is not JSON that can be read: {str(error)[:200]}")
    if not isinstance(value, dict):
        return "", _error(None, INVALID_REQUEST, "a frame is one JSON object; batches are not taken")
    mended = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\\ud" in text.lower() and _fits(mended):
        return mended, None
    if "method" not in value and ("result" in value or "error" in value):
        logger.info("a client answered with something that cannot be read")
        return "", None
    known = value.get("id")
    why = 'this is no JSON-RPC 2.0 request: it needs "jsonrpc": "2.0" and a method, and no endless number or depth'
    return "", _error(known if isinstance(known, (str, int)) else None, INVALID_REQUEST, why)


def _fits(text: str) -> bool:
    try:
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except (ValidationError, ValueError):
        return False
    return True


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= DIGITS else digits


def _error(known: str | int | None, number: int, why: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=number, message=why))
