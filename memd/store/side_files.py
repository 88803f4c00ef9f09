"""Tell which files and directories beside the memories cannot be read, what that costs, and what to do.

A side file that is a link, a pipe, a device, too large, broken, or closed to us degrades its own feature alone: those who
read it go on without (storage/side), and here it is named.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.errors import Fault, NotRegularError, RejectedFileError, StorageError, TooLargeError
from memd.formats.documents import PAGE_BYTES
from memd.formats.records import read_lines
from memd.formats.skill_file import load_candidate
from memd.formats.strict_json import StrictError, loads
from memd.formats.texts import decoded
from memd.storage.files import Identity, Tree, translated
from memd.storage.layout import (
    ARCHIVE,
    AUDIT,
    CANDIDATES,
    CONSOLIDATIONS,
    CURATED,
    DECLARATIVE,
    DRAFTS,
    EFFECTS,
    EMOTIONS,
    EXPECT,
    INBOX,
    LEARNING,
    LOG,
    OFFERED,
    PRIVATE,
    PROVISIONAL,
    PUBLISHED,
    QUARANTINE,
    RECALLED,
    REVIEW,
    ROLES,
    RUNNING,
    RUNS,
    SCORES,
    SESSIONS,
    SKILLS,
    SNAPSHOTS,
    STATE,
    TASKS,
    books_dir,
    memory_file,
    profile_file,
)
from memd.storage.listing import list_side, pieces
from memd.store.recall.recalled import STATE_BYTES

# What is missing meanwhile, by the beginning of the name: the first that fits.
COSTS = (
    (REVIEW, "nothing counts as approved, and what waits for a person is not shown"),
    (PROVISIONAL, "what words judged alone is not judged again, and what became of it is not told"),
    (INBOX, "what waits there is not shown, and what is new waits in the log"),
    (AUDIT, "what is noted there waits in the log"),
    (f"{PRIVATE}/audit-", "older refusals and violations are not counted"),
    (DECLARATIVE, "lines about stored memories wait in the log"),
    (SCORES, "scorings wait in the log"),
    (OFFERED, "what was said may be offered to memory once more"),
    (CONSOLIDATIONS, "reports of consolidations are not shown, and cannot be undone"),
    (RECALLED, "timers and counts of use are not kept over a restart"),
    (RUNNING, "what is noted there waits in the log"),
    (EFFECTS, "the skills' figures are made anew from the receipts"),
    (STATE, "timers, counts of use and runs under way are not kept over a restart"),
    (PRIVATE, "what memd keeps there is missing"),
    (ARCHIVE, "what it has cannot be restored, and what comes to it waits in the log"),
    (SNAPSHOTS, "its snapshots are not served, and new ones wait in the log"),
    (RUNS, "its receipts are not served, and new ones wait in the log"),
    (SESSIONS, "its sessions are not served, and new lines wait in the log"),
    (TASKS, "its tasks are not served, and changes wait in the log"),
    (SKILLS, "its skills are not served"),
    (LEARNING, "skills that are being learned there are not served"),
    (EXPECT, "its cases are not asked"),
    (EMOTIONS, "memd's own words of feelings serve alone"),
    (ROLES, "its books are not served"),
)
TOPS = (PRIVATE, SESSIONS, RUNS, TASKS, SKILLS, LEARNING, ARCHIVE, EXPECT)
BELOW = (STATE, SCORES, CONSOLIDATIONS, SNAPSHOTS, CANDIDATES, DRAFTS, PUBLISHED)
PLAIN = (*CURATED, EMOTIONS)
_FILE = re.compile(r"\.(?:jsonl?|toml|md)$")
_FOLDER = re.compile(rf"(?:(?:{SESSIONS}|{RUNS})/\d{{4}}-\d\d|(?:{SKILLS}|{DRAFTS}|{PUBLISHED})/[a-z0-9-]+)$")
A_FILE, A_FOLDER = "a regular file", "a directory"


class _Looked(NamedTuple):
    """A file as it was looked at, and what was wrong with it."""

    identity: Identity
    faults: tuple[Fault, ...]


@dataclass(slots=True)
class SideFiles:
    """What was looked at before: only what changed is read again. Its `look` blocks."""

    _seen: dict[str, _Looked] = field(default_factory=dict)

    def look(self, tree: Tree) -> list[Fault]:
        """Return what cannot be read now, in the order of names."""
        known, self._seen = self._seen, {}
        roles = [one.name for one in list_side(tree, ROLES) if one.is_dir]
        books = [books_dir(role) for role in roles]
        plain = [*PLAIN, *(file(role) for role in roles for file in (memory_file, profile_file))]
        found = {fault: None for name in plain for fault in _of_plain(tree, name)}
        for folder in (*TOPS, *BELOW, *books):
            above = {fault.name for fault in found}
            if folder.rpartition("/")[0] not in above:
                found |= dict.fromkeys(self._folder(tree, folder, known))
        return sorted(found)

    def _folder(self, tree: Tree, folder: str, known: dict[str, _Looked]) -> Iterator[Fault]:
        try:
            below = tree.entries(folder)
        except StorageError as error:
            yield _told(tree, folder, error, A_FOLDER)
            return
        for entry in below:
            name = f"{folder}/{entry.name}"
            if entry.name.startswith(".") or name in (*BELOW, QUARANTINE):
                continue
            if entry.is_dir and not _FILE.search(entry.name):
                yield from self._folder(tree, name, known)
            elif entry.is_dir or not entry.is_file:
                yield _told(tree, name, None, A_FILE if _FILE.search(entry.name) else A_FOLDER)
            elif _FOLDER.match(name):
                yield _told(tree, name, None, A_FOLDER)
            elif folder.startswith((PRIVATE, ARCHIVE, LEARNING)) and name != LOG:
                yield from self._file(tree, name, known)

    def _file(self, tree: Tree, name: str, known: dict[str, _Looked]) -> Iterator[Fault]:
        try:
            identity = tree.identify(name)
            looked = known.get(name)
            if identity is not None and (looked is None or looked.identity != identity):
                looked = _Looked(identity, tuple(_faults_in(tree, name)))
        except FileNotFoundError:
            return
        except StorageError as error:
            yield _told(tree, name, error, A_FILE)
            return
        if looked is not None:
            self._seen[name] = looked
            yield from looked.faults


def _of_plain(tree: Tree, name: str) -> Iterator[Fault]:
    try:
        with translated(name), tree.directory(name) as (at, leaf):
            if stat.S_ISREG(tree.system.stat(leaf, at=at).st_mode):
                return
    except (FileNotFoundError, StorageError):
        return
    yield _told(tree, name, None, A_FILE)


def _faults_in(tree: Tree, name: str) -> Iterator[Fault]:
    try:
        yield from _read(tree, name)
    except RejectedFileError as error:
        yield error.fault


def _read(tree: Tree, name: str) -> Iterator[Fault]:
    """Yield what is wrong with what a file says."""
    if name.endswith(".jsonl"):
        damaged = [one for data in pieces(tree, name) for one in read_lines(data) if one.value is None]
        if damaged:
            lines = "a damaged line is skipped" if len(damaged) == 1 else f"{len(damaged)} damaged lines are skipped"
            yield Fault(name, 1, 1, f"{lines}; take them out, the others serve", "log.line")
    elif name == DECLARATIVE:
        try:
            b"".join(pieces(tree, name)).decode("utf-8")
        except UnicodeDecodeError as error:
            yield Fault(name, 1, 1, f"byte {error.start} is not UTF-8; take it out, the lines serve", "text.not_utf8")
    elif name.rpartition("/")[0] == CANDIDATES and name.endswith(".toml"):
        load_candidate(decoded(name, tree.read(name, PAGE_BYTES)[0]), name)
    elif name.startswith(LEARNING) and _FILE.search(name):
        decoded(name, tree.read(name, PAGE_BYTES)[0])
    elif name in (RECALLED, EFFECTS):
        try:
            loads(tree.read(name, STATE_BYTES)[0])
        except StrictError as error:
            yield Fault(name, 1, 1, f"{error}; {_cost(name)}. Remove it", "file.broken")


def _told(tree: Tree, name: str, error: StorageError | None, wanted: str) -> Fault:
    """Return what is wrong with a name: what it is, what that costs, and what to do."""
    do = f"Put {wanted} in its place"
    try:
        with translated(name), tree.directory(name) as (at, leaf):
            mode = tree.system.stat(leaf, at=at).st_mode
    except (FileNotFoundError, StorageError):
        mode = 0
    if stat.S_ISLNK(mode):
        return Fault(name, 1, 1, f"it is a symbolic link, and not followed; {_cost(name)}. {do}", "file.link")
    if error is None or isinstance(error, NotRegularError):
        return Fault(name, 1, 1, f"it is not {wanted}; {_cost(name)}. {do}", "file.odd")
    why = str(error).removeprefix(f"{name}: ")
    if isinstance(error, TooLargeError):
        return Fault(name, 1, 1, f"{why}; {_cost(name)}. Move it away", "file.too_large")
    return Fault(name, 1, 1, f"{why}; {_cost(name)}. Make it readable", "file.unreadable")


def _cost(name: str) -> str:
    return next((cost for start, cost in COSTS if name.startswith(start)), "it is not served")
