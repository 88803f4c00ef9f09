"""Where everything lies in a workspace, as relative POSIX names."""

from __future__ import annotations

from memd.formats.times import to_day
from memd.model.files import ARCHIVE, CONFLICT, CURATED, EMOTIONS, EXPECT, PRIVATE, ROLES, SETTINGS

__all__ = ["ARCHIVE", "CONFLICT", "CURATED", "EMOTIONS", "EXPECT", "PRIVATE", "ROLES", "SETTINGS"]

STATE = ".memory/state"
QUARANTINE = ".memory/state/quarantine"
SCORES = ".memory/scores"
LOG = ".memory/wal.jsonl"
LOCK = ".memory/lock"
RECALLED = ".memory/state/recalled.json"
AUDIT = ".memory/audit.jsonl"
DECLARATIVE = ".memory/declarative.md"
REVIEW = ".memory/review.jsonl"


def role_dir(role: str) -> str:
    """Return the directory of a role."""
    return f"{ROLES}/{role}"


def memory_file(role: str) -> str:
    """Return the memory.json of a role."""
    return f"{ROLES}/{role}/memory.json"


def books_dir(role: str) -> str:
    """Return the directory of a role's books."""
    return f"{ROLES}/{role}/books"


def profile_file(role: str) -> str:
    """Return the role.toml of a role."""
    return f"{ROLES}/{role}/role.toml"


def archive_file(now_s: float) -> str:
    """Return the file of a UTC month's archive."""
    return f"{ARCHIVE}/{to_day(now_s)[:7]}.jsonl"
