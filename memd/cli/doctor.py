"""The verb doctor: prove that files, log, index and daemon agree, and say what to do about what does not."""

from __future__ import annotations

import os
import stat
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import Part, emit, own
from memd.cli.tables import Column, listing, whole_text, width
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.client import Client
    from memd.service.care.doctor import Row, Scope
    from memd.service.judging.beside import Beside, BesideFile


BESIDE, QUOTED = 20, 80  # findings in agents' files that are named, and characters of a text


@click.command("doctor")
@json_option
@workspace_option
def doctor_command(as_json: bool, workspace: str) -> int:
    """Look at everything memd stands on: files, log, index, daemon, socket, limits, git, agents, service.

    Each line is a check with what was seen, and what to do where something is wrong. The exit status is 1 where a check
    fails. It works with and without a daemon, and changes nothing but the time stamp of memd's own lock. Where systemd
    listens for the daemon, asking it starts it.

    \b
    memd doctor
    memd doctor --json
    """
    rows = _examined(workspace)
    counts = Counter(one.state for one in rows)
    reply = {"checks": [one._asdict() for one in rows], "counts": dict(counts)}
    emit(reply, as_json, *_parts(rows))
    return 1 if counts["fail"] else 0


def _parts(rows: list[Row]) -> list[Part]:
    wide = max(width(one.name) for one in rows)
    told: list[tuple[str, str, str]] = []
    for row in rows:
        told.append((row.name.ljust(wide), row.state, row.seen))
        told += [("", "", f"→ {own(row.do)}")] if row.do else []
    return [listing(told, Column("check"), Column("state"), whole_text("seen"))]


def _examined(workspace: str) -> list[Row]:
    from memd.errors import StorageError, WorkspaceMissingError
    from memd.service.care.doctor import FAIL, OF_WORKSPACE, SKIP, Row, examine
    from memd.service.care.doctor_machine import OF_MACHINE, check_the_index
    from memd.service.care.doctor_outside import OF_OTHERS

    try:
        scope = _scope(workspace)
    except WorkspaceMissingError as error:
        return [Row("workspace", FAIL, str(error), error.hint), *examine(_nowhere(), OF_MACHINE[:3])]
    first = examine(scope, OF_WORKSPACE[:1])
    try:
        scope.tree.entries(".")
    except (OSError, StorageError):
        return first + [Row(name, SKIP, "the workspace cannot be opened") for name, _ in OF_WORKSPACE[1:]]
    daemon = examine(scope, (("daemon", check_daemon),))
    own = (*OF_WORKSPACE[1:], ("index", check_the_index))
    others = (*OF_OTHERS, ("beside", check_beside))
    rest = (("watcher", check_watcher), ("socket", check_socket), *own, *OF_MACHINE, *others)
    return [*first, *daemon, *examine(scope, rest)]


def check_beside(scope: Scope) -> Iterator[Row]:
    """What agents keep of their own says nothing else than what is remembered, and nothing twice."""
    import asyncio

    from memd.errors import MemdError
    from memd.service.care.doctor import OK, SKIP, WARN, Row
    from memd.service.judging.beside import AGAINST, PERHAPS, SAME, files_beside

    files = files_beside(scope.home, scope.here, scope.workspace, scope.environment)
    if not files:
        yield Row("beside", SKIP, "agents keep nothing of their own here")
        return
    try:
        found = asyncio.run(compared(scope.workspace, scope.here, files))
    except MemdError as error:  # why it cannot be opened is told where that belongs
        yield Row("beside", SKIP, f"agents' files are not looked at: {error}")
        return
    wrong = {
        AGAINST: "Correct the one that is wrong", PERHAPS: "Look which of the two holds",
        SAME: "One of the two is enough",
    }  # fmt: skip
    for one in found[:BESIDE]:
        yield Row(
            "beside", WARN, seen_beside(one), f"{wrong[one.how]}: the line, or `memd show {one.role} {one.memory[:8]}`."
        )
    if len(found) > BESIDE:
        yield Row("beside", WARN, f"and {len(found) - BESIDE} more in agents' files", "Fix these first.")
    if not found:
        said = sum(len(one.stated) for one in files)
        yield Row(
            "beside",
            OK,
            f"{counted(said, 'statement')} in {counted(len(files), 'file')} of agents, nothing against what is remembered",
        )


async def compared(workspace: str, here: str, files: list[BesideFile], role: str = "") -> list[Beside]:
    """Return how statements of files stand to what a role remembers, else the person's own; nothing is written."""
    from dataclasses import replace

    from memd.config import place_of
    from memd.daemon import local
    from memd.places import BY_NAME
    from memd.service.judging.beside import compare

    place = place_of(workspace)
    given = place.embeddings
    own = replace(given, where="none" if given.where == "none" else BY_NAME)
    async with local(replace(place, embeddings=own), writes=False) as opened:
        return await compare(opened.store, here, files, role)


def seen_beside(one: Beside) -> str:
    """Return how a statement stands to a memory, in a sentence with its file and line."""
    return f"{one.path}:{one.stated.line}: “{_short(one.stated.text)}” {one.how} memory {one.memory[:8]} of {one.role}: “{_short(one.text)}”"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= QUOTED else f"{plain[:QUOTED]}…"


