"""A terminal of a given width for tests, and what must be so of everything that is printed on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import unicodedata
from typing import Any, NamedTuple

from memd.cli import progress
from tests import forking

SGR = re.compile(r"\x1b\[[0-9;]*m")
BAR = re.compile(r"\x1b\[\?25[lh]")  # click's bar hides the cursor, and shows it again
TAIL = re.compile(r"[A-Za-z0-9]+$")


class Seen(NamedTuple):
    """What a command left on a terminal: its exit status, everything as it came, and the lines without styles."""

    status: int
    raw: str
    lines: list[str]


def on_screen(columns: int, *arguments: str, before: Any = None, typed: str = "", **env: str) -> Seen:
    """Run memd on a terminal of so many columns, to its end; `typed`: what a person has typed already."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    process = forking.start(
        *arguments,
        env={**plain, "TERM": "xterm-256color", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        before=before,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:
        pass  # the other end is closed: the process has ended
    os.close(ours)
    raw = seen.decode().replace("\r\n", "\n")
    drawn = re.split(r"[\n\r]", SGR.sub("", raw))  # a bar is drawn over itself: each time is a line
    return Seen(process.wait(60), raw, drawn)


def columns_of(text: str) -> int:
    """Return how many columns a terminal gives a text: wide characters two, what stands on another none."""
    shown = [char for char in text if unicodedata.category(char) not in ("Mn", "Me", "Cf")]
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown)


def faults_of(seen: Seen, columns: int, whole: str) -> list[str]:
    """Return what is wrong with a screen; `whole` is what the same command prints where there is no terminal."""
    faults = [f"{columns_of(line)} columns: {line}" for line in seen.lines if columns_of(line) > columns]
    faults += [f"a control character: {line!r}" for line in seen.lines if not BAR.sub("", line).isprintable()]
    faults += [f"an escape code as text: {line}" for line in seen.lines if re.search(r"\[\d*m", line)]
    flat = " ".join(whole.split())
    for line in seen.lines:
        for cell in re.split(r" {2,}", line.strip()):
            faults += [f"a cut word: {cell}"] if "…" in cell and "…" not in flat and not _ends_well(cell, flat) else []
    known = set(re.findall(r"[A-Za-z]{3,}", flat))
    digests = "".join(re.findall(r"\b[0-9a-f]{32,}\b", flat))  # longer than a line: broken anywhere
    words = {word for line in seen.lines for word in re.findall(r"[A-Za-z]{3,}", line)}
    return faults + [f"half a word: {word}" for word in sorted(words - known) if word not in digests]


def _ends_well(cell: str, flat: str) -> bool:
    """Tell whether what stands before an ellipsis ends where a word of the whole text does."""
    kept = cell.partition("…")[0]
    tail = TAIL.search(kept)
    at = flat.find(kept)
    return at >= 0 and not (tail and flat[at + len(kept)].isascii() and flat[at + len(kept)].isalnum())


def bars_after(seconds: float) -> None:
    """In the process that memd runs in: let bars appear after so long."""
    progress.AFTER_S = seconds
