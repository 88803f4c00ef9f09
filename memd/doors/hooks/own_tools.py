"""Which calls of tools are memd's own and pass without a question: its MCP tools that read and remember, and one form of shell line.

The form: this program's absolute path, one of VERBS, and words that mean themselves in any shell, separated by spaces. A word
is bare, of letters, digits and a few signs of ASCII, or it is quoted and has nothing in it that a shell might read. Of options
those that an MCP tool has too: no other workspace, nothing said in the person's name, nothing that stands in every prompt. What
is not of the form is not refused: the agent asks, as it would without memd.

A server called memd may be anybody's where the project names it; so a project's own file must start this very program.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memd.whereabouts import nearest_workspace

SERVER = "mcp__memd__"
OF_PLUGIN = "mcp__plugin_memd_memd__"  # Claude Code names the server of a plugin so
TOOLS = frozenset(
    {"memory_trigger", "memory_search", "memory_get", "memory_remember", "memory_snapshot", "session_search", "memory_about"}
)  # fmt: skip
SHELLS = {"claude": "Bash", "codex": "Bash", "vscode": "run_in_terminal"}
# What a call of a shell may say beside the command; of FLAGS only that it is not so.
BESIDE = frozenset({"command", "description", "timeout", "explanation", "goal"})
FLAGS = frozenset({"run_in_background", "isBackground"})
_COMMON = frozenset({"--json", "--kind", "--tag", "--limit", "--offset", "--as-of"})
VERBS: Mapping[str, frozenset[str]] = {
    "trigger": frozenset({"--json", "--session", "--budget", "--explain", "--as-of", "--topic", "--now", "--zone"}),
    "search": _COMMON | {"--role", "--after", "--before"},
    "list": _COMMON | {"--order", "--forgotten"},
    "show": frozenset({"--json", "--history"}),
    "about": frozenset({"--json", "--role", "--budget"}),
    "remember": frozenset(
        {"--json", "--kind", "--key", "--tag", "--topic", "--emotion", "--validity", "--session", "--event-start"}
    ) | {"--event-end", "--split", "--score"},
}  # fmt: skip
LINE_CHARS = 20_000
_BARE = r"[A-Za-z0-9_@+:,./-][A-Za-z0-9_@+:,./=-]*"
_SINGLE = r"'[^'\\$`;&|<>()]*'"
_DOUBLE = r'"[^"\\$`;&|<>()!]*"'
_WORD = re.compile(rf" +(?:({_BARE})|({_SINGLE}|{_DOUBLE}))(?= |$)")
# Where a project may name servers, and the member that has them.
SERVERS = {"claude": (".mcp.json", "mcpServers"), "codex": (".codex/config.toml", "mcp_servers"), "vscode": (".vscode/mcp.json", "servers")}  # fmt: skip
REASON = "This is memd's own tool, for reading and remembering."


def is_own(agent: str, payload: Mapping[str, Any], workspace: str) -> bool:
    """Tell whether a call may pass without a question; `workspace`: the memory that the hook serves."""
    tool, given = payload.get("tool_name", payload.get("toolName")), payload.get("tool_input", payload.get("toolInput"))
    if not isinstance(tool, str) or agent not in SHELLS:
        return False
    where = payload.get("cwd")
    here = where if isinstance(where, str) and os.path.isabs(where) and "\0" not in where else ""
    if tool.startswith(SERVER):
        return tool.removeprefix(SERVER) in TOOLS and bool(here) and _starts_ours(agent, here)
    if agent == "claude" and tool.startswith(OF_PLUGIN):
        return tool.removeprefix(OF_PLUGIN) in TOOLS and bool(here) and _is_of_this_plugin(here)
    if tool != SHELLS[agent] or not isinstance(given, Mapping) or not here:
        return False
    line = given.get("command")
    if not isinstance(line, str) or not _is_bare_call(given) or not is_own_line(line):
        return False
    from memd.storage.machine import set_up_workspace  # noqa: PLC0415  only where a line may be ours

    meant = os.environ.get("MEMD_WORKSPACE", "") or nearest_workspace(here) or set_up_workspace()
    return bool(meant) and os.path.realpath(meant) == workspace


def is_own_line(line: str) -> bool:
    """Tell whether a line for a shell is one plain call of this program."""
    if len(line) > LINE_CHARS or not line.isprintable():
        return False
    from memd.storage.itself import own_command, own_line  # noqa: PLC0415  only where a line may be ours

    program = own_line()
    if len(own_command()) != 1 or not os.path.isabs(own_command()[0]) or not line.startswith(f"{program} "):
        return False
    words = _words(line[len(program) :])
    if not words or words[0] not in VERBS:
        return False
    named = (word.partition("=")[0] for word in words[1:] if word.startswith("-"))
    return all(name in VERBS[words[0]] for name in named)


def _words(rest: str) -> list[str]:
    """Return the words of a line without their quotes, none where anything in it might mean something else."""
    found: list[str] = []
    at = 0
    while at < len(rest):
        word = _WORD.match(rest, at)
        if word is None:
            return []
        found.append(word[1] if word[1] is not None else word[2][1:-1])
        at = word.end()
    return found


def _is_bare_call(given: Mapping[str, Any]) -> bool:
    """Tell whether a call of a shell asks for nothing beside its line: no other folder, no way out of a sandbox, no network."""
    if any(key not in BESIDE and (key not in FLAGS or value) for key, value in given.items()):
        return False
    return not str(given.get("description", "")).startswith("network-access")


def _starts_ours(agent: str, here: str) -> bool:
    """Tell whether no project at or above a directory has another server called memd than this program."""
    from memd.storage.itself import own_command  # noqa: PLC0415  only where a tool may be ours

    name, member = SERVERS[agent]
    return all(_is_ours(path, member, [*own_command(), "mcp"]) for path in _files_above(here, name))


def _is_of_this_plugin(here: str) -> bool:
    """Tell whether the plugin that called this hook is the only one called memd: another may serve anything by that name."""
    root = os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    home = os.environ.get("CLAUDE_CONFIG_DIR", "") or os.path.expanduser("~/.claude")
    skills = (".claude/skills/memd", ".claude/plugins/memd")  # where a project may bring a plugin
    if not os.path.isabs(root) or any(path for name in skills for path in _files_above(here, name)):
        return False
    try:
        plugins = _plugins_file(home, "installed_plugins.json")["plugins"]
        [(market, places)] = [(name[5:], at) for name, at in plugins.items() if name.partition("@")[0] == "memd"]
        [folder] = [place["installPath"] for place in places]
        if os.path.realpath(root) == os.path.realpath(folder):
            return True
        added = _plugins_file(home, "known_marketplaces.json")[market]  # one that is a directory is served from there
        above = os.path.realpath(added["installLocation"]) if added["source"]["source"] == "directory" else ""
        return bool(above) and os.path.realpath(root).startswith(f"{above}/")
    except (ValueError, RecursionError, AttributeError, LookupError, TypeError):
        return False


def _plugins_file(home: str, name: str) -> Any:
    from memd.storage.leaving import read_small  # noqa: PLC0415  only where a tool may be ours

    return json.loads(read_small(os.path.join(home, "plugins", name)))


def _files_above(here: str, name: str) -> Iterator[str]:
    path, home = os.path.realpath(here), os.path.realpath(os.path.expanduser("~"))
    while True:
        file = os.path.join(path, name)
        if path != home and os.path.lexists(file):
            yield file
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _is_ours(path: str, member: str, program: list[str]) -> bool:
    from memd.storage.leaving import read_small  # noqa: PLC0415  only where a project names servers

    data = read_small(path)
    if not data:
        return False
    try:
        if path.endswith(".toml"):
            from memd.formats.spooled import load_toml  # noqa: PLC0415  only for Codex

            value = load_toml(data)
        else:
            value = json.loads(data)
        server = value.get(member, {}).get("memd")
        return server is None or [server["command"], *server.get("args", [])][: len(program)] == program
    except (ValueError, RecursionError, AttributeError, LookupError, TypeError):
        return False