def _scope(workspace: str) -> Scope:
    """Return what is looked at. A folder without memd.toml is looked at too, if it was once a workspace: that is a finding."""
    from memd import __version__
    from memd.cli.services import folder_of_units, installed_plan
    from memd.client import socket_of
    from memd.config import place_of
    from memd.errors import ServiceMissingError, WorkspaceMissingError
    from memd.service.care.doctor import Scope

    path = _path_of(workspace)
    try:
        place = place_of(path)
        cache, state = place.cache, place.state
    except WorkspaceMissingError:
        cache = state = ""
    home, here = os.path.expanduser("~"), os.path.realpath(".")
    try:
        units = installed_plan(path).units()
    except ServiceMissingError:
        units = {}  # a path that no unit can name has none
    return Scope(
        path,
        cache,
        socket_of(path),
        home,
        here,
        os.environ,
        __version__,
        unit_folder=folder_of_units(),
        units=units,
        state=state,
    )


def _path_of(workspace: str) -> str:
    from memd.client import find_workspace
    from memd.errors import WorkspaceMissingError

    named = workspace or os.environ.get("MEMD_WORKSPACE", "")
    if named and os.path.isdir(named):
        return os.path.realpath(named)
    try:
        return find_workspace(workspace)
    except WorkspaceMissingError:
        path = os.path.realpath(".")
        while not named and not (os.path.isdir(f"{path}/roles") and os.path.isdir(f"{path}/.memory")):
            if path == os.path.dirname(path):
                raise
            path = os.path.dirname(path)
        if named:
            raise
        return path


def _nowhere() -> Scope:
    from memd import __version__
    from memd.service.care.doctor import Scope

    return Scope("", "", "", "", "", os.environ, __version__)


ANSWER_S = 5.0
PROBE_S, STEP_S = 5.0, 0.05
ROUNDED_S = 0.1  # the daemon tells its seconds so


def check_daemon(scope: Scope) -> Iterator[Row]:
    """A daemon answers, of our version, for this workspace, and holds nothing up."""
    from memd.errors import BadReplyError, BadSocketError, DaemonMissingError, DeadlineError
    from memd.service.care.doctor import FAIL, Row
    from memd.storage.lock import holder_of

    scope.holder = holder_of(scope.workspace)
    try:
        status = _status(scope)
    except DaemonMissingError:
        yield _unreachable(scope, f"cannot be reached at {scope.socket}")
        return
    except DeadlineError:
        yield _unreachable(scope, f"does not answer at {scope.socket}")
        return
    except (BadReplyError, BadSocketError) as error:
        yield Row("daemon", FAIL, str(error), f"Find out what made {scope.socket} and stop it, or set MEMD_SOCKET to another path.")  # fmt: skip
        return
    if status["workspace"] != scope.workspace:
        served = f"process {status['pid']} at {scope.socket} serves {status['workspace']}"
        yield Row("daemon", FAIL, served, "Unset MEMD_SOCKET, or name the workspace.")
        return
    scope.status = status
    yield from _told(scope, status)


def _told(scope: Scope, status: dict[str, Any]) -> Iterator[Row]:
    from memd.service.care.doctor import FAIL, OK, WARN, Row

    seen = f"process {status['pid']}, version {status['version']}, up {status['uptime_s']:g} s"
    if status["version"] != scope.version:
        yield Row("daemon", FAIL, f"{seen}; this command is version {scope.version}", f"{scope.again}.")
    elif status["state"] != "serving":
        yield Row("daemon", FAIL, f"{seen}: {status['state']}", f"{scope.again}.")
    else:
        yield Row("daemon", OK, seen)
    if status["mode"].startswith("read-only"):
        yield Row("writing", FAIL, status["mode"], f"Make the workspace writable. {scope.again}.")
    held = [f"{name}: {why}" for name, why in status["held"].items()]
    if held:
        yield Row("writing", WARN, "; ".join(held), "Look at what is named; the log keeps what was acknowledged.")


def _unreachable(scope: Scope, how: str) -> Row:
    """Return the row of a daemon that does not answer: none there is nothing wrong, one that holds the workspace is."""
    from memd.service.care.doctor import FAIL, SKIP, WARN, Row

    if scope.holder is None:
        if how.startswith("cannot"):
            return Row("daemon", SKIP, "none runs; commands do its work themselves")
        return Row("daemon", FAIL, f"something {how}", f"Find out what made {scope.socket} and stop it.")
    who = f"process {scope.holder.pid}" if scope.holder.pid else "a process that the lock does not name"
    if scope.holder.what == "command":
        return Row("daemon", WARN, f"{who}, a command, is at work in the workspace", "Wait for it, and look again.")
    return Row("daemon", FAIL, f"{who} holds the workspace and {how}", f"{scope.again}.")


