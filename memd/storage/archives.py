"""A tar file with the files of a workspace, each with its digest, and out of it again. What is read is not trusted.

The first member, MANIFEST, has the digest of every other; a file without one, or with another, is refused. Names are
checked like names of a workspace: nothing is written outside the directory that is given, nothing through a link.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memd.errors import BackupError
from memd.model.files import Told, untold
from memd.text.counting import counted

MANIFEST = "memd-backup.json"
FORM = 1
MOST_FILES = 1_000_000
MOST_BYTES = 1 << 32  # of one file


class Kept(NamedTuple):
    """One file of a backup: its name below the workspace, its bytes, and whether it can be executed."""

    name: str
    data: bytes
    executable: bool = False


def write_tar(path: str, digests: Mapping[str, str], kept: Iterator[Kept], about: Mapping[str, str]) -> None:
    """Write the files to a path that must be free; compressed where its name ends with gz."""
    mode = "x:gz" if is_gzipped(path) else "x"
    manifest = {"memd_backup": FORM, **about, "files": dict(digests)}
    with tarfile.open(path, mode, format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]
        first = json.dumps(manifest, indent=1).encode()
        _add(tar, Kept(MANIFEST, first))
        for one in kept:
            _add(tar, one)


def _add(tar: tarfile.TarFile, one: Kept) -> None:
    member = tarfile.TarInfo(one.name)
    member.size, member.mode = len(one.data), 0o755 if one.executable else 0o644
    tar.addfile(member, io.BytesIO(one.data))


def is_gzipped(path: str) -> bool:
    """Tell whether a tar file of this name is compressed."""
    return path.endswith("gz")


def read_tar(path: str, told: Told = untold) -> Iterator[Kept]:
    """Yield the files of a backup, each proved by its digest; BackupError where it is not whole. `told` hears of files."""
    name = os.path.basename(path)
    try:
        with tarfile.open(path, "r:*") as tar:
            members = iter(tar)
            digests = _manifest(tar, next(members, None), name)
            of = len(digests)
            for number, member in enumerate(members):
                told(number, of, "reading")
                yield _proved(tar, member, digests, name)
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BackupError(name, "it is no backup of memd's, or not a whole one") from error
    if digests:
        raise BackupError(name, f"{counted(len(digests), 'file')} missing, {min(digests)!r} first")


def _manifest(tar: tarfile.TarFile, first: tarfile.TarInfo | None, name: str) -> dict[str, str]:
    if first is None or first.name != MANIFEST or not first.isreg() or first.size > MOST_BYTES:
        raise BackupError(name, f"it does not begin with {MANIFEST}: memd did not make it")
    opened = tar.extractfile(first)
    try:
        found = json.loads(opened.read() if opened else b"")
        digests = dict(found["files"])
        if found["memd_backup"] != FORM or len(digests) > MOST_FILES:
            raise BackupError(name, "a later memd made it")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BackupError(name, f"its {MANIFEST} cannot be read") from None
    return digests


def _proved(tar: tarfile.TarFile, member: tarfile.TarInfo, digests: dict[str, str], name: str) -> Kept:
    wanted = digests.pop(member.name, None)
    if wanted is None or not member.isreg() or member.size > MOST_BYTES or not is_inside(member.name):
        raise BackupError(name, f"{member.name[:120]!r} does not belong in a backup")
    opened = tar.extractfile(member)
    data = opened.read() if opened else b""
    if hashlib.sha256(data).hexdigest() != wanted:
        raise BackupError(name, f"{member.name[:120]!r} is not what was backed up")
    return Kept(member.name, data, bool(member.mode & 0o100))


def is_inside(name: str) -> bool:
    """Tell whether a name stays below its directory, and out of a repository's own files."""
    parts = name.split("/")
    odd = any(part in ("", ".", "..") or part.casefold().rstrip(". ") == ".git" for part in parts)
    return not odd and "\0" not in name
