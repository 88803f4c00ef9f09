"""A folder of pages, worked on as an editor would: no daemon needed, whole or not at all, never through a link.

Errors
    MemdError and its kin, named by the name below the workspace; FileNotFoundError and FileExistsError.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memd.engine.keep.scan.secrets import find_secrets
from memd.errors import (
    BadPageNameError,
    Fault,
    FileChangedError,
    NameTakenError,
    NotRegularError,
    RejectedFileError,
    SecretRefusedError,
    TooLargeError,
    WorkspaceBusyError,
)
from memd.formats.documents import PAGE_BYTES
from memd.model.files import TEMPORARY, is_utf8
from memd.model.names import DEVICES, NAME_BYTES, collision_key
from memd.storage.files import Tree, translated
from memd.storage.listing import DEEPEST
from memd.storage.replace import create, replace_if

BUSY_S = 2.0  # memd itself has a file open for a moment after each change, and so may an editor
TURN_S = 5.0
PAUSE_S = 0.01
FORBIDDEN = frozenset('\\:*?"<>|')  # Windows cannot check out a name with one of them


class Pages:
    """The files of a tree, by names like `memories/plan.md`."""

    def __init__(self, workspace: str) -> None:
        self.tree = Tree(workspace)

    def close(self) -> None:
        """Let go of the workspace."""
        self.tree.close()

    @contextmanager
    def turn(self, folder: str) -> Iterator[None]:
        """Wait for the other agents that write to a folder, in any process; memd and editors are not waited for."""
        until_s = time.monotonic() + TURN_S
        with translated(folder), self.tree.opened(folder) as handle:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until_s:
                        raise WorkspaceBusyError(f"another agent at {folder}") from None
                time.sleep(PAUSE_S)
            yield

    def find(self, name: str) -> os.stat_result | None:
        """Return what a name is, None where nothing is; NotRegularError where it is a link or lies behind one."""
        parts = name.split("/")
        if "\0" in name:
            raise BadPageNameError(name, "it contains a NUL character")
        if hidden := next((part for part in parts if part[:1] == "."), ""):
            raise BadPageNameError(hidden, "it is hidden, and hidden files are not memory")
        found = None
        for deep in range(1, len(parts) + 1):
            here = "/".join(parts[:deep])
            try:
                with translated(here), self.tree.directory(here) as (at, leaf):
                    found = self.tree.system.stat(leaf, at=at)
            except FileNotFoundError:
                return None
            if stat.S_ISLNK(found.st_mode):
                raise NotRegularError(here, "it is a symbolic link, which is never followed")
            if deep < len(parts) and not stat.S_ISDIR(found.st_mode):
                return None
        return found

    def listed(self, name: str, depth: int) -> Iterator[tuple[int, str]]:
        """Yield the size and the relative name of what a folder has, `depth` levels deep; folders end with a slash."""
        for entry in self.tree.entries(name):
            state = self.tree.identify(f"{name}/{entry.name}")
            if entry.name.startswith(".") or not is_utf8(entry.name) or state is None:
                continue
            if entry.is_dir:
                yield state.size, f"{entry.name}/"
                if depth > 1:
                    inner = self.listed(f"{name}/{entry.name}", depth - 1)
                    yield from ((size, f"{entry.name}/{below}") for size, below in inner)
            elif entry.is_file:
                yield state.size, entry.name

    def text(self, name: str) -> str:
        """Return a page's text with its line endings as they are."""
        data = self.tree.read(name, PAGE_BYTES)[0]
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise RejectedFileError(Fault(name, 1, 1, "it is not UTF-8 text", "text.not_utf8")) from None

    def create(self, name: str, text: str) -> None:
        """Make a page, and the folders above it; NameTakenError where another's name differs in case alone."""
        check_new(name)
        self.check_alone(name)
        data = _bytes_of(name, "", text)
        self.tree.make_dirs(name.rpartition("/")[0])
        create(self.tree, name, data)

    def edit(self, name: str, change: Callable[[str], str]) -> tuple[str, str]:
        """Put what `change` makes of a page's text in its place, and return both; what somebody saves meanwhile stands."""
        before = self.text(name)
        after = change(before)
        data = _bytes_of(name, before, after)
        until_s = time.monotonic() + BUSY_S
        while True:
            try:
                replace_if(self.tree, name, data, before.encode("utf-8"))
                return before, after
            except FileChangedError:
                if time.monotonic() > until_s or self.text(name) != before:
                    raise
                time.sleep(PAUSE_S)

    def remove(self, name: str) -> None:
        """Remove a file, or a folder and all below it; of a link in it, the link."""
        found = self.find(name)
        if found is None:
            raise FileNotFoundError(name)
        self._remove(name, is_dir=stat.S_ISDIR(found.st_mode))

    def clear(self, name: str) -> None:
        """Remove all that a folder has."""
        for entry in self.tree.entries(name):
            self._remove(f"{name}/{entry.name}", is_dir=entry.is_dir)

    def _remove(self, name: str, *, is_dir: bool) -> None:
        if not is_dir:
            self.tree.remove(name)
            return
        self.clear(name)
        with translated(name), self.tree.directory(name) as (at, leaf):
            os.rmdir(leaf, dir_fd=at)
            self.tree.system.sync(at)

    def check_alone(self, name: str, moved: str = "") -> None:
        """Raise NameTakenError where a part of a new name is confused with one beside it; what is moved away does not count."""
        parts = name.split("/")
        for deep, part in enumerate(parts):
            folder = "/".join(parts[:deep]) or "."
            for entry in self.tree.entries(folder) if self.is_folder(folder) else ():
                beside = entry.name if folder == "." else f"{folder}/{entry.name}"
                if entry.name != part and beside != moved and collision_key(entry.name) == collision_key(part):
                    raise NameTakenError(part, entry.name)

    def is_folder(self, name: str) -> bool:
        """Tell whether a name is a folder."""
        found = None if name == "." else self.find(name)
        return name == "." or (found is not None and stat.S_ISDIR(found.st_mode))

    def move(self, name: str, new: str) -> None:
        """Rename a file or a folder; FileExistsError where the new name is taken. Nothing is made where it cannot be."""
        check_new(new)
        above = new.rpartition("/")[0]
        if self.find(new) is not None:
            raise FileExistsError(new)
        found = self.find(name)
        if found is None:
            raise FileNotFoundError(name)
        if new.startswith(f"{name}/"):
            raise BadPageNameError(new, f"it lies inside {name}, which cannot be moved into itself")
        self.check_alone(new, name)
        self.tree.make_dirs(above)
        if above == name.rpartition("/")[0]:
            self.tree.rename(name, new)
            return
        with translated(name), self.tree.directory(name) as (at, leaf), self.tree.directory(new) as (to, new_leaf):
            if stat.S_ISDIR(found.st_mode):  # a folder takes the place of an empty folder at most
                os.rename(leaf, new_leaf, src_dir_fd=at, dst_dir_fd=to)
            else:
                os.link(leaf, new_leaf, src_dir_fd=at, dst_dir_fd=to, follow_symlinks=False)
                os.unlink(leaf, dir_fd=at)
            self.tree.system.sync(to)
            self.tree.system.sync(at)


