"""On what kind of file system a directory lies: on some, another machine's changes raise no event here.

macOS: there is no mountinfo; every directory counts as local (untested).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.storage.system import System

REMOTE = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "fuse.rclone", "afs", "ceph", "virtiofs", "vboxsf"}
)
MOUNTS = "/proc/self/mountinfo"
MOST_BYTES = 4_000_000


def remote_kind(path: str, system: System) -> str:
    """Return the kind of a network file system that holds this absolute path, or ""."""
    try:
        handle = system.open(MOUNTS, os.O_RDONLY)
    except OSError:
        return ""
    try:
        pieces: list[bytes] = []
        while len(pieces) * 65_536 < MOST_BYTES and (piece := system.read(handle, 65_536)):
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
