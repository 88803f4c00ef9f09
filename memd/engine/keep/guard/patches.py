"""Patches that touch memory files: Codex's own form, unified diffs, search-and-replace blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memd.engine.keep.guard.files import is_memory_file
from memd.model.guard import Write

_FILE = re.compile(r"^(?:\*\*\* (?:Add|Update) File: |\*\*\* Move to: |\+\+\+ (?:b/)?)(?P<path>[^\t\n]+)", re.MULTILINE)
_OPENED, _TURNED, _CLOSED = (re.compile(mark) for mark in (r"(?:<{5,}|-{5,}) ?", r"={5,}$", r"(?:>{5,}|\+{5,})"))


def is_patch(text: str) -> bool:
    """Tell whether a text is a patch that names its files."""
    return "*** Begin Patch" in text or ("\n+++ " in f"\n{text}" and "\n@@" in text)


def writes_of_patch(text: str) -> Iterator[Write]:
    """Yield what a patch adds to memory files."""
    files = list(_FILE.finditer(text))
    for number, match in enumerate(files):
        stop = files[number + 1].start() if number + 1 < len(files) else len(text)
        path = match["path"].strip()
        if is_memory_file(path):
            lines = text[match.end() : stop].split("\n")
            gone = {line[1:].strip() for line in lines if line.startswith("-")}
            added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
            yield Write(path, "\n".join(line for line in added if line.strip() not in gone))


def added_by_blocks(text: str) -> str:
    """Return the lines that search-and-replace blocks add."""
    added: list[str] = []
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        if new is not None and old is not None:
            if _CLOSED.match(line):
                added.append(gained("\n".join(old), "\n".join(new)))
                old = new = None
            else:
                new.append(line)
        elif old is not None:
            if _TURNED.match(line):
                new = []
            else:
                old.append(line)
        elif _OPENED.match(line):
            old = []
    return "\n".join(added)


def gained(old: str, new: str) -> str:
    """Return the lines of a new text that the old one has not."""
    had = {line.strip() for line in old.split("\n")}
    return "\n".join(line for line in new.split("\n") if line.strip() not in had)
