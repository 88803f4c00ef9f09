"""Verbs that begin and watch: init, up, status; down, which ends, is in a module of its own."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import queue
import shlex
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from memd.cli.reach import ask, is_running, json_option, workspace_option
from memd.cli.show import Part, emit, own, own_call, table
from memd.cli.starting import start_detached
from memd.errors import DaemonThereError, WorkspaceBusyError, WorkspaceExistsError

if TYPE_CHECKING:
    from memd.config import Place
    from memd.store.store import Store


@click.command("init")
@click.argument("directory", default=".")
@click.option("--role", "roles", multiple=True, help="Make this role too; the template has `main`.")
@json_option
def init_command(directory: str, roles: tuple[str, ...], as_json: bool) -> None:
    """Make a workspace in DIRECTORY from the template. Nothing that is there is touched.

    \b
    memd init my-memory
    """
    made, kept = make_workspace(directory)
    for role in roles:
        ask(directory, "role.create", name=role)
    reply = {"workspace": os.path.realpath(directory), "files": made, "kept": kept}
    lines = [
        f"made a workspace in {directory}: {len(made)} files",
        f"now: {own_call('up --detach --workspace', shlex.quote(directory))}",
    ]
    if kept:
        lines.insert(1, f"kept as they were: {', '.join(kept)}")
    if ".gitignore" in kept:
        lines.insert(2, "add to your .gitignore what workspace-template/.gitignore names: .memory/wal.jsonl and others")
    emit(reply, as_json, "\n".join(lines))


def make_workspace(directory: str) -> tuple[list[str], list[str]]:
    """Copy the template into a directory; return what was written, and what was there and stays."""
    from memd.storage.files import Tree
    from memd.store.keep.template import copy_template

    if os.path.exists(directory) and not os.path.isdir(directory):
        raise click.BadParameter(f"{directory!r} is a file, and a workspace is a directory", param_hint="DIRECTORY")
    os.makedirs(directory, exist_ok=True)
    if os.path.exists(os.path.join(directory, "memd.toml")):
        raise WorkspaceExistsError(os.path.join(directory, "memd.toml"))
    tree = Tree(os.path.realpath(directory))
    try:
        return copy_template(tree, "workspace")
    finally:
        tree.close()


@click.command("up")
@click.option("--detach", is_flag=True, help="Start in the background and return when it answers.")
@click.option("--socket", default="", metavar="PATH", help="Listen here instead.")
@click.option("--silent-later", is_flag=True, hidden=True)
@workspace_option
def up_command(detach: bool, socket: str, silent_later: bool, workspace: str) -> None:
    """Run the daemon in the foreground until Ctrl-C.

    \b
    memd up
    memd up --detach
    memd down             # stops it
    """
    from memd.config import place_of

    place = place_of(workspace, socket)
    if detach:
        _up_detached(place, workspace, socket)
        return
    from memd.storage.lock import taken_first

    holder = {"pid": os.getpid(), "what": "daemon", "socket": place.socket, "since_s": round(time.time(), 1)}
    try:
        lock = taken_first(place.workspace, holder)
    except WorkspaceBusyError as error:
        from memd.cli.stopping import there
        from memd.doors.listening import take_manager

        take_manager().tell(status=str(error))
        known = there(workspace, place.workspace)
        raise DaemonThereError(known) if known else error from None
    gc.disable()  # what is imported stays: to walk it again and again takes a tenth of a start
    from memd.daemon import serve

    diary = write_apart()
    try:
        asyncio.run(serve(place, partial(_ready, silent_later), lock))
    finally:
        diary.close()


def _ready(silent_later: bool, opened: Store, path: str) -> None:
    """Say what is served now; `silent_later`: whoever started this has heard enough."""
    from memd.service.granting import asks_of, sentence

    roles = ", ".join(f"{role.name} ({role.count})" for role in opened.roles.values())
    click.echo(f"memd {os.getpid()} holds {opened.path}\nlistening at {path}\nroles: {roles}", err=True)
    if opened.writer.read_only:
        click.echo(f"read-only: {opened.writer.read_only}", err=True)
    if vain := sentence(asks_of(opened.tree, opened.in_force.trust.trusted)):
        click.echo(vain, err=True)
    if silent_later:
        from memd.storage.processes import fall_silent

        fall_silent()


def _up_detached(place: Place, workspace: str, socket: str) -> None:
    """Have a daemon run in the background; one that runs already will do, unless it was to listen elsewhere."""
    from memd.cli.stopping import stop_line, there
    from memd.doors.listening import check_directory
    from memd.storage.lock import told_socket

    known = there(workspace, place.workspace)
    if known and is_running(place.workspace) and (not socket or told_socket(place.workspace) == place.socket):
        click.echo(f"memd runs here already: {known}")
        return
    if known:
        raise DaemonThereError(known)
    check_directory(os.path.dirname(place.socket))  # said here, and not into a diary that nobody reads
    pid = start_detached(place.workspace, place.socket)
    click.echo(f"memd {pid} answers at {place.socket}\nto stop it: {stop_line(workspace)}")


@click.command("status")
@json_option
@workspace_option
def status_command(as_json: bool, workspace: str) -> None:
    """Tell how the workspace is: who holds it, roles, rejected files, limits.

    \b
    memd status
    """
    reply = ask(workspace, "status", outside=True)
    emit(reply, as_json, *status_parts(reply))


def watching_lines(reply: dict[str, Any]) -> list[str]:
    """Return how the files are watched and how the index is, for a person."""
    from memd.text.counting import counted

    watcher, index = reply["watcher"], reply["index"]
    lines = []
    if watcher["mode"] != "none":
        last = watcher["reconciled"]
        heard = "nothing heard yet" if "heard_s_ago" not in watcher else f"heard {watcher['heard_s_ago']:g} s ago"
        lines.append(
            f"watcher   {watcher['mode']}, {counted(watcher['folders'], 'directory')}, {heard}, {watcher['missed']} missed"
        )
        lines.append(
            f"scan      {last['at'] or 'not yet'}: {counted(last['files'], 'file')}, {last['found']} changed,"
            f" {last['took_ms']:g} ms; {counted(reply['files'], 'file')} searched"
        )
        if watcher.get("why"):
            lines.append(f"          {watcher['why']}")
    fault = f"; {index['fault']}" if index.get("fault") else ""
    documents = f", {counted(index['documents'], 'document')}" if "documents" in index else ""
    lines.append(f"index     {index['state']}{documents}, {index['behind']} behind{fault}")
    return lines + meaning_lines(reply["embedder"])


def meaning_lines(embedder: dict[str, Any]) -> list[str]:
    """Return how the model is that finds what shares no word, for a person."""
    from memd.text.counting import counted

    model, why = embedder.get("model") or "the model", embedder["why"]
    if embedder["state"] == "ready":
        behind = f", {counted(embedder['behind'], 'text')} still to be read" if embedder["behind"] else ""
        unread = "" if embedder.get("vectors") or behind else "; a role's memories are read when it is first asked"
        return [f"meaning   {model} is ready{behind}{unread}"]
    if why:
        return [f"meaning   by words alone: {why}"]
    return [
        f"meaning   {'the model is being loaded' if embedder['state'] == 'starting' else 'the model starts when something is asked or told'}"
    ]


def _who(reply: dict[str, Any]) -> str:
    from memd.cli.show import lasted

    return f"pid {reply['pid']}, up for {lasted(reply['uptime_s'])}" if reply["pid"] else "no daemon runs"


def past_lines(past: dict[str, Any] | None) -> list[str]:
    """Return how far the past is taken in, for a person."""
    if not past:
        return []
    far = f"{past['done']} of {past['of']} conversations taken in" if past["of"] else "it begins"
    held = f"; held up: {past['why']}" if past["why"] else f", now {past['session']}" if past["session"] else ""
    return [own(f"past      {far}{held}; `memd import --undo {past['id']}` takes it back")]


def unheard_lines(unheard: dict[str, Any]) -> list[str]:
    """Return what waits of conversations that no daemon heard, for a person."""
    from memd.text.counting import counted

    lines = []
    if unheard["waiting"]:
        lines.append(f"unheard   {counted(unheard['waiting'], 'event')} of conversations to be taken in")
    if unheard["lost"]:
        lines.append(f"unheard   {counted(unheard['lost'], 'event')} not kept: there was no room")
    if unheard["aside"]:
        lines.append(f"unheard   {counted(unheard['aside'], 'file')} set aside: {unheard['folder']}/aside")
    return [*lines, *([f"unheard   not used: {unheard['fault']}"] if unheard["fault"] else [])]


def outside_lines(reply: dict[str, Any]) -> list[str]:
    """Return which agents have memd's hooks and how git stands to its remote, for a person."""
    from memd.text.counting import counted

    lines = []
    if agents := [one for one in reply.get("agents", []) if one["state"] != "none"]:
        lines.append(f"hooks     {', '.join(one['agent'] + ': ' + one['state'] for one in agents)}")
    sync = reply.get("sync")
    if sync and sync["remote"]:
        told = (
            f"{sync['ahead']} ahead of {sync['remote']}, {sync['behind']} behind"
            if not sync["why"]
            else f"{sync['remote']} not fetched yet"
        )
        lines.append(f"sync      {told}, {counted(sync['uncommitted'], 'file')} not committed")
    return lines


