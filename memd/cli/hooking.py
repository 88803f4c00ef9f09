"""Verbs that connect agents: hook AGENT (what their hooks run), hook install, hook uninstall."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from memd.cli.itself import own_line
from memd.cli.reach import json_option
from memd.cli.show import emit
from memd.errors import AgentSettingsError, StorageError
from memd.model.agents import AGENTS

SCOPES = ("user", "project")
SETTINGS_BYTES = 4_000_000
BACKUP = ".memd-backup-"
# Where an agent keeps its settings: a variable that moves the user's directory, that directory, and the file below it
# or below a project.
HOMES = {
    "claude": ("CLAUDE_CONFIG_DIR", "~/.claude", "settings.json", ".claude/settings.json"),
    "codex": ("CODEX_HOME", "~/.codex", "hooks.json", ".codex/hooks.json"),
    "gemini": ("", "~/.gemini", "settings.json", ".gemini/settings.json"),
    "vscode": ("", "~/.copilot/hooks", "memd.json", ".github/hooks/memd.json"),
}
OF_REPOSITORY = ("codex", "vscode")  # their project's file is looked for at the top of the repository
NEXT = {
    "claude": "Start Claude Code anew; `/hooks` in it lists them.",
    "codex": "Start codex anew and trust the hooks when it asks, or with `/hooks`.",
    "gemini": "Start gemini anew; `/hooks panel` in it lists them.",
    "vscode": "Agent hooks are a preview in VS Code; its output channel of hooks says whether they run.",
}

agent_argument = click.argument("agent", type=click.Choice(AGENTS))
scope_option = click.option(
    "--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Everywhere, or this project alone."
)


@click.group("hook")
def hook_command() -> None:
    """Give agents this memory: Claude Code, Codex, Gemini CLI, VS Code.

    \b
    memd hook install claude
    memd hook install codex --workspace ~/my-memory
    memd hook uninstall claude
    """


def _serving(agent: str) -> click.Command:
    """Return the command that an agent's hooks run; `memd` itself goes past it, straight to the hook."""

    @click.command(
        agent, context_settings={"ignore_unknown_options": True}, short_help=f"What the hooks of {agent} run."
    )
    @click.option(
        "--workspace", "-w", default="", metavar="DIR", help="Else MEMD_WORKSPACE, else above the agent's cwd."
    )
    @click.option("--role", default="", help="Else hooks.role of memd.toml.")
    @click.option("--socket", default="", help="The daemon's, if it is not where it would be.")
    def serve(workspace: str, role: str, socket: str) -> int:
        from memd.doors.hooks.entry import main

        given = {"--workspace": workspace, "--role": role, "--socket": socket}
        return main([agent, *(word for name, value in given.items() if value for word in (name, value))])

    serve.help = (
        "Read one event of the agent as JSON, and print what the agent is told. The exit status is always 0, and"
        f" nothing is printed where no daemon runs.\n\n\b\nmemd hook {agent} --workspace ~/my-memory < event.json"
    )
    return serve


for _agent in AGENTS:
    hook_command.add_command(_serving(_agent))


@hook_command.command("install")
@agent_argument
@scope_option
@click.option("--role", default="", help="Whose memory; else hooks.role of memd.toml, else main.")
@click.option("--workspace", "-w", default="", metavar="DIR", help="The workspace; else the nearest above.")
@click.option("--print", "only_print", is_flag=True, help="Print what the settings would be, and write nothing.")
@json_option
def install_hooks(agent: str, scope: str, role: str, workspace: str, only_print: bool, as_json: bool) -> None:
    """Put memd's hooks into an agent's settings. What is there stays, to the byte, and a backup is made.

    \b
    memd hook install claude
    memd hook install codex --scope project --role 阿远
    memd hook install gemini --print
    """
    from memd.client import find_workspace
    from memd.formats.agent_settings import events_of, has_hooks, installed

    command = command_of(agent, find_workspace(workspace), role)
    path = settings_path(agent, scope)
    text, exists = read_settings(path)
    if only_print:
        click.echo(installed(text, agent, command), nl=False)
        return
    for other in SCOPES:
        there = settings_path(agent, other)
        if os.path.realpath(there) != os.path.realpath(path) and has_hooks(_readable(there), agent):
            error = AgentSettingsError(
                there, f"memd's hooks are there already, in the {other} scope, and both would run"
            )
            error.hint = f"Run `memd hook uninstall {agent} --scope {other}` first, or keep them."
            raise error
    new = installed(text, agent, command)
    backup = write_settings(path, text, new, exists=exists) if new != text else ""
    reply: dict[str, Any] = {
        "agent": agent, "scope": scope, "file": path, "changed": new != text, "backup": backup,
        "events": events_of(agent), "command": command,
    }  # fmt: skip
    lines = [f"{path}: {'memd hook ' + agent if new != text else 'nothing to change, the hooks are there'}"]
    lines += [f"what it was is in {backup}"] if backup else []
    lines += [NEXT[agent], "The hooks say nothing while no daemon runs: `memd up --detach`."] if new != text else []
    emit(reply, as_json, "\n".join(lines))


