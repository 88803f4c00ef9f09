"""Verbs of agents: hook AGENT (what their hooks run), hook install, hook uninstall; and guard and propose, which watch one."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from memd.cli.hook_files import (
    backups_of,
    read_settings,
    readable,
    remove_settings,
    write_settings,
)
from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, own, table
from memd.cli.tables import whole_text
from memd.cli.verbs import Family
from memd.errors import AgentSettingsChangedError, AgentSettingsError, BadParamsError, StorageError
from memd.formats.strict_json import StrictError, loads
from memd.model.agents import AGENTS
from memd.storage.itself import own_line
from memd.text.counting import counted

SCOPES = ("user", "project")
TRIES = 20  # where several install at the same moment
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
    "claude": "Restart Claude Code; `/hooks` in it lists them.",
    "codex": "Restart codex and trust the hooks when it asks, or with `/hooks`.",
    "gemini": "Restart gemini; `/hooks panel` in it lists them.",
    "vscode": "Agent hooks are a preview in VS Code; its output channel of hooks says whether they run.",
}

agent_argument = click.argument("agent", type=click.Choice(AGENTS))
scope_option = click.option(
    "--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Everywhere, or this project alone."
)


@click.group("hook", cls=Family)
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
        "--workspace",
        "-w",
        default="",
        metavar="DIR",
        help="The workspace; else MEMD_WORKSPACE, else the nearest above the agent's directory.",
    )
    @click.option("--role", default="", help="Whose memory; else hooks.role of memd.toml.")
    @click.option("--socket", default="", help="The daemon's socket, where it is not the usual one.")
    def serve(workspace: str, role: str, socket: str) -> int:
        from memd.doors.hooks.entry import main

        given = {"--workspace": workspace, "--role": role, "--socket": socket}
        return main([agent, *(word for name, value in given.items() if value for word in (name, value))])

    serve.help = (
        "Read one event of the agent as JSON, and print what the agent is told. The exit status is always 0."
        f" Where no daemon runs, the first event of a session may start one; else what is said is kept for the next that runs.\n\n\b\nmemd hook {agent} --workspace ~/my-memory < event.json"
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
@click.option("--force", is_flag=True, help="Give hooks that are there another workspace or role.")
@json_option
def install_hooks(
    agent: str, scope: str, role: str, workspace: str, only_print: bool, force: bool, as_json: bool
) -> None:
    """Put memd's hooks into an agent's settings. What is there stays, to the byte, and a backup is made.

    \b
    memd hook install claude
    memd hook install codex --scope project --role 阿远
    memd hook install gemini --print
    """
    from memd.client import find_workspace
    from memd.formats.agent_settings import EMPTY, events_of, installed

    command = command_of(agent, find_workspace(workspace), role)
    path = settings_path(agent, scope)
    if only_print:
        click.echo(installed(readable(path, agent) or EMPTY, agent, command, all_of_it=force), nl=False)
        return
    check_scopes(agent, path)
    check_plugins(agent)
    changed, backup = _install(path, agent, command, force=force)
    reply: dict[str, Any] = {
        "agent": agent, "scope": scope, "file": path, "changed": changed, "backup": backup,
        "events": events_of(agent), "command": command,
    }  # fmt: skip
    lines = [f"{path}: {'memd hook ' + agent if changed else 'nothing to change, the hooks are there'}"]
    lines += [f"what it was is in {backup}"] if backup else []
    starts, why = let_hooks_start(find_workspace(workspace))
    reply["starts_daemon"] = starts
    begins = "They start the daemon with a session; `memd up --detach` starts it now." if starts else why
    lines += [NEXT[agent], own(begins)] if changed or not starts else []
    emit(reply, as_json, "\n".join(lines))


def let_hooks_start(workspace: str) -> tuple[bool, str]:
    """Let hooks start a daemon for a workspace on this machine: who installs them has said so. Tell why where it cannot be kept."""
    from memd.config import place_of
    from memd.errors import TrustStateError
    from memd.service.granting import let_start
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    tree = Tree(workspace)
    try:
        let_start(tree, Trust(place_of(workspace).state))
    except (TrustStateError, StorageError) as error:
        return False, f"They cannot start the daemon themselves ({error}): `memd up --detach` does."
    finally:
        tree.close()
    return True, ""


def plugins_here(agent: str) -> list[str]:
    """Return memd's own plugins that an agent has for all work, each as the command that takes it out."""
    from memd.formats.setup_files import TAKEN_OUT, plugins_of
    from memd.storage.leaving import read_small

    if agent not in TAKEN_OUT:
        return []
    folder = os.path.dirname(settings_path(agent, "user"))
    return plugins_of(agent, lambda name: read_small(os.path.join(folder, name)).decode("utf-8", "replace"))


