"""Which agents there are on this machine, and what of memd belongs into each one's files: hooks, and the MCP server."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from shlex import quote
from typing import NamedTuple

from memd.cli.hook_files import read_settings
from memd.cli.hooking import check_scopes, command_of, plugins_here, repository_of, resolved, settings_path, with_hooks
from memd.config import place_at
from memd.errors import AgentSettingsError
from memd.formats import setup_files
from memd.formats.agent_settings import commands_of_persons, has_hooks, other_memory, removed
from memd.model.agents import AGENTS
from memd.service.setup import served_by_plugins
from memd.storage.itself import own_command

HOOKS, TOOLS = "hooks", "tools"
BESIDE = "no hooks or tools beside the plugin"


class Known(NamedTuple):
    """An agent: what it is called, its programs, where it keeps its settings, and a project's file of servers."""

    title: str
    programs: tuple[str, ...]
    folder: Callable[[], str]
    servers: Callable[[], str]
    of_project: str


class Edit(NamedTuple):
    """One file, as it is and as it would be; `parts` says what is put into it."""

    path: str
    agent: str
    text: str
    new: str
    exists: bool
    parts: tuple[str, ...]


class Found(NamedTuple):
    """An agent of this machine: the files to change, those that have it all, and what cannot be done, with why."""

    agent: str
    title: str
    program: str
    edits: tuple[Edit, ...]
    standing: tuple[str, ...]
    left: tuple[str, ...]


def _config(*names: str) -> str:
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.config"), *names)


def _code() -> str:
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/Code")
    return _config("Code")


def _named(variable: str, usual: str) -> str:
    named = os.environ.get(variable, "")
    return os.path.abspath(named) if named else os.path.expanduser(usual)


KNOWN = {
    "claude": Known("Claude Code", ("claude",), lambda: _named("CLAUDE_CONFIG_DIR", "~/.claude"),
                    lambda: os.path.join(_named("CLAUDE_CONFIG_DIR", "~"), ".claude.json"), ".mcp.json"),
    "codex": Known("Codex", ("codex",), lambda: _named("CODEX_HOME", "~/.codex"),
                   lambda: os.path.join(_named("CODEX_HOME", "~/.codex"), "config.toml"), ".codex/config.toml"),
    "gemini": Known("Gemini CLI", ("gemini",), lambda: os.path.expanduser("~/.gemini"),
                    lambda: os.path.expanduser("~/.gemini/settings.json"), ".gemini/settings.json"),
    "vscode": Known("VS Code", ("code", "code-insiders"), _code, lambda: os.path.join(_code(), "User", "mcp.json"), ".vscode/mcp.json"),
    "opencode": Known("opencode", ("opencode",), lambda: _config("opencode"), lambda: _config("opencode", "opencode.json"), "opencode.json"),
}  # fmt: skip


def agents_here(workspace: str, project: str) -> list[Found]:
    """Return the agents of this machine, each with what it lacks; `project`: only for work in this directory, "" everywhere."""
    return [_looked_at(agent, workspace, project, program) for agent, program in _there()]


def _there() -> Iterator[tuple[str, str]]:
    """Yield each agent that has a program on PATH, or settings, with the program's path."""
    for agent, known in KNOWN.items():
        program = next(filter(None, map(shutil.which, known.programs)), "")
        if program or os.path.isdir(known.folder()):
            yield agent, program


def _looked_at(agent: str, workspace: str, project: str, program: str) -> Found:
    if plugins := plugins_here(agent):
        return _with_plugins(plugins, agent, workspace, project, program)
    if project and (there := _everywhere(agent, workspace)):
        return Found(agent, KNOWN[agent].title, program, (), (there,), ())
    edits: dict[str, Edit] = {}
    standing: list[str] = []
    left: list[tuple[str, str]] = []
    for part, path, change in _parts(agent, workspace, project):
        try:
            before = edits.get(path) or _read(path, agent)
            new = change(before.new)
            _check_written(path)
        except AgentSettingsError as error:
            left.append((part, str(error)))
            continue
        if new == before.new:
            standing.append(f"{part} in {path}")
        else:
            edits[path] = before._replace(new=new, parts=(*before.parts, part))
    whys = dict.fromkeys(why for _, why in left)  # of one file that has both, once
    told = [f"{' and '.join(part for part, one in left if one == why)}: {why}" for why in whys]
    return Found(agent, KNOWN[agent].title, program, tuple(edits.values()), tuple(standing), tuple(told))


