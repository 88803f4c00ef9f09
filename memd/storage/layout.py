"""Where everything lies in a workspace, as relative POSIX names."""

from __future__ import annotations

import hashlib

from memd.formats.times import to_day, to_stamp
from memd.model.files import (
    ARCHIVE,
    CONFLICT,
    CURATED,
    EMOTIONS,
    EXPECT,
    LEARNING,
    PRIVATE,
    ROLES,
    RUNS,
    SESSIONS,
    SETTINGS,
    SKILLS,
    TASKS,
)

__all__ = [
    "ARCHIVE",
    "CONFLICT",
    "CURATED",
    "EMOTIONS",
    "EXPECT",
    "LEARNING",
    "PRIVATE",
    "ROLES",
    "RUNS",
    "SESSIONS",
    "SETTINGS",
    "SKILLS",
    "TASKS",
]

STATE = ".memory/state"
NONCE_FILE = ".memory/state/id"
QUARANTINE = ".memory/state/quarantine"
SCORES = ".memory/scores"
LOG = ".memory/wal.jsonl"
LOCK = ".memory/lock"
RECALLED = ".memory/state/recalled.json"
AUDIT = ".memory/audit.jsonl"
DECLARATIVE = ".memory/declarative.md"
DECLARED = f"{ARCHIVE}/declarative-"
REVIEW = ".memory/review.jsonl"
INBOX = ".memory/state/inbox.jsonl"  # where every workspace's .gitignore has it already
UNSAID = ".memory/state/unsaid.txt"  # ids of turns that are never quoted
OFFERED = ".memory/offered.jsonl"
CONSOLIDATIONS = ".memory/consolidations"
PROVISIONAL = ".memory/state/provisional.jsonl"
RUNNING = ".memory/state/runs.jsonl"
EFFECTS = ".memory/state/effects.json"
CANDIDATES, DRAFTS, PUBLISHED = f"{LEARNING}/candidates", f"{LEARNING}/drafts", f"{LEARNING}/published"
SNAPSHOTS = f"{RUNS}/snapshots"


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


def declarative_archive(year: str) -> str:
    """Return where the lines about memories that were stored in an earlier year are."""
    return f"{DECLARED}{year}.md"


def conflict_copy(name: str, data: bytes, now_s: float) -> str:
    """Return where what could not be merged into a file is kept, beside it."""
    folder, _, leaf = name.rpartition("/")
    stem, _, end = leaf.rpartition(".")
    copy = f"{stem}{CONFLICT}{to_stamp(now_s)}-{hashlib.sha256(data).hexdigest()[:8]}.{end}"
    return f"{folder}/{copy}" if folder else copy


def session_file(session: str, now_s: float) -> str:
    """Return the file of a session that begins now."""
    return f"{SESSIONS}/{to_day(now_s)[:7]}/{session}.jsonl"


def receipt_file(run: str, now_s: float) -> str:
    """Return the receipt of a run that began at a time."""
    return f"{RUNS}/{to_day(now_s)[:7]}/{run}.md"


def task_file(task: str) -> str:
    """Return the file of a task."""
    return f"{TASKS}/{task}.toml"


def snapshot_file(digest: str) -> str:
    """Return where a snapshot is stored."""
    return f"{SNAPSHOTS}/{digest}.json"


def skill_file(skill: str) -> str:
    """Return the published text of a skill."""
    return f"{SKILLS}/{skill}/SKILL.md"