def check_plugins(agent: str) -> None:
    """Raise AgentSettingsError where a plugin of memd's has hooks that would run as well."""
    for taken_out in plugins_here(agent):
        name = taken_out.rpartition(" ")[2]
        error = AgentSettingsError(name, "this plugin has memd's hooks already, and both would run")
        error.hint = f"Run `{taken_out}` first, or keep it."
        raise error


def check_scopes(agent: str, path: str, directory: str = "") -> None:
    """Raise AgentSettingsError where the other scope has hooks that would run as well; `directory`: of the project, else here."""
    from memd.formats.agent_settings import commands_of_persons, has_hooks

    for other in SCOPES:
        there = settings_path(agent, other, directory)
        text = "" if os.path.realpath(there) == os.path.realpath(path) else readable(there, agent) or ""
        if has_hooks(text, agent) or commands_of_persons(text, agent):
            error = AgentSettingsError(
                there, f"memd's hooks are there already, in the {other} scope, and both would run"
            )
            error.hint = f"Run `memd hook uninstall {agent} --scope {other}` first, or keep them."
            raise error


def _install(path: str, agent: str, command: str, *, force: bool) -> tuple[bool, str]:
    """Put the hooks into a file; return whether it changed, and the backup's path."""
    for left in reversed(range(TRIES)):
        text, exists = read_settings(path, agent)
        new = with_hooks(text, path, agent, command, force=force)
        if new == text:
            return False, ""
        try:
            return True, write_settings(path, text, new, exists=exists)
        except AgentSettingsChangedError:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")


def with_hooks(text: str, path: str, agent: str, command: str, *, force: bool = False) -> str:
    """Return a settings file's text with memd's hooks; AgentSettingsError where a person's hooks, or another memory's, are there."""
    from memd.formats.agent_settings import commands_of_persons, installed, other_memory

    if persons := commands_of_persons(text, agent):
        error = AgentSettingsError(path, f"a hook there runs `memd hook {agent}` already: {persons[0][:200]}")
        error.hint = "Take that hook out of the file first, or keep it and install none: both would run."
        raise error
    was = "" if force else other_memory(text, agent, command, resolved)
    if was:
        error = AgentSettingsError(path, f"memd's hooks there are for another memory; was: {was}")
        error.hint = "Add --force to give them this one, or name theirs with --workspace and --role."
        raise error
    return installed(text, agent, command, all_of_it=force)


def resolved(path: str) -> str:
    """Return the path that a word of a command leads to, as its shell would."""
    return os.path.realpath(os.path.expanduser(os.path.expandvars(path))) if path else ""


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
    from memd.formats.agent_settings import commands_of_persons, is_empty, removed

    path = settings_path(agent, scope)
    text, exists = read_settings(path, agent)
    originals = backups_of(path, agent)
    new = removed(text, agent, originals)
    persons = commands_of_persons(new, agent)
    reply = {
        "agent": agent, "scope": scope, "file": path, "changed": new != text, "removed": False, "backup": "",
        "left": persons,
    }  # fmt: skip
    told = "there are no hooks of memd's"
    if new != text and is_empty(new) and new not in originals:
        remove_settings(path)
        reply["removed"], told = True, "removed; there was nothing else in it"
    elif new != text:
        reply["backup"] = write_settings(path, text, new, exists=exists, keep=new not in originals)
        told = "memd's hooks are out" + ("; it is as it was before them" if new in originals else "")
    if persons:
        told += f"; a person's own use of `memd hook {agent}` stays, and still runs: {persons[0][:200]}"
    emit(reply, as_json, f"{path}: {told}")


def command_of(agent: str, workspace: str, role: str) -> str:
    """Return the line that the agent's hooks run: this memd by its absolute path, and the workspace."""
    return own_line("hook", agent, "--workspace", workspace, *(["--role", role] if role else []))


