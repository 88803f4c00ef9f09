"""The daemon's diary: written by a thread of its own, because whoever reads it may stop reading, and memd must not wait."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading

LINES = 10_000  # wait to be written; of more the newest are counted and left out
CLOSE_S = 1.0


class Diary(logging.Handler):
    """Hands lines to another handler in a thread."""

    def __init__(self, inner: logging.Handler) -> None:
        super().__init__()
        self.inner = inner
        self.left_out = 0
        self._lines: queue.Queue[logging.LogRecord | None] = queue.Queue(LINES)
        self._writer = threading.Thread(target=self._write, name="diary", daemon=True)
        self._writer.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a line, or count it where nobody has read for long."""
        with contextlib.suppress(Exception):
            record.msg, record.args = record.getMessage(), None  # what it names may change before it is written
        try:
            self._lines.put_nowait(record)
        except queue.Full:
            self.left_out += 1

    def close(self) -> None:
        """Write what is queued, for a while."""
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=CLOSE_S)
        self._writer.join(CLOSE_S)
        super().close()

    def _write(self) -> None:
        while (record := self._lines.get()) is not None:
            self.inner.handle(record)
            left_out, self.left_out = self.left_out, 0
            if left_out:
                why = f"{left_out} lines were left out: nobody read them"
                self.inner.handle(logging.LogRecord(__name__, logging.WARNING, __file__, 0, why, None, None))


def write_apart() -> Diary:
    """Have every line of the diary written apart from the work; close what is returned at the end."""
    root = logging.getLogger()
    diary = Diary(root.handlers[0])
    root.handlers[:] = [diary]
    return diary
