"""Verbs that begin and watch: init, up, status."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, table
from memd.client import Client
from memd.errors import DaemonMissingError, DeadlineError, WorkspaceBusyError, WorkspaceExistsError

START_S = 30.0


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
    lines = [f"made a workspace in {directory}: {len(made)} files", f"now: cd {directory} && memd up"]
    if kept:
        lines.insert(1, f"kept as they were: {', '.join(kept)}")
    if ".gitignore" in kept:
        lines.insert(2, "add to your .gitignore what workspace-template/.gitignore names: .memory/wal.jsonl and others")
    emit(reply, as_json, "\n".join(lines))


def make_workspace(directory: str) -> tuple[list[str], list[str]]:
    """Copy the template into a directory; return what was written, and what was there and stays."""
    from memd.service.care.template import copy_template
    from memd.storage.files import Tree

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
@click.option("--socket", default="", help="Listen here instead.")
@workspace_option
def up_command(detach: bool, socket: str, workspace: str) -> None:
    """Run the daemon in the foreground until Ctrl-C.

    \b
    memd up
    memd up --detach
    """
    import asyncio

    from memd.config import place_of

    place = place_of(workspace, socket)
    if detach:
        from memd.doors.listening import check_directory

        check_directory(os.path.dirname(place.socket))  # said here, and not into a diary that nobody reads
        pid = start_detached(place.workspace, place.socket)
        click.echo(f"memd {pid} answers at {place.socket}")
        return
    from memd.storage.lock import taken_first

    try:
        lock = taken_first(place.workspace, {"pid": os.getpid(), "what": "daemon", "socket": place.socket})
    except WorkspaceBusyError as error:
        from memd.doors.activation import take_manager

        take_manager().tell(status=str(error))
        raise
    from memd.cli.diary import write_apart
    from memd.daemon import serve
    from memd.service.asking import asks_of, sentence

    def ready(opened: Any, path: str) -> None:
        roles = ", ".join(f"{role.name} ({len(role.compiled.memories)})" for role in opened.roles.values())
        click.echo(f"memd {os.getpid()} holds {place.workspace}\nlistening at {path}\nroles: {roles}", err=True)
        if opened.read_only:
            click.echo(f"read-only: {opened.read_only}", err=True)
        if vain := sentence(asks_of(opened.tree, opened.trust.trusted)):
            click.echo(vain, err=True)

    diary = write_apart()
    try:
        asyncio.run(serve(place, ready, lock))
    finally:
        diary.close()


def start_detached(workspace: str, socket: str, log: str = os.devnull) -> int:
    """Start a daemon in the background, wait until it answers, and return its pid."""
    from memd.storage.itself import child_command

    arguments = [*child_command(), "up", "--workspace", workspace, "--socket", socket]
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, log, flags, 0o600)]
    pid = os.posix_spawn(
        arguments[0], arguments, os.environ, file_actions=[*actions, (os.POSIX_SPAWN_DUP2, 1, 2)], setsid=True
    )
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        try:
            with Client(socket) as client:
                return int(client.call("ping")["pid"])
        except DaemonMissingError:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                raise click.ClickException(
                    f"the daemon ended with status {os.waitstatus_to_exitcode(status)}; run `memd up` to see why"
                ) from None
        time.sleep(0.02)
    raise DeadlineError("memd up", START_S)


@click.command("status")
@json_option
@workspace_option
def status_command(as_json: bool, workspace: str) -> None:
    """Tell how the workspace is: who holds it, roles, rejected files, limits.

    \b
    memd status
    """
    reply = ask(workspace, "status")
    emit(reply, as_json, status_text(reply))


def watching_lines(reply: dict[str, Any]) -> list[str]:
    """Return how the files are watched and how the index is, for a person."""
    watcher, index = reply["watcher"], reply["index"]
    lines = []
    if watcher["mode"] != "none":
        last = watcher["reconciled"]
        heard = "nothing heard yet" if watcher["heard_s_ago"] is None else f"heard {watcher['heard_s_ago']:g} s ago"
        lines.append(
            f"watcher   {watcher['mode']}, {watcher['folders']} directories, {heard}, {watcher['missed']} missed"
        )
        lines.append(
            f"scan      {last['at'] or 'not yet'}: {last['files']} files, {last['found']} had changed,"
            f" {last['took_ms']:g} ms; {reply['files']} files searched"
        )
        if watcher.get("why"):
            lines.append(f"          {watcher['why']}")
    fault = f"; {index['fault']}" if index.get("fault") else ""
    documents = f", {index['documents']} documents" if "documents" in index else ""
    lines.append(f"index     {index['state']}{documents}, {index['behind']} behind{fault}")
    return lines


def _who(reply: dict[str, Any]) -> str:
    return f"pid {reply['pid']}, up {reply['uptime_s']:g} s" if reply["pid"] else "no daemon runs"


def status_text(reply: dict[str, Any]) -> str:
    """Return a status for a person."""
    lines = [
        f"memd {reply['version']}, {_who(reply)}, {reply['mode']}",
        f"workspace {reply['workspace']}",
        f"socket    {reply['socket']}",
        table(
            ("role", "memories", "not in file yet"), [(r["name"], r["memories"], r["waiting"]) for r in reply["roles"]]
        ),
    ]
    lines += watching_lines(reply)
    lines += [f"rejected: {one}" for one in reply["rejected"]]
    lines += [f"held: {target}: {why}" for target, why in reply["held"].items()]
    lines += [reply["trust"]["said"]] if reply["trust"]["said"] else []
    lines += [f"nothing is granted: {reply['trust']['fault']}"] if reply["trust"]["fault"] else []
    used = [
        (name, one["used"], one["limit"], f"nearly full {one.get('largest', '')}".rstrip() if one["warning"] else "")
        for name, one in reply["limits"].items()
    ]
    lines.append(table(("limit", "used", "of", ""), used))
    return "\n".join(lines)