def check_new(name: str) -> None:
    """Raise BadPageNameError for a name that memd would not serve, or that another system could not check out."""
    parts = name.split("/")
    if len(parts) > DEEPEST:
        raise BadPageNameError(name, f"it lies deeper than {DEEPEST} folders")
    for part in parts:
        if rule := _broken_rule(part):
            raise BadPageNameError(part, rule)


def _broken_rule(part: str) -> str:
    if not part:
        return "it is empty"
    if len(part.encode("utf-8", "surrogatepass")) > NAME_BYTES:
        return f"it has more than {NAME_BYTES} bytes"
    strange = next((char for char in part if char in FORBIDDEN or unicodedata.category(char)[0] == "C"), "")
    if strange:
        return f"it contains {strange!r} (U+{ord(strange):04X})"
    if unicodedata.normalize("NFC", part) != part:
        return "it is not in Unicode's form NFC"
    if part[0] in ". " or part[-1] in ". ":
        return "it starts or ends with a dot or a blank"
    if TEMPORARY in part:
        return f"{TEMPORARY} is for memd's own files"
    return "it is the name of a Windows device" if collision_key(part.split(".", maxsplit=1)[0]) in DEVICES else ""


def _bytes_of(name: str, before: str, after: str) -> bytes:
    """Return a text's bytes, or raise where it may not stand in a page. A secret that a person put there may stay."""
    data = after.encode("utf-8")
    if len(data) > PAGE_BYTES:
        raise TooLargeError(name, f"{len(data)} bytes, at most {PAGE_BYTES} are read")
    old = {before[one.start : one.stop] for one in find_secrets(before)} if before else set()
    new = [one for one in find_secrets(after) if after[one.start : one.stop] not in old]
    if new:
        raise SecretRefusedError("; ".join(dict.fromkeys(one.why for one in new)))
    return data


MOST_NAMED = 1000  # lines that are named where a text is not unique
FIELDS: dict[str, dict[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


def fault_of(command: Any) -> str:
    """Return why a command is none, "" where it is one: the SDK hands over whatever the model wrote."""
    kind = getattr(command, "command", None)
    if not isinstance(kind, str) or kind not in FIELDS:
        return f"Unknown command: {kind!a:.40}. Use one of {', '.join(FIELDS)}."
    for field, wanted in FIELDS[kind].items():
        value = getattr(command, field, None)
        if not isinstance(value, wanted) or isinstance(value, bool):
            return f"{kind} needs `{field}`, {'a text' if wanted is str else 'a whole number'}."
        if isinstance(value, str) and not _is_text(value):
            return f"{kind}: `{field}` is no Unicode text."
    lines = getattr(command, "view_range", None)
    if lines is not None and not (isinstance(lines, list) and all(isinstance(one, int) for one in lines)):
        return "`view_range` is two whole numbers: the first line and the last."
    return ""


def numbered(lines: list[str], first: int) -> str:
    """Return lines with their numbers before them."""
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def lines_with(text: str, piece: str) -> str:
    """Return the line of each place where a piece stands, overlapping ones too."""
    said: list[str] = []
    line, before, at = 1, 0, text.find(piece)
    while at >= 0 and len(said) < MOST_NAMED:
        line, before = line + text.count("\n", before, at), at
        said.append(str(line))
        at = text.find(piece, at + 1)
    return ", ".join([*said, "…"] if at >= 0 else said)


def in_short(size_bytes: int) -> str:
    """Return a size in a few characters: 0B, 12B, 1.5K, 4K."""
    step = min(max(size_bytes.bit_length() - 1, 0) // 10, 3)
    value = size_bytes / 1024**step
    return f"{value:.0f}{'BKMG'[step]}" if value == int(value) else f"{value:.1f}{'BKMG'[step]}"


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
