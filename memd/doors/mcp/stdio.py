"""Serving a client on standard input and output: a thread reads, and others ask the daemon beside it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from memd.doors.mcp.answers import INVALID_REQUEST, PARSE_ERROR, Answers
from memd.doors.mcp.asking import Caller, Desk, InProject
from memd.doors.mcp.session import Session

AT_ONCE = 16  # requests that are carried out beside each other; the next line is read when one of them has ended
LAST_S = 5.0  # so long what was asked before the client closed its end is still answered


class Blocking(Caller, Protocol):
    """Whoever answers the methods of docs/protocol.md, and blocks meanwhile: its coroutines wait for no loop."""

    def happenings(self) -> Iterator[dict[str, Any]]:
        """Yield what changes, for ever; `anew` where something may have been missed before it."""
        ...

    def start(self) -> None:
        """Have somebody there who answers, where that is wanted."""
        ...


def serve(asker: Blocking, own_role: str, place: Mapping[str, str], reach: Callable[[str], Caller]) -> None:
    """Serve the client until it closes its end. `place`: what its directory says of itself; `reach`: the way elsewhere."""
    wire, beside = Wire(), Beside()
    desk = Desk(InProject(asker, place, reach) if place else asker, own_role, place)
    session = Session(Answers(desk), wire, beside.spawn)
    background(lambda: session.follow(asker.happenings))
    begun = False
    for frame in wire.frames():
        session.take(frame)
        if not begun:  # who asks comes first: the answer to initialize waits for nobody
            begun = True
            background(asker.start)
    beside.wait(LAST_S)


class Beside:
    """Work that is done beside the reading, so many at once."""

    def __init__(self) -> None:
        self._room = threading.BoundedSemaphore(AT_ONCE)

    def spawn(self, work: Callable[[], None]) -> None:
        """Begin a piece of work; wait while there are too many."""
        self._room.acquire()
        background(lambda: self._done(work))

    def wait(self, seconds: float) -> None:
        """Wait so long at most until all is done."""
        until_s = time.monotonic() + seconds
        for _ in range(AT_ONCE):
            self._room.acquire(timeout=max(0.0, until_s - time.monotonic()))

    def _done(self, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            self._room.release()


def background(work: Callable[[], object]) -> None:
    """Do something in a thread that ends with the process at the latest."""
    threading.Thread(target=work, daemon=True).start()


# Standard input and output as the protocol's frames: one JSON object a line. What is no frame is answered as such.
#
# Both handles are taken away from everybody else in this process: nothing but the protocol is ever printed there.

STDIN, STDOUT, STDERR = 0, 1, 2
READ_BYTES = 1 << 16
LINE_BYTES = 8 << 20  # the longest request that fits a frame to the daemon is a third of it, however it is escaped
DIGITS = 4000  # of a number; Python converts no more than 4,300
DEPTH = 64  # of objects and lists in each other

Frame = dict[str, Any]


class NoFrameError(Exception):
    """A line that is no request: the protocol's number, why, and the id where it has one."""

    def __init__(self, number: int, why: str, known: str | int | None = None) -> None:
        super().__init__(why)
        self.number, self.known = number, known


class Wire:
    """The two ends of a client. Threads may send; one reads."""

    def __init__(self, come: int = STDIN, go: int = STDOUT) -> None:
        self._come, self._go = _claimed(come, go)
        self._sending = threading.Lock()

    def frames(self) -> Iterator[Frame]:
        """Yield the frames until the client closes its end; answer what is none."""
        for line in self._lines():
            if line is None:
                self.fault(None, INVALID_REQUEST, f"a line has at most {LINE_BYTES} bytes")
            elif line.strip():
                try:
                    yield read(line.decode("utf-8", "replace"))
                except NoFrameError as fault:
                    self.fault(fault.known, fault.number, str(fault))

    def send(self, frame: Frame) -> None:
        """Send a frame. What cannot be sent is let be: the client is gone, and the end of its input tells so."""
        data = json.dumps({"jsonrpc": "2.0", **frame}, ensure_ascii=False, separators=(",", ":"))
        left = memoryview(data.encode("utf-8", "replace") + b"\n")
        with self._sending:
            try:
                while left:
                    left = left[os.write(self._go, left) :]
            except OSError:
                return

    def fault(self, known: str | int | None, number: int, why: str, data: Any = None) -> None:
        """Send an error."""
        more = {} if data is None else {"data": data}
        self.send({"id": known, "error": {"code": number, "message": why, **more}})

    def _lines(self) -> Iterator[bytes | None]:
        """Yield lines; None for each that is longer than can be, when it has ended."""
        begun, long = bytearray(), False
        while piece := os.read(self._come, READ_BYTES):
            *ended, rest = piece.split(b"\n")
            for one in ended:
                begun += b"" if long else one
                yield None if long or len(begun) > LINE_BYTES else bytes(begun)
                begun, long = bytearray(), False
            begun += b"" if long else rest
            if len(begun) > LINE_BYTES:
                begun, long = bytearray(), True
        if long or begun:
            yield None if long else bytes(begun)


def _claimed(come: int, go: int) -> tuple[int, int]:
    """Return handles of one's own; from then on standard input is empty for others, and what they print is an error's."""
    if (come, go) != (STDIN, STDOUT):
        return come, go
    own = os.dup(come), os.dup(go)
    ended, far_end = os.pipe()
    os.close(far_end)
    os.dup2(ended, STDIN)
    os.close(ended)
    os.dup2(STDERR, STDOUT)
    return own


def read(text: str) -> Frame:
    """Return a line's frame, halves of characters mended, or raise NoFrameError."""
    try:
        value = json.loads(text, parse_int=_whole, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise NoFrameError(PARSE_ERROR, f"this is not JSON that can be read: {str(error)[:200]}") from None
    if not isinstance(value, dict):
        raise NoFrameError(INVALID_REQUEST, "a frame is one JSON object; batches are not taken")
    known = value.get("id")
    known = known if isinstance(known, (str, int)) and not isinstance(known, bool) else None
    if not _has_parts(value) or (text.count("{") + text.count("[") > DEPTH and _is_deep(value)) or _has_endless(value):
        why = 'this is no JSON-RPC 2.0 request: it needs "jsonrpc": "2.0" and a method, and no endless number or depth'
        raise NoFrameError(INVALID_REQUEST, why, known)
    if "\\ud" in text.lower():
        return _mended(value)
    return value


def _has_parts(value: Frame) -> bool:
    if value.get("jsonrpc") != "2.0":
        return False
    if "method" not in value:
        return "result" in value or "error" in value  # an answer, which nobody here waits for
    known = value.get("id", 0)
    fits = isinstance(known, (str, int)) and not isinstance(known, bool)
    return fits and isinstance(value["method"], str) and isinstance(value.get("params", {}), dict)


class Endless(str):
    """What stands for a number of more digits than anybody counts."""

    __slots__ = ()


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= DIGITS else Endless(digits)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _has_endless(value: Any) -> bool:
    """Tell whether an endless number is in it. Its depth is known to be small."""
    if isinstance(value, dict):
        return any(map(_has_endless, value.values()))
    if isinstance(value, list):
        return any(map(_has_endless, value))
    return isinstance(value, Endless)


def _is_deep(value: Any, left: int = DEPTH) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    within = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_is_deep(one, left - 1) for one in within)


def _mended(value: Frame) -> Frame:
    """Return a frame in which every half of a character is U+FFFD."""
    text = json.dumps(value, ensure_ascii=False)
    found: Frame = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return found
