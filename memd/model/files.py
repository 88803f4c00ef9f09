"""What each file of a workspace is for, told from its name alone.

Source
    docs/workspace.md#1-files. Names are POSIX, relative to the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

SETTINGS = "memd.toml"
CURATED = ("MEMORY.md", "USER.md")
ROLES, SESSIONS, RUNS, TASKS, SKILLS, ARCHIVE = "roles", "sessions", "runs", "tasks", "skills", "archive"
LEARNING = "learning"
EMOTIONS, EXPECT = "emotions.toml", "expect"
PRIVATE = ".memory"
CONFLICT = ".conflict-"
TEMPORARY = ".memd-tmp"
NEVER_ENTERED = frozenset({"node_modules", "__pycache__"})
# Copies that a merge or a synchronizer put beside a file: a person decides about them, nobody serves them.
_COPY = re.compile(r"\.conflict-[0-9TZ]+-[0-9a-f]+\.|\.sync-conflict-|conflicted copy|\.orig$|\.rej$")


class Purpose(StrEnum):
    """What a file is for; those below BOOK are searchable under this word."""

    SETTINGS = "settings"
    PROFILE = "profile"
    ARCHIVE = "archive"
    EMOTIONS = "emotions"
    EXPECT = "expect"
    BOOK = "book"
    MEMORY = "memory"
    CURATED = "curated"
    PAGE = "page"
    SESSION = "session"
    RUN = "run"
    TASK = "task"
    SKILL = "skill"


LEAF = {"memory.json": Purpose.MEMORY, "role.toml": Purpose.PROFILE}


def purpose_of(name: str) -> Purpose | None:
    """Return what a file is for, or None where memd has no use for it."""
    parts = name.split("/")
    if not is_entered(parts[:-1]) or parts[-1].startswith(".") or is_copy(parts[-1]) or not is_utf8(name):
        return None
    if name == SETTINGS:
        return Purpose.SETTINGS
    if name == EMOTIONS:
        return Purpose.EMOTIONS
    if name in CURATED:
        return Purpose.CURATED
    if parts[0] == LEARNING:
        return None  # what is being learned is not known yet: it comes to nobody's mind and into nobody's search
    return _filed(parts) or (Purpose.PAGE if parts[-1].endswith(".md") else None)


def _filed(parts: list[str]) -> Purpose | None:
    top, leaf, deep = parts[0], parts[-1], len(parts)
    if top == ROLES and deep == 3:
        return LEAF.get(leaf)
    if top == ROLES and deep == 4 and parts[2] == "books" and leaf.endswith(".json"):
        return Purpose.BOOK
    if top == SESSIONS and leaf.endswith(".jsonl"):
        return Purpose.SESSION
    if top == RUNS and leaf.endswith(".md") and deep > 1:
        return Purpose.RUN
    if top == TASKS and leaf.endswith(".toml") and deep > 1:
        return Purpose.TASK
    if top == SKILLS and leaf == "SKILL.md" and deep > 1:
        return Purpose.SKILL
    if top == EXPECT and deep == 2 and leaf.endswith(".toml"):
        return Purpose.EXPECT
    return Purpose.ARCHIVE if top == ARCHIVE and (leaf.endswith(".jsonl") or leaf.startswith("declarative-")) else None


def role_of(name: str) -> str:
    """Return the role whose directory a file is in, or ""."""
    parts = name.split("/")
    return parts[1] if parts[0] == ROLES and len(parts) > 2 else ""


def has_sessions(names: Iterable[str]) -> bool:
    """Tell whether any of these files is below sessions/."""
    return any(name.startswith(f"{SESSIONS}/") for name in names)


def is_entered(folders: list[str]) -> bool:
    """Tell whether memd looks into a directory: hidden ones are the business of whoever hid them."""
    return all(one[:1] != "." and one not in NEVER_ENTERED for one in folders)


def is_utf8(name: str) -> bool:
    """Tell whether a name of the file system is UTF-8: other bytes stand in it as lone surrogates."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def is_copy(leaf: str) -> bool:
    """Tell whether a file is a conflict copy or another leftover of a merge."""
    return _COPY.search(leaf) is not None