def _with_plugins(plugins: list[str], agent: str, workspace: str, project: str, program: str) -> Found:
    """Return an agent that has memd's plugin: beside it hooks and tools would run twice, and go. `plugins`: what takes each out."""
    edits: list[Edit] = []
    told = [f"two plugins are memd's, and both run: `{one}`, or `{plugins[0]}`" for one in plugins[1:]]
    serves = served_by_plugins(place_at(workspace).state)
    if serves not in ("", workspace):
        told.append(f"the plugin serves {serves}: `{plugins[0]}`, or `memd setup --undo --workspace {quote(serves)}`")
    elif project and not serves:
        told.append("the plugin is for all your work, and has no memory yet: `memd setup` without --project")
    for path in dict.fromkeys(path for _, path, _ in _parts(agent, workspace, project)):
        try:
            before = _read(path, agent)
            after = before._replace(new=without_ours(before.text, path, agent, workspace), parts=(BESIDE,))
            _check_written(path)
        except AgentSettingsError as error:
            told.append(f"{error}; the plugin runs as well: `{plugins[0]}` takes it out")
            continue
        edits += [after] if after.new != after.text else []
    return Found(
        agent, KNOWN[agent].title, program, tuple(edits), (f"{HOOKS} and {TOOLS} by its plugin memd",), tuple(told)
    )


def _everywhere(agent: str, workspace: str) -> str:
    """Return where an agent is told of this memory for all work, "" where it is not."""
    path = settings_path(agent, "user") if agent in AGENTS else server_path(agent, "")
    try:
        text = read_text(path, agent)[0]
    except AgentSettingsError:
        return ""
    if agent not in AGENTS:
        there = setup_files.is_of(setup_files.words_of(text, agent), workspace, resolved)
    else:
        there = has_hooks(text, agent) and not other_memory(text, agent, command_of(agent, workspace, ""), resolved)
    return f"for all work already, in {path}" if there else ""


def _parts(agent: str, workspace: str, project: str) -> Iterator[tuple[str, str, Callable[[str], str]]]:
    """Yield what belongs to an agent: its name, the file, and how that is changed."""
    if agent in AGENTS:
        path = settings_path(agent, "project" if project else "user", project)

        def hooked(text: str) -> str:
            check_scopes(agent, path, project)
            return with_hooks(text, path, agent, command_of(agent, workspace, ""))

        yield HOOKS, path, hooked
    file = server_path(agent, project)

    def served(text: str) -> str:
        words = setup_files.words_of(text, agent)
        if words and not setup_files.is_of(words, workspace, resolved):
            raise AgentSettingsError(file, f"a server called memd is there already: {' '.join(words)[:200]}")
        return setup_files.with_server(text, file, agent, server_words(workspace))

    yield TOOLS, file, served


def server_words(workspace: str) -> list[str]:
    """Return the words that start the MCP server of a workspace from anywhere."""
    return [*own_command(), "mcp", "--workspace", workspace]


def server_path(agent: str, project: str) -> str:
    """Return the file in which an agent is told of servers."""
    if not project:
        return KNOWN[agent].servers()
    top = repository_of(project) if agent == "codex" else project
    return os.path.join(top, KNOWN[agent].of_project)


def _read(path: str, agent: str) -> Edit:
    commented = f"{path}c"  # opencode.jsonc beside opencode.json
    if agent == "opencode" and os.path.exists(commented):
        raise AgentSettingsError(commented, "memd edits no file with comments")
    text, exists = read_text(path, agent)
    return Edit(path, agent, text, text, exists, ())


def read_text(path: str, agent: str) -> tuple[str, bool]:
    """Return what a file of an agent's says, and whether it is there; AgentSettingsError where it cannot be edited."""
    return read_settings(path, agent, setup_files.load_toml if path.endswith(".toml") else None)


def _check_written(path: str) -> None:
    """Raise AgentSettingsError where a file could not be written."""
    from memd.service.setup import above_of

    folder = above_of(os.path.dirname(os.path.realpath(path)))
    if not os.path.isdir(folder):
        raise AgentSettingsError(path, f"{folder} is no directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise AgentSettingsError(path, f"{folder} cannot be written")


def without_ours(text: str, path: str, agent: str, workspace: str) -> str:
    """Return a file of an agent's without memd's hooks and server of a workspace; AgentSettingsError where those are a person's by now."""
    if not path.endswith(".toml") and agent in AGENTS:
        was = other_memory(text, agent, command_of(agent, workspace, ""), resolved) if has_hooks(text, agent) else ""
        if was:
            raise AgentSettingsError(path, f"memd's hooks there are for another memory by now: {was}")
        text = removed(text, agent)
    in_toml = path.endswith(".toml")
    words = setup_files.words_of(text, agent) if in_toml == (agent in setup_files.IN_TOML) else []
    if words and setup_files.is_of(words, workspace, resolved):
        text = setup_files.without_server(text, path, agent)
    elif words:
        raise AgentSettingsError(path, f"the server called memd there is another by now: {' '.join(words)[:200]}")
    if not path.endswith(".toml") and agent in AGENTS and (own := commands_of_persons(text, agent)):
        raise AgentSettingsError(path, f"a hook there runs `memd hook {agent}` in a way of its own: {own[0][:200]}")
    return text