def _status(scope: Scope) -> dict[str, Any]:
    """Return a daemon's status, and note where it listens and how it is asked again; BadReplyError for anything else."""
    from memd.errors import BadReplyError, MemdError

    def ask() -> dict[str, Any] | None:
        try:
            with _connected(scope) as client:
                reply = client.call("status")
        except MemdError:
            return None
        return reply if _is_status(reply) else None

    with _connected(scope) as client:
        scope.socket = client.path
        try:
            reply = client.call("status")
        except (ValueError, LookupError, TypeError, AttributeError):
            raise BadReplyError(client.path) from None
    if not _is_status(reply):
        raise BadReplyError(scope.socket)
    scope.ask = ask
    return reply


def _connected(scope: Scope) -> Client:
    from memd.client import Client
    from memd.errors import DaemonMissingError, WorkspaceMissingError
    from memd.storage.lock import told_socket

    try:
        return Client.of_workspace(scope.workspace, deadline_s=ANSWER_S, protocol=0)
    except WorkspaceMissingError:  # its memd.toml is gone, and its daemon may go on
        told = told_socket(scope.workspace)
        try:
            return Client(scope.socket, deadline_s=ANSWER_S, protocol=0)
        except DaemonMissingError:
            return Client(told or scope.socket, deadline_s=ANSWER_S, protocol=0)


def _is_status(reply: Any) -> bool:
    kinds: dict[str, Any] = {
        "pid": int, "version": str, "uptime_s": (int, float), "workspace": str, "state": str, "mode": str, "held": dict,
        "watcher": dict, "index": dict,
    }  # fmt: skip
    return isinstance(reply, dict) and all(isinstance(reply.get(key), kind) for key, kind in kinds.items())


def check_watcher(scope: Scope) -> Iterator[Row]:
    """The daemon hears of changes: proven by touching a file of memd's own that it listens to."""
    from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Row

    if scope.status is None:
        yield Row("watcher", SKIP, "no daemon answers")
        return
    watcher = scope.status["watcher"]
    if watcher["mode"] != "events":
        why = watcher.get("why") or "it is starting"
        yield Row(
            "watcher", WARN, f"{watcher['mode']}: {why}", "Changes by others are seen within seconds, not at once."
        )
        return
    if scope.status["mode"].startswith("read-only") or not watcher["reconciled"]["at"]:
        yield Row("watcher", SKIP, "it cannot be checked now; the daemon has not looked at everything yet")
        return
    begun_s = time.monotonic()
    heard = _hears(scope, begun_s)
    took_ms = (time.monotonic() - begun_s) * 1000
    if heard:
        missed = f", {watcher['missed']} changes missed since it began" if watcher["missed"] else ""
        yield Row(
            "watcher", OK, f"noticed a test change within {took_ms:.0f} ms, {watcher['folders']} directories{missed}"
        )
    else:
        yield Row("watcher", FAIL, f"a test change was not noticed within {PROBE_S:g} s", f"{scope.again}.")


def _hears(scope: Scope, begun_s: float) -> bool:
    from memd.storage.layout import LOCK

    os.utime(f"{scope.workspace}/{LOCK}", follow_symlinks=False)
    while (since_s := time.monotonic() - begun_s) < PROBE_S and (status := scope.ask()) is not None:
        heard_s: Any = status["watcher"].get("heard_s_ago")
        if heard_s is not None and heard_s <= since_s + ROUNDED_S / 2:
            return True
        time.sleep(STEP_S)
    return False


def check_socket(scope: Scope) -> Iterator[Row]:
    """Nobody else can reach the socket, and none is left of a daemon that died."""
    from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Row

    folder = os.path.dirname(scope.socket)
    try:
        above = os.lstat(folder)
    except FileNotFoundError:
        yield Row("socket", SKIP, f"{folder} is made when a daemon starts")
        return
    mode = stat.S_IMODE(above.st_mode)
    if not stat.S_ISDIR(above.st_mode) or above.st_uid != os.geteuid():
        yield Row("socket", FAIL, f"{folder} is not a directory of ours", "Find out who made it; memd does not use it.")
        return
    if mode & 0o077:
        yield Row("socket", FAIL, f"{folder} is open to others ({mode:04o})", f"Run `chmod 700 {folder}`.")
        return
    try:
        found = os.lstat(scope.socket)
    except FileNotFoundError:
        held = scope.holder is not None and scope.holder.what == "daemon"
        yield Row("socket", SKIP if held else OK, f"nobody listens at {scope.socket}; {folder} is ours alone")
        return
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
        yield Row(
            "socket", FAIL, f"{scope.socket} is no socket of ours", "Remove it, or set MEMD_SOCKET to another path."
        )
    elif scope.status is None and not _is_listening(scope.socket):
        do = f"{scope.again}: it takes its place."
        yield Row("socket", WARN, f"{scope.socket} is left of a daemon that died", do)
    elif mode & 0o077:
        seen = f"{scope.socket} has mode {mode:04o}; its directory keeps others out"
        yield Row("socket", WARN, seen, f"{scope.again}: it makes it 0600.")
    else:
        yield Row("socket", OK, f"{scope.socket}: ours alone (0700, 0600), and other users are refused")


def _is_listening(path: str) -> bool:
    from memd.client import Client
    from memd.errors import MemdError

    try:
        Client(path).close()
    except MemdError as error:
        return error.code != "daemon.missing"
    return True
