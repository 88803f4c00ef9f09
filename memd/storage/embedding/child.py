"""`python -m memd.storage.embedding.child`: the process that embeds. It lives as long as the pipe it was started with.

One thread reads, this one answers, a third at the lowest priority embeds texts: so a question overtakes every text. What
libraries print goes nowhere near the pipe.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memd.errors import EmbeddingsError, StorageError
from memd.storage.embedding.wire import LENGTH_BYTES, Begin, Failed, Heard, frame, length_of, said_of
from memd.storage.processes import fall_silent

if TYPE_CHECKING:
    from memd.storage.embedding.work import Work

GIVE_UP_S = 2.5  # what does not end in this time is ended


class Pipe:
    """The two ends that memd is at. Nothing else of this process has them."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        self._lock = threading.Lock()
        fall_silent()

    def frames(self) -> Iterator[bytes]:
        """Yield what comes, until the other end is closed. EmbeddingsError where it is no frame."""
        while head := self._read(LENGTH_BYTES):
            body = self._read(length_of(head))
            if body:
                yield body

    def say(self, message: Heard) -> None:
        """Send a message whole; where nobody is there any more, end."""
        data = memoryview(frame(message))
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._out, data) :]
            except OSError:
                os._exit(0)

    def _read(self, size: int) -> bytes:
        """Return so many bytes, none where the pipe ends before."""
        data = bytearray()
        while len(data) < size:
            part = os.read(self._in, size - len(data))
            if not part:
                return b""
            data += part
        return bytes(data)


def main() -> None:
    """Answer until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person's Ctrl-C is memd's to take
    pipe = Pipe()
    frames = pipe.frames()
    try:
        begin = said_of(next(frames, b""))
        if not isinstance(begin, Begin):
            raise EmbeddingsError("the first that was said is no beginning")
        from memd.storage.embedding.work import Work  # noqa: PLC0415 - what it imports may be missing, which is told

        work = Work(begin, pipe.say)
    except (EmbeddingsError, StorageError, ImportError, OSError) as error:
        pipe.say(Failed(str(error)))
        sys.exit(0)
    threading.Thread(target=work.embed, name="texts", daemon=True).start()
    threading.Thread(target=_read, args=(frames, work), name="pipe", daemon=True).start()
    work.answer()
    os._exit(0)  # whatever the other threads are at


def _read(frames: Iterator[bytes], work: Work) -> None:
    with contextlib.suppress(EmbeddingsError, OSError):
        for body in frames:
            work.give(said_of(body))
    work.give(None)
    time.sleep(GIVE_UP_S)
    os._exit(0)


if __name__ == "__main__":
    main()