def settings_path(agent: str, scope: str, directory: str = "") -> str:
    """Return an agent's settings file for a scope, as a person names it: links are followed when it is written.

    `directory` is the project's, else the one this process is in.
    """
    variable, home, file, below = HOMES[agent]
    if scope == "user":
        moved = os.environ.get(variable, "") if variable else ""
        return os.path.join(os.path.abspath(moved) if moved else os.path.expanduser(home), file)
    here = directory or os.getcwd()
    return os.path.join(repository_of(here) if agent in OF_REPOSITORY else here, below)


def repository_of(here: str) -> str:
    """Return the top of the repository that a directory is in, the directory itself where it is in none."""
    path = here
    while not os.path.exists(os.path.join(path, ".git")):
        above = os.path.dirname(path)
        if above == path:
            return here
        path = above
    return path


# Verbs that watch what an agent does and says: guard, propose.

REFUSED = 1


@click.command("guard")
@asks(
    "guard.check", input=given(words="Its input as JSON; - reads standard input.", default=""),
    message=given(words="A user's message instead of a tool call."), role=given(words="Whose memory is guarded."),
)  # fmt: skip
@json_option
@workspace_option
@click.pass_context
def guard_command(
    context: click.Context, /, tool: str, message: str, as_json: bool, workspace: str, **asked: Any
) -> None:
    """Rule on a tool call: may it pass, or should it be a remember? Exit status 0 passes, 1 does not.

    \b
    memd guard --tool Bash --input '{"command": "echo \\"- no meat\\" >> MEMORY.md"}' --session s1
    memd guard --message "Remember that I am left-handed."
    """
    typed, params = asked.pop("input"), asked
    if tool:
        text = sys.stdin.read() if typed == "-" else typed
        try:
            params |= {"tool": tool, "input": loads(text.encode("utf-8", "surrogatepass")) if text.strip() else {}}
        except StrictError as error:
            at = f" (character {error.position + 1})" if error.position else ""
            raise click.BadParameter(f"this is not JSON: {error.why}{at}", param_hint="--input") from None
    if message:
        params["message"] = message
    reply = ask(workspace, "guard.check", **params)
    lines = [f"{reply['action']}: {reply['why']}"]
    if reply["hint"]:
        lines.append(own(reply["hint"]))
    lines += [f"  {one}" for one in reply["commands"]]
    emit(reply, as_json, "\n".join(lines))
    context.exit(0 if reply["action"] in ("allow", "ask_remember") else REFUSED)


@click.command("propose")
@asks(
    "propose", "role", without=("results",),
    session=given(words="Without FILE: what this session of memd's has at its end."),
)  # fmt: skip
@click.argument("file", type=click.File("r", encoding="utf-8"), default=None, required=False)
@json_option
@workspace_option
def propose_command(file: Any, session: str, as_json: bool, workspace: str, **asked: Any) -> None:
    """Name what of a conversation is worth remembering; nothing is stored.

    FILE has one message a line, as "user: …", "assistant: …" or "tool: …", or as JSON with `speaker` and `content`.

    \b
    memd propose main chat.txt
    echo "user: I moved to Porto last week." | memd propose main
    memd propose main --session s20261121-1500-1f0c2a9b
    """
    source = file or ([] if session and sys.stdin.isatty() else sys.stdin)
    try:
        messages = [said for line in source if (said := _said(line))]
    except UnicodeDecodeError as error:
        name = getattr(source, "name", "FILE")
        raise BadParamsError(f"file: {name} is not UTF-8: look at byte {error.start}") from None
    reply = ask(workspace, "propose", messages=messages, session=session, **asked)
    rows = [
        (f"{one['total']:g}", one["kind"], one["remember"].get("source", ""), one["content"])
        for one in reply["proposals"]
    ]
    text = f"{len(rows)} of {counted(reply['looked_at'], 'statement')} {'is' if len(rows) == 1 else 'are'} worth remembering"
    shown: list[Part] = [text, "", table(("total", "kind", "source", whole_text("statement")), rows)]
    emit(reply, as_json, *(shown if rows else [f"{text}."]))


def _said(line: str) -> dict[str, str] | None:
    text = line.strip()
    if not text:
        return None
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("content"), str):
            return {
                "content": value["content"],
                "speaker": str(value.get("speaker") or value.get("role") or "user")[:40],
            }
    speaker, colon, rest = text.partition(":")
    if colon and speaker.strip().casefold() in ("user", "assistant", "tool", "agent", "human", "system"):
        return {"content": rest.strip() or " ", "speaker": speaker.strip()}
    return {"content": text, "speaker": "user"}
