"""What the machine allows and says: files by their absolute paths, room on a disk, watches in use, and on what kind of file system
a directory lies: on some, another machine's changes raise no event here.

macOS: there is neither /proc nor mountinfo; what cannot be read is "" or None, and every directory counts as local (untested).
"""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from memd.errors import StorageError
from memd.storage.files import READ_BYTES, Tree
from memd.storage.system import System
from memd.whereabouts import is_workspace, surroundings

REMOTE = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "fuse.rclone", "afs", "ceph", "virtiofs", "vboxsf"}
)
MOUNTS = "/proc/self/mountinfo"
MOUNTS_BYTES = 4_000_000


def remote_kind(path: str, system: System) -> str:
    """Return the kind of a network file system that holds this absolute path, or ""."""
    try:
        handle = system.open(MOUNTS, os.O_RDONLY)
    except OSError:
        return ""
    try:
        pieces: list[bytes] = []
        while len(pieces) * 65_536 < MOUNTS_BYTES and (piece := system.read(handle, 65_536)):
            pieces.append(piece)
    finally:
        system.close(handle)
    kind = kind_in(b"".join(pieces).decode("utf-8", "surrogateescape"), path)
    return kind if kind in REMOTE else ""


def kind_in(mountinfo: str, path: str) -> str:
    """Return the kind of the file system that a path lies on, from the text of proc(5)'s mountinfo."""
    best, kind = "", ""
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        if len(fields) < 10 or "-" not in fields:
            continue
        point = fields[4].encode().decode("unicode_escape") if "\\" in fields[4] else fields[4]
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[fields.index("-") + 1]
    return kind


MOST_BYTES = 65_536
TEXT_BYTES = 4_000_000
START = "start"  # below memd's state: the line that agents' plugins start memd by, which memd setup wrote


class Room(NamedTuple):
    """Free bytes and free files of the disk a directory lies on; files None where the disk does not count them."""

    free_bytes: int
    free_files: int | None


def read_unlinked(path: str, limit_bytes: int = READ_BYTES) -> bytes:
    """Return the bytes of a file by its path, a link in its place not followed; StorageError or FileNotFoundError."""
    folder, leaf = os.path.split(path)
    tree = Tree(os.path.realpath(folder or "."))
    try:
        return tree.read(leaf, limit_bytes)[0]
    finally:
        tree.close()


def read_text(path: str) -> str:
    """Return the text of a file by its path, links followed; "" where there is none."""
    real = os.path.realpath(path)
    return read_unlinked(real, TEXT_BYTES).decode("utf-8", "replace") if os.path.lexists(real) else ""


def room_at(path: str) -> Room:
    """Return how much room the disk has where a directory is, or will be: the nearest above it counts."""
    while not os.path.isdir(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    found = os.statvfs(path)
    return Room(found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None)


def watches_used() -> int | None:
    """Return how many directories this user's processes watch with inotify, None where that cannot be seen."""
    try:
        processes = [one for one in os.listdir("/proc") if one.isdecimal()]
    except OSError:
        return None
    return sum(_watches_of(f"/proc/{process}") for process in processes)


def _watches_of(process: str) -> int:
    count = 0
    try:
        if os.stat(process).st_uid != os.geteuid():
            return 0
        for handle in os.listdir(f"{process}/fd"):
            if os.readlink(f"{process}/fd/{handle}") == "anon_inode:inotify":
                count += _lines_of(f"{process}/fdinfo/{handle}", b"inotify ")
    except OSError:
        return count  # it ended, or is not to be looked at
    return count


def _lines_of(path: str, begin: bytes) -> int:
    system = System()
    handle = system.open(path, os.O_RDONLY)
    try:
        pieces = []
        while piece := system.read(handle, MOST_BYTES):
            pieces.append(piece)
    finally:
        system.close(handle)
    return sum(line.startswith(begin) for line in b"".join(pieces).splitlines())


def started_by_plugins(state: str) -> tuple[str, str]:
    """Return the program and the workspace that agents' plugins are told, twice "" where it is nothing of memd's. `state`: memd's own."""
    try:
        line = read_unlinked(os.path.join(state, START), MOST_BYTES).decode("utf-8", "surrogateescape")
        words = shlex.split(line, comments=True)
    except (OSError, StorageError, ValueError):
        return "", ""
    return (words[2], words[-1]) if words[:2] == ["[", "-x"] and words[-2:-1] == ["--workspace"] else ("", "")


def set_up_workspace() -> str:
    """Return the workspace that `memd setup` made for all work on this machine, "" where there is none, or it is gone."""
    state = surroundings().state_dir
    workspace = started_by_plugins(os.path.join(state, "memd"))[1] if state else ""
    return workspace if os.path.isabs(workspace) and is_workspace(workspace) else ""
