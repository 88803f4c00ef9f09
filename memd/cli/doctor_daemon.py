"""doctor's look at the daemon: it answers, hears of changes, and listens where nobody else can."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.client import Client
    from memd.service.care.doctor import Row, Scope

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
        yield Row("watcher", SKIP, "it cannot be proven now; the daemon has not looked at everything yet")
        return
    begun_s = time.monotonic()
    heard = _hears(scope, begun_s)
    took_ms = (time.monotonic() - begun_s) * 1000
    if heard:
        missed = f", {watcher['missed']} changes missed since it began" if watcher["missed"] else ""
        yield Row("watcher", OK, f"heard a touch within {took_ms:.0f} ms, {watcher['folders']} directories{missed}")
    else:
        yield Row("watcher", FAIL, f"a touch was not heard within {PROBE_S:g} s", f"{scope.again}.")


def _hears(scope: Scope, begun_s: float) -> bool:
    from memd.storage.layout import LOCK

    os.utime(f"{scope.workspace}/{LOCK}", follow_symlinks=False)
    while (since_s := time.monotonic() - begun_s) < PROBE_S and (status := scope.ask()) is not None:
        heard_s: Any = status["watcher"]["heard_s_ago"]
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