@hook_command.command("uninstall")
@agent_argument
@scope_option
@json_option
def uninstall_hooks(agent: str, scope: str, as_json: bool) -> None:
    """Take memd's hooks out of an agent's settings, and nothing else.

    \b
    memd hook uninstall claude
    memd hook uninstall codex --scope project
    """
    from memd.formats.agent_settings import is_empty, removed

    path = settings_path(agent, scope)
    text, exists = read_settings(path)
    originals = _backups(path)
    new = removed(text, agent, originals)
    reply = {"agent": agent, "scope": scope, "file": path, "changed": new != text, "removed": False, "backup": ""}
    told = "there are no hooks of memd's"
    if new != text and is_empty(new) and new not in originals:
        _remove(path)
        reply["removed"], told = True, "removed; there was nothing else in it"
    elif new != text:
        reply["backup"] = write_settings(path, text, new, exists=exists, keep=new not in originals)
        told = "memd's hooks are out" + ("; it is as it was before them" if new in originals else "")
    emit(reply, as_json, f"{path}: {told}")


def command_of(agent: str, workspace: str, role: str) -> str:
    """Return the line that the agent's hooks run: this memd by its absolute path, and the workspace."""
    return own_line("hook", agent, "--workspace", workspace, *(["--role", role] if role else []))


def settings_path(agent: str, scope: str) -> str:
    """Return an agent's settings file for a scope, as a person names it: links are followed when it is written."""
    variable, home, file, below = HOMES[agent]
    if scope == "user":
        moved = os.environ.get(variable, "") if variable else ""
        return os.path.join(os.path.abspath(moved) if moved else os.path.expanduser(home), file)
    return os.path.join(_repository() if agent in OF_REPOSITORY else os.getcwd(), below)


def _repository() -> str:
    here = path = os.getcwd()
    while not os.path.exists(os.path.join(path, ".git")):
        above = os.path.dirname(path)
        if above == path:
            return here
        path = above
    return path


def read_settings(path: str) -> tuple[str, bool]:
    """Return what a settings file says, and whether there is one; AgentSettingsError where it cannot be edited."""
    from memd.formats.agent_settings import load
    from memd.storage.files import Tree

    real = os.path.realpath(path)
    if not os.path.lexists(real):
        return "", False
    try:
        tree = Tree(os.path.dirname(real))
        try:
            return load(tree.read(os.path.basename(real), SETTINGS_BYTES)[0], path), True
        finally:
            tree.close()
    except (StorageError, FileNotFoundError, NotADirectoryError) as error:
        raise AgentSettingsError(path, f"it cannot be read: {error}") from None


def write_settings(path: str, text: str, new: str, *, exists: bool, keep: bool = True) -> str:
    """Write a settings file, whole or not at all, in the place of what was read; return the backup's path, if one is made."""
    from memd.storage.files import Tree
    from memd.storage.replace import create, replace_if

    real = os.path.realpath(path)
    folder, leaf = os.path.split(real)
    try:
        os.makedirs(folder, exist_ok=True)
        tree = Tree(folder)
    except (OSError, StorageError) as error:
        raise AgentSettingsError(path, f"its directory cannot be used: {error}") from None
    data, after = text.encode(), new.encode()
    try:
        if not exists:
            create(tree, leaf, after)
            return ""
        name = _free_name(folder, leaf) if keep else ""
        if name:
            create(tree, name, data, os.stat(real).st_mode & 0o777)
        replace_if(tree, leaf, after, data)
    except (StorageError, FileExistsError, FileNotFoundError) as error:
        raise AgentSettingsError(path, f"it cannot be written: {error}") from None
    finally:
        tree.close()
    return os.path.join(folder, name) if name else ""


def _free_name(folder: str, leaf: str) -> str:
    stamp = leaf + BACKUP + time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    name, number = stamp, 1
    while os.path.lexists(os.path.join(folder, name)):
        number += 1
        name = f"{stamp}-{number}"
    return name


def _backups(path: str) -> tuple[str, ...]:
    """Return what the backups beside a settings file say, the newest first; those that cannot be read are left out."""
    folder, leaf = os.path.split(os.path.realpath(path))
    names = [name for name in _listed(folder) if name.startswith(leaf + BACKUP)]
    texts = [_readable(os.path.join(folder, name)) for name in sorted(names, reverse=True)]
    return tuple(text for text in texts if text)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _readable(path: str) -> str:
    try:
        return read_settings(path)[0]
    except AgentSettingsError:
        return ""


def _remove(path: str) -> None:
    from memd.storage.files import Tree

    folder, leaf = os.path.split(os.path.realpath(path))
    tree = Tree(folder)
    try:
        tree.remove(leaf)
    finally:
        tree.close()
