"""The verb down, and who is there: the daemon of a workspace, found by the lock it holds and never by a name or a port."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import emit, lasted
from memd.client import Client, find_workspace
from memd.errors import DaemonStaysError, MemdError

if TYPE_CHECKING:
    from memd.storage.lock import Holder
    from memd.storage.processes import Running

NO_DAEMON = 69
WAIT_S, ANSWER_S = 10.0, 2.0


@click.command("down")
@click.option("--wait", "wait_s", type=click.FloatRange(0, 600), default=WAIT_S, show_default=True, help="How many seconds it may take to end.")  # fmt: skip
@json_option
@workspace_option
def down_command(wait_s: float, as_json: bool, workspace: str) -> int:
    """Stop the daemon of this workspace, and wait until it is gone.

    It answers what it was asked and writes what it has acknowledged. Other
    workspaces' daemons go on. The exit status is 69 where none runs.

    \b
    memd down
    memd down --workspace my-memory
    """
    path = find_workspace(workspace)
    sockets = _waiting_units(path)
    pid, since_s = stop_daemon(path, sockets, wait_s)
    stopped = bool(pid)
    reply = {"workspace": path, "stopped": stopped, "pid": pid or None, "starts_again": sockets}
    if not pid:
        lines = [f"No daemon runs for {path}; nothing was stopped.", *_at_work(path)]
    else:
        ran = f" It ran for {lasted(time.time() - since_s)}." if since_s else ""
        lines = [f"Stopped the daemon of {path}, process {pid}.{ran}"]
    for one in sockets:
        lines.append(f"systemd starts {'it again' if stopped else 'one'} at the next request. To prevent that:")
        lines.append(f"  systemctl --user stop {one}")
    emit(reply, as_json, "\n".join(lines))
    return 0 if stopped else NO_DAEMON


def stop_daemon(path: str, sockets: Sequence[str] = (), wait_s: float = WAIT_S) -> tuple[int, float]:
    """Stop the daemon of a workspace and wait for its end; return which process it was, 0 where none ran, and since when it ran.

    `sockets`: units of systemd's that would start one that is asked. DaemonStaysError.
    """
    with _daemon_of(path, sockets) as (process, since_s):
        if process is None:
            return 0, 0.0
        process.ask_to_end()
        if not process.ends_within(wait_s):
            raise DaemonStaysError(_who(process.pid, path), f"has not ended after {wait_s:g} s", _patience(process.pid))
        return process.pid, since_s


def there(workspace: str, path: str) -> str:
    """Return who is a workspace's daemon: process, since when, where it listens, and how it is stopped; "" where none is.

    `workspace` is what was typed, so that the command to stop it is one that works from here.
    """
    from memd.storage.lock import holder_of, told_socket

    holder = holder_of(path)
    if holder is None or holder.what != "daemon":
        return ""
    since = datetime.fromtimestamp(holder.since_s).astimezone() if holder.since_s else None
    lines = [f"process {holder.pid or 'unknown'}" + (f", since {since:%Y-%m-%d %H:%M:%S}" if since else "")]
    lines.append(f"workspace  {path}")
    lines.append(f"socket     {told_socket(path) or 'does not listen yet'}")
    lines.append(f"to stop    {stop_line(workspace)}")
    return "\n  ".join(lines)


def stop_line(workspace: str) -> str:
    """Return the command that stops the daemon of the workspace that was named so."""
    from memd.storage.itself import typed_line

    return typed_line("down", *(["--workspace", workspace] if workspace else []))


@contextmanager
def _daemon_of(path: str, sockets: Sequence[str]) -> Iterator[tuple[Running | None, float]]:
    """Hold the daemon of a workspace: by its lock; one that cannot write has none, and is asked who it is.

    Where the system listens for it at `sockets`, it is not asked: that would start it. DaemonStaysError for one out of reach.
    """
    from memd.storage.layout import LOCK
    from memd.storage.lock import holder_of
    from memd.storage.processes import running

    holder = holder_of(path)
    locked = holder is not None and holder.what == "daemon"
    pid = holder.pid if holder else _started_by_system(sockets) if sockets else _answering(path)
    pid = pid if locked or holder is None else 0  # a command ends by itself
    with running(pid) if pid else contextlib.nullcontext() as process:
        if holder and locked and not _is(process, path, os.path.join(path, LOCK)):
            raise DaemonStaysError(_who(holder.pid, path), "cannot be reached from here", _elsewhere(holder))
        gone = process is not None and not locked and _answering(path) != pid  # the number may be another's now
        yield None if gone else process, holder.since_s if holder else 0.0


def _who(pid: int, path: str) -> str:
    return f"process {pid}, the daemon of {path}"


def _is(process: Running | None, path: str, lock: str) -> bool:
    """Tell whether a process is the one that holds the lock: it has the file open, or says that it is."""
    if process is None:
        return False
    seen = process.has_open(lock)
    return _answering(path) == process.pid if seen is None else seen


def _answering(path: str) -> int:
    """Return the process that answers for exactly this workspace, 0 where none does."""
    try:
        with Client.of_workspace(path, deadline_s=ANSWER_S) as client:
            said: dict[str, Any] = client.call("ping")
            return int(said["pid"]) if said.get("workspace") == path else 0
    except (MemdError, OSError, ValueError, LookupError, TypeError):
        return 0


def _started_by_system(sockets: Sequence[str]) -> int:
    from memd.cli.services import shown_unit

    said = shown_unit(sockets[0].removesuffix("socket") + "service").get("pid", "")
    return int(said) if said.isdecimal() else 0


def _waiting_units(path: str) -> list[str]:
    """Return the socket unit by which systemd starts a daemon of this workspace when it is asked, if there is one."""
    from memd.cli.services import folder_of_units, shown_unit
    from memd.places import workspace_key
    from memd.service.care.units import unit_text

    name = f"memd-{workspace_key(path)}.socket"
    if not unit_text(folder_of_units(), name):
        return []
    return [name] if shown_unit(name).get("active") == "active" else []


def _at_work(path: str) -> list[str]:
    from memd.storage.lock import holder_of

    holder = holder_of(path)
    return [f"Process {holder.pid}, a command of memd, is at work in it and ends by itself."] if holder else []


def _patience(pid: int) -> str:
    return (
        f"Wait a little and run `memd down` again: it may be writing to a slow disk. If it never ends, `kill -9 {pid}`"
        " ends it at once; nothing that was acknowledged is lost."
    )


def _elsewhere(holder: Holder) -> str:
    return (
        f"Stop it where it runs: `kill {holder.pid}` in the container or on the machine it was started in,"
        " by the user who started it."
    )