def status_parts(reply: dict[str, Any]) -> list[Part]:
    """Return a status for a person."""
    lines: list[Part] = [
        f"memd {reply['version']}, {_who(reply)}, {reply['mode']}",
        f"workspace {reply['workspace']}",
        f"socket    {reply['socket']}",
        table(
            ("role", "memories", "not in file yet"), [(r["name"], r["memories"], r["waiting"]) for r in reply["roles"]]
        ),
    ]
    lines += watching_lines(reply)
    if held := reply["embedder"].get("provisional"):
        from memd.text.counting import counted

        lines.append(f"by words  {counted(held, 'verdict')} to be judged again when the model has time")
    lines += [f"rejected: {' '.join(one.split())}" for one in reply["rejected"]]
    lines += [f"held: {' '.join(f'{target}: {why}'.split())}" for target, why in reply["held"].items()]
    lines += [reply["trust"]["said"]] if reply["trust"]["said"] else []
    lines += [f"nothing is granted: {reply['trust']['fault']}"] if reply["trust"]["fault"] else []
    lines += outside_lines(reply) + unheard_lines(reply["unheard"]) + past_lines(reply.get("past"))
    used = [
        (name, one["used"], one["limit"], f"nearly full {one.get('largest', '')}".rstrip() if one["warning"] else "")
        for name, one in reply["limits"].items()
    ]
    lines.append(table(("limit", "used", "of", ""), used))
    return lines


