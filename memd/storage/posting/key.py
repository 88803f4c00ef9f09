"""The key of an endpoint: from a variable of the environment, or from a file that nobody else may read."""

from __future__ import annotations

import os
import re
import stat

from memd.storage.posting.post import PostError
from memd.storage.system import System

MOST_BYTES = 4096
OTHERS = 0o077
_KEY = re.compile(r"[\x21-\x7e]{1,1000}")  # what may stand in a header
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")


def key_of(variable: str, file: str) -> str:
    """Return the key, "" where none is named. PostError says why it cannot be had, and never what it is. Blocks for a small file."""
    if variable:
        found = os.environ.get(variable, "").strip()
        if not found:
            raise PostError(f"the environment of this process has no {variable}")
    elif file:
        found = _read(file).decode("ascii", "replace").strip()
    else:
        return ""
    if not _KEY.fullmatch(found):
        raise PostError("the key has characters that no key has")
    return found


def _read(file: str) -> bytes:
    system = System()
    try:
        handle = system.open(file, os.O_RDONLY)
    except OSError as error:
        raise PostError(f"{file}: {error.strerror}") from None
    try:
        found = system.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & OTHERS:
            raise PostError(f"{file} must be a file of your own that nobody else may read: chmod 600")
        return system.read(handle, MOST_BYTES)
    except OSError as error:
        raise PostError(f"{file}: {error.strerror}") from None
    finally:
        system.close(handle)
