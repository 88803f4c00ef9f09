"""How the diary reads: with times for a terminal, with priorities for the system's journal, which has its own times.

Source
    sd-daemon(3): `<N>` at the beginning of a line is its priority; systemd.exec(5): JOURNAL_STREAM.
"""

from __future__ import annotations

import logging
import os
import sys

FORMAT = "%(asctime)s %(name)s: %(message)s"
PRIORITIES = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
DEBUG = 7


class Prioritized(logging.Formatter):
    """Gives every line its priority, those of a traceback too."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        level = next((number for least, number in PRIORITIES if record.levelno >= least), DEBUG)
        return "\n".join(f"<{level}>{line}" for line in super().format(record).split("\n"))


def log_formatter() -> logging.Formatter:
    """Return the form of log lines for whoever reads standard error."""
    return Prioritized("%(name)s: %(message)s") if is_journal() else logging.Formatter(FORMAT)


def is_journal() -> bool:
    """Tell whether standard error goes to the system's journal, and was not redirected since it was said to."""
    said = os.environ.get("JOURNAL_STREAM", "")
    if not said:
        return False
    try:
        found = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return said == f"{found.st_dev}:{found.st_ino}"