LINES = 10_000  # wait to be written; of more the newest are counted and left out
CLOSE_S = 1.0


class Diary(logging.Handler):
    """Hands lines to another handler in a thread."""

    def __init__(self, inner: logging.Handler) -> None:
        super().__init__()
        self.inner = inner
        self.left_out = 0
        self._lines: queue.Queue[logging.LogRecord | None] = queue.Queue(LINES)
        self._writer = threading.Thread(target=self._write, name="diary", daemon=True)
        self._writer.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a line, or count it where nobody has read for long."""
        with contextlib.suppress(Exception):
            record.msg, record.args = record.getMessage(), None  # what it names may change before it is written
        try:
            self._lines.put_nowait(record)
        except queue.Full:
            self.left_out += 1

    def close(self) -> None:
        """Write what is queued, for a while."""
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=CLOSE_S)
        self._writer.join(CLOSE_S)
        super().close()

    def _write(self) -> None:
        while (record := self._lines.get()) is not None:
            self.inner.handle(record)
            left_out, self.left_out = self.left_out, 0
            if left_out:
                why = f"{left_out} lines were left out: nobody read them"
                self.inner.handle(logging.LogRecord(__name__, logging.WARNING, __file__, 0, why, None, None))


def write_apart() -> Diary:
    """Have a diary from here on, and every line of it written apart from the work; close what is returned at the end."""
    root = logging.getLogger()
    root.setLevel(min(root.level, logging.INFO))
    diary = Diary(root.handlers[0])
    root.handlers[:] = [diary]
    return diary
