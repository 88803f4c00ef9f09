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
from memd.cli.show import emit, short, table, width

if TYPE_CHECKING:
    from memd.service.care.doctor import Row, Scope

ANSWER_S = 5.0
PROBE_S, STEP_S = 5.0, 0.05
ROUNDED_S = 0.1  # the daemon tells its seconds so
SEEN_COLUMNS = 200


@click.command("doctor")
@json_option
@workspace_option
def doctor_command(as_json: bool, workspace: str) -> int:
    """Look at everything memd stands on: files, log, index, daemon, socket, limits, git, agents, service.

    Each line is a check with what was seen, and what to do where something is wrong. The exit status is 1 where a check
    fails. It works with and without a daemon, and changes nothing.

    \b
    memd doctor
    memd doctor --json
    """
    rows = _examined(workspace)
    counts = Counter(one.state for one in rows)
    reply = {"checks": [one._asdict() for one in rows], "counts": dict(counts)}
    emit(reply, as_json, _text(rows))
    return 1 if counts["fail"] else 0


def _text(rows: list[Row]) -> str:
    wide = max(width(one.name) for one in rows) + 8
    lines = table(("check", "", "seen"), [(one.name, one.state, short(one.seen, SEEN_COLUMNS)) for one in rows])
    shown: list[str] = []
    for line, row in zip(lines.split("\n")[1:], rows, strict=True):
        shown.append(line)
        if row.do:
            shown.append(f"{' ' * wide}→ {row.do}")
    return "\n".join(shown)


def _examined(workspace: str) -> list[Row]:
    from memd.errors import WorkspaceMissingError
    from memd.service.care.doctor import FAIL, OF_WORKSPACE, SKIP, Row, examine
    from memd.service.care.doctor_machine import OF_MACHINE
    from memd.service.care.doctor_outside import OF_OTHERS

    try:
        scope = _scope(workspace)
    except WorkspaceMissingError as error:
        return [Row("workspace", FAIL, str(error), error.hint), *examine(_nowhere(), OF_MACHINE[:2])]
    first = examine(scope, OF_WORKSPACE[:1])
    if first[0].state == FAIL:
        return first + [Row(name, SKIP, "the workspace cannot be opened") for name, _ in OF_WORKSPACE[1:]]
    daemon = examine(scope, (("daemon", check_daemon),))
    rest = (("watcher", check_watcher), ("socket", check_socket), *OF_WORKSPACE[1:], *OF_MACHINE, *OF_OTHERS)
    return [*first, *daemon, *examine(scope, rest)]


def _scope(workspace: str) -> Scope:
    """Return what is looked at. A folder that is named is looked at though it has no memd.toml: that is a finding."""
    from memd import __version__
    from memd.cli.services import folder_of_units, plan_of
    from memd.client import find_workspace, socket_of
    from memd.config import place_of
    from memd.errors import ServiceMissingError, WorkspaceMissingError
    from memd.service.care.doctor import Scope

    path = os.path.realpath(workspace) if workspace and os.path.isdir(workspace) else find_workspace(workspace)
    try:
        cache = place_of(path).cache
    except WorkspaceMissingError:
        cache = ""
    home, here = os.path.expanduser("~"), os.path.realpath(".")
    try:
        units = plan_of(path, None).units()
    except ServiceMissingError:
        units = {}  # a path that no unit can name has none
    return Scope(
        path, cache, socket_of(path), home, here, os.environ, __version__, unit_folder=folder_of_units(), units=units
    )


def _nowhere() -> Scope:
    from memd import __version__
    from memd.service.care.doctor import Scope

    return Scope("", "", "", "", "", os.environ, __version__)


def check_daemon(scope: Scope) -> Iterator[Row]:
    """A daemon answers, of our version, for this workspace, and holds nothing up."""
    from memd.client import Client
    from memd.errors import DaemonMissingError, DeadlineError
    from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Row

    try:
        with Client(scope.socket, deadline_s=ANSWER_S) as client:
            status = scope.status = client.call("status")
    except DaemonMissingError:
        yield Row("daemon", SKIP, "none runs; commands do its work themselves", "")
        return
    except DeadlineError:
        do = "Stop it and start it again: `memd up`; its process is named in .memory/lock."
        yield Row("daemon", FAIL, f"it does not answer at {scope.socket}", do)
        return
    seen = f"process {status['pid']}, version {status['version']}, up {status['uptime_s']:g} s"
    again = "Stop it and start it again: `memd up`, or `systemctl --user restart` its service."
    if status["workspace"] != scope.workspace:
        yield Row(
            "daemon", FAIL, f"{seen}: it serves {status['workspace']}", "Unset MEMD_SOCKET, or name the workspace."
        )
    elif status["version"] != scope.version:
        yield Row("daemon", FAIL, f"{seen}; this command is version {scope.version}", again)
    elif status["state"] != "serving":
        yield Row("daemon", FAIL, f"{seen}: {status['state']}", again)
    else:
        yield Row("daemon", OK, seen)
    if status["mode"].startswith("read-only"):
        yield Row("writing", FAIL, status["mode"], "Make the workspace writable, then start the daemon again.")
    held = [f"{name}: {why}" for name, why in status["held"].items()]
    if held:
        yield Row("writing", WARN, "; ".join(held), "Look at what is named; the log keeps what was acknowledged.")


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
        yield Row("watcher", FAIL, f"a touch was not heard within {PROBE_S:g} s", "Start the daemon again.")


def _hears(scope: Scope, begun_s: float) -> bool:
    from memd.client import Client
    from memd.storage.layout import LOCK

    os.utime(f"{scope.workspace}/{LOCK}", follow_symlinks=False)
    with Client(scope.socket, deadline_s=ANSWER_S) as client:
        while (since_s := time.monotonic() - begun_s) < PROBE_S:
            heard_s: Any = client.call("status")["watcher"]["heard_s_ago"]
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
        yield Row("socket", OK, f"{folder} is ours alone; nobody listens")
        return
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
        yield Row(
            "socket", FAIL, f"{scope.socket} is no socket of ours", "Remove it, or set MEMD_SOCKET to another path."
        )
    elif scope.status is None and not _is_listening(scope.socket):
        do = "Run `memd up`: it takes its place."
        yield Row("socket", WARN, f"{scope.socket} is left of a daemon that died", do)
    elif mode & 0o077:
        seen = f"{scope.socket} has mode {mode:04o}; its directory keeps others out"
        yield Row("socket", WARN, seen, "Start the daemon again: it makes it 0600.")
    else:
        yield Row("socket", OK, f"{scope.socket}: ours alone (0700, 0600), and other users are refused")


def _is_listening(path: str) -> bool:
    from memd.client import Client
    from memd.errors import DaemonMissingError

    try:
        Client(path).close()
    except DaemonMissingError:
        return False
    return True
