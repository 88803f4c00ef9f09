"""Which calls an agent's hook lets pass without a question: memd's own, in one plain form; every other is asked about."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from memd.cli.verbs import VERBS as CLI_VERBS
from memd.doors.hooks.own_tools import TOOLS, VERBS, is_own_line
from memd.storage.itself import own_command, own_line
from tests import forking
from tests.support import ROOT, Folder, stride

MEMD = own_line()
# What each agent's hook is sent before a call of a shell, and of a tool of memd's.
AGENTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "claude": ("PreToolUse", "Bash", {"description": "Look it up", "timeout": 5000}),
    "codex": ("PermissionRequest", "Bash", {"description": "may I?"}),
    "vscode": ("PreToolUse", "run_in_terminal", {"explanation": "Look it up", "goal": "know", "isBackground": False}),
}
PLAIN = [
    f"{MEMD} trigger main 'Where is the key?'",
    f'{MEMD} trigger main "Where is the key? 100%! ok"'.replace("!", ""),
    f"{MEMD} search key",
    f"{MEMD} search '部署 密钥' --role main --limit 5 --json",
    f"{MEMD} search  --limit=5   'two words'",
    f"{MEMD} list main",
    f"{MEMD} show 1a2b3c4d --json",
    f"{MEMD} about 'Ana'",
    f"{MEMD} remember main 'The shop opens at 9, on Sundays too!'",
    f"{MEMD} remember main '花店九点开门；周日也开（下午除外）' --kind semantic --tag shop --score importance=9",
    f"{MEMD} remember main '# * ? [a] {{b}} ~ ^ %PATH% are signs'",
]
SAID = "'The shop opens at 9.'"
REMEMBER = f"{MEMD} remember main {SAID}"
OTHER = [
    # more than one command, and what a shell reads in a line
    f"{REMEMBER}; id", f"{REMEMBER} ; id", f"{REMEMBER} && id", f"{REMEMBER} || id", f"{REMEMBER} | sh", f"{REMEMBER} |& sh",
    f"{REMEMBER} &", f"{REMEMBER} & id", f"id; {REMEMBER}", f"id && {REMEMBER}", f"echo x | {REMEMBER}",
    f"{REMEMBER}\nid", f"{REMEMBER}\r\nid", f"{REMEMBER}\rid", f"{REMEMBER}\n", f"\n{REMEMBER}", f"{MEMD} remember main 'a\nb'",
    f"{REMEMBER} > /tmp/x", f"{REMEMBER} >> ~/.bashrc", f"{REMEMBER} 2>&1", f"{REMEMBER} < /etc/passwd", f"{REMEMBER} <<< x",
    f"{REMEMBER} <(id)", f"{REMEMBER} >(id)", f"{REMEMBER} &> x", f"{REMEMBER} << X",
    f"{MEMD} remember main $(id)", f'{MEMD} remember main "$(id)"', f"{MEMD} remember main `id`", f'{MEMD} remember main "`id`"',
    f"{MEMD} remember main '$(id)'", f"{MEMD} remember main '`id`'", f"{MEMD} remember main '$HOME'", f"{MEMD} remember main $HOME",
    f'{MEMD} remember main "$HOME"', f"{MEMD} remember main ${{HOME}}", f"{MEMD} remember main $'a'", f'{MEMD} remember main $"a"',
    f"{MEMD} remember main $((1+1))", f"{MEMD} remember main 'a;b'", f"{MEMD} remember main 'a|b'", f"{MEMD} remember main 'a&b'",
    f"{MEMD} remember main 'a<b'", f"{MEMD} remember main 'a>b'", f"{MEMD} remember main '(a)'", f"({REMEMBER})", f"{{ {REMEMBER}; }}",
    f"! {REMEMBER}", f"{REMEMBER} # no", f"{MEMD} remember main a\\ b", f"{MEMD} remember main \\", f"{MEMD} remember main 'a\\b'",
    f'{MEMD} remember main "a\\"; id; \\"b"', f"{MEMD} remember main 'a", f'{MEMD} remember main "a', f"{MEMD} remember main 'it'\\''s'",
    f"{MEMD} remember main 'a'b", f"{MEMD} remember main a'b'", f"{MEMD} remember main 'a''b'", f"""{MEMD} remember main 'a'"b\"""",
    f'{MEMD} remember main "wow!id"',
    # globs and other expansions
    f"{MEMD} search *", f"{MEMD} search ?", f"{MEMD} search [a-z]", f"{MEMD} search {{a,b}}", f"{MEMD} search ~", f"{MEMD} search ~root",
    f"{MEMD} search =id", f"{MEMD} search !!", f"{MEMD} search ^a^b", f"{MEMD} search %1", f"{MEMD} search a#b",
    # another program, or this one in another way
    f"memd remember main {SAID}", f"./memd remember main {SAID}", f"/tmp/memd remember main {SAID}", f"{MEMD}2 remember main {SAID}",
    f"{MEMD}/../memd remember main {SAID}", f"/{REMEMBER}", f"env {REMEMBER}", f"sudo {REMEMBER}", f"exec {REMEMBER}",
    f"command {REMEMBER}", f"bash -c {shlex.quote(REMEMBER)}", f"sh -c {shlex.quote(REMEMBER)}", f"eval {shlex.quote(REMEMBER)}",
    f"xargs {REMEMBER}", f"time {REMEMBER}", f"nohup {REMEMBER}", f"python -m memd remember main {SAID}", f". {REMEMBER}",
    f"MEMD_WORKSPACE=/tmp/x {REMEMBER}", f"PATH=/tmp {REMEMBER}", f"LD_PRELOAD=/tmp/x.so {REMEMBER}", f"X=1 Y=2 {REMEMBER}",
    f"'{MEMD}'remember main", f"{MEMD}\tremember main {SAID}", f"{MEMD} remember\tmain {SAID}", f" {REMEMBER}", f"\t{REMEMBER}",
    MEMD, f"{MEMD} ", f"cd /tmp && {REMEMBER}", "function memd { id; }",
    # other verbs and options
    *(f"{MEMD} {verb} main 1a2b3c4d" for verb in ("forget", "review", "trust", "config", "undo", "edit", "capture", "pause", "down")),
    *(f"{MEMD} {verb}" for verb in ("up", "mcp", "hook install claude", "import /etc/passwd", "export", "sync", "erase", "role", "Remember")),
    f"{MEMD} --debug remember main {SAID}", f"{MEMD} --workspace /tmp/x remember main {SAID}", f"{REMEMBER} --workspace /tmp/x",
    f"{REMEMBER} --workspace=/tmp/x", f"{REMEMBER} '--workspace' /tmp/x", f'{REMEMBER} "--workspace=/tmp/x"', f"{REMEMBER} -w /tmp/x",
    f"{REMEMBER} -w/tmp/x", f"{REMEMBER} '-w' /tmp/x", f"{REMEMBER} --explicit", f"{REMEMBER} '--explicit'", f"{REMEMBER} --tag --explicit",
    f"{REMEMBER} --exp", f"{REMEMBER} --constant", f"{REMEMBER} --priority 100", f"{REMEMBER} --source user", f"{REMEMBER} --speaker me",
    f"{REMEMBER} --", f"{REMEMBER} -h", f"{MEMD} remember -- main {SAID}", f"{MEMD} search -", f"{MEMD} list main --workspaces",
    # what looks like it
    REMEMBER.replace("remember", "rеmember"), REMEMBER.replace(" ", "\u00a0"), REMEMBER.replace(" ", "\u3000"), REMEMBER.replace("/", "∕"),
    REMEMBER.replace("/", "\uff0f"), REMEMBER.replace("'", "\u2019"), REMEMBER.replace("'", "\uff07"), f"{MEMD} remember main 'a\u2028b'",
    f"{MEMD} remember main 'a\u202eb'", f"{MEMD} remember main 'a\u0000b'", f"{MEMD} remember main 'a\u001b[2Jb'", f"{MEMD} remember main 'a\u200bb'",
    f"{REMEMBER} \uff0d\uff0dexplicit", f"{MEMD} search 部署", f"{REMEMBER}； id", f"{MEMD} remember main 'a\u0085b'", f"{MEMD} remember main 'a\x0bb'",
    f"{MEMD} remember main '{'a' * 20_001}'",
]  # fmt: skip


def asked(agent: str, folder: Folder, tool: str, given: Any, **more: Any) -> dict[str, Any]:
    """What the agent is told before a call; no daemon runs, and none is needed for this."""
    event = more.pop("event", AGENTS[agent][0] if agent in AGENTS else "BeforeTool")
    payload = {
        "hook_event_name": event,
        "session_id": "s",
        "cwd": str(folder.path),
        "tool_name": tool,
        "tool_input": given,
        **more,
    }
    words = more.pop("words", ("--workspace", str(folder.path)))
    ran = forking.run("hook", agent, *words, given=json.dumps(payload).encode(), timeout_s=30)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return dict(json.loads(ran.stdout)) if ran.stdout else {}


def passes(agent: str, said: dict[str, Any]) -> bool:
    """Tell whether a call passes; an answer is of the agent's own form, and to nothing but that."""
    if not said:
        return False
    assert list(said) == ["hookSpecificOutput"]
    answer = dict(said["hookSpecificOutput"])
    assert answer.pop("hookEventName") == AGENTS[agent][0]
    if agent == "codex":
        assert answer == {"decision": {"behavior": "allow"}}
    else:
        assert answer.pop("permissionDecisionReason")
        assert answer == {"permissionDecision": "allow"}
    return True


def calls(agent: str, folder: Folder, line: Any, **more: Any) -> bool:
    _, tool, beside = AGENTS[agent]
    return passes(agent, asked(agent, folder, tool, {"command": line, **beside, **more}))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_plain_call_of_this_program_passes(workspace: Folder, agent: str) -> None:
    assert [line for line in PLAIN if not calls(agent, workspace, line)] == []


@pytest.mark.parametrize("agent", AGENTS)
def test_every_other_form_of_a_line_is_asked_about(workspace: Folder, agent: str) -> None:
    of_this = OTHER[[*AGENTS].index(agent) :: stride(1, 3)]
    assert [line for line in of_this if calls(agent, workspace, line)] == []


def test_any_sign_in_any_place_of_a_plain_line_that_a_shell_might_read_is_asked_about() -> None:
    line = f"{MEMD} remember main 'The shop opens' --tag shop"
    assert is_own_line(line)
    signs = '$`;&|<>()\n\r\t\\"*?[]{}~^#%\0\x1b\u2028\u202e'
    inside = range(line.index("'") + 1, line.rindex("'"))
    harmless = {(at, sign) for at in (*inside, inside.stop) for sign in '*?[]{}~^#%"'}
    for at in range(len(line) + 1):
        for sign in signs:
            assert (at, sign) in harmless or not is_own_line(line[:at] + sign + line[at:]), (at, sign)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_call_that_asks_for_more_than_its_line_is_asked_about(workspace: Folder, agent: str) -> None:
    for more in (
        {"run_in_background": True}, {"isBackground": True}, {"dangerouslyDisableSandbox": True}, {"cwd": "/tmp"}, {"dir_path": "/tmp"},
        {"env": {"X": "1"}}, {"sandbox_permissions": "require_escalated"}, {"stdin": "x"}, {"workdir": "/tmp"},
    ):  # fmt: skip
        assert not calls(agent, workspace, PLAIN[0], **more), more
    for line in (PLAIN[0].split(), {"a": PLAIN[0]}, None, 5, ["bash", "-lc", PLAIN[0]]):
        assert not calls(agent, workspace, line), line
    tool = AGENTS[agent][1]
    assert not passes(agent, asked(agent, workspace, tool, PLAIN[0]))
    for other in ("Write", "Edit", "bash", "Bash2", "Task", "mcp__other__Bash", ""):
        assert not passes(agent, asked(agent, workspace, other, {"command": PLAIN[0]})), other


def test_for_codex_the_network_is_another_question(workspace: Folder) -> None:
    assert not calls("codex", workspace, PLAIN[0], description="network-access example.com")
    assert asked("codex", workspace, "Bash", {"command": PLAIN[0]}, event="PreToolUse") == {}


def test_gemini_which_has_asked_by_then_is_told_nothing(workspace: Folder) -> None:
    for tool, given in (("run_shell_command", {"command": PLAIN[0]}), ("mcp_memd_memory_trigger", {"message": "x"})):
        assert asked("gemini", workspace, tool, given) == {}
    for line in OTHER[:: stride(1, 4)]:
        assert asked("gemini", workspace, "run_shell_command", {"command": line}) == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_line_that_would_go_to_another_memory_is_asked_about(workspace: Folder, agent: str, tmp_path: Path) -> None:
    clone = Folder.make(tmp_path / "clone")
    tool = AGENTS[agent][1]
    for where in (str(clone.path), str(tmp_path), "", "relative", "/nowhere\0"):
        said = asked(agent, workspace, tool, {"command": PLAIN[0]}, cwd=where)
        assert not passes(agent, said), where
    assert passes(agent, asked(agent, workspace, tool, {"command": PLAIN[0]}, cwd=str(workspace.path / "roles")))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_memory_that_nobody_named_lets_nothing_pass(workspace: Folder, agent: str) -> None:
    tool = AGENTS[agent][1]
    assert not passes(agent, asked(agent, workspace, tool, {"command": PLAIN[0]}, words=()))
    assert not passes(agent, asked(agent, workspace, "mcp__memd__memory_trigger", {}, words=()))


def test_the_tools_of_the_plugin_that_asks_pass_where_no_other_has_its_name(
    workspace: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other, home = tmp_path / "plugin", tmp_path / "other", tmp_path / "claude"
    installed = home / "plugins/installed_plugins.json"
    installed.parent.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))

    def passing(tool: str, **plugins: Path) -> bool:
        places = {f"memd@{name}": [{"scope": "user", "installPath": str(path)}] for name, path in plugins.items()}
        installed.write_text(json.dumps({"version": 2, "plugins": {**places, "x@y": [{"installPath": "/x"}]}}))
        return passes("claude", asked("claude", workspace, f"mcp__plugin_memd_memd__{tool}", {}))

    assert not passing("memory_trigger", memd=root)  # no plugin called
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(root))
    assert passing("memory_trigger", memd=root)
    assert not passing("memory_forget", memd=root)
    assert not passing("memory_trigger", memd=root, evil=other)
    assert not passing("memory_trigger", evil=other)
    assert not passing("memory_trigger")
    market = {"source": {"source": "directory"}, "installLocation": str(tmp_path)}
    (installed.parent / "known_marketplaces.json").write_text(
        json.dumps({"here": market, "github": {**market, "source": {"source": "github"}}})
    )
    assert passing("memory_trigger", here=other)  # and is run where it lies
    assert not passing("memory_trigger", github=other)
    brought = workspace.path / ".claude/skills/memd"
    brought.mkdir(parents=True)
    assert not passing("memory_trigger", memd=root)


ASKED_ABOUT = {"memory_list", "memory_review"}  # they show all there is, and what was not kept


@pytest.mark.parametrize("agent", AGENTS)
def test_of_memds_tools_those_that_read_and_remember_pass(workspace: Folder, agent: str) -> None:
    listed = json.loads((ROOT / "memd/doors/mcp/schemas.json").read_text("utf-8"))
    reading = {one["name"] for one in listed if one["annotations"]["readOnlyHint"]} | {"memory_remember"}
    reading -= ASKED_ABOUT
    assert reading - TOOLS == set()
    assert TOOLS - {one["name"] for one in listed} <= {"memory_about"}
    for one in listed:
        said = asked(agent, workspace, f"mcp__memd__{one['name']}", {})
        assert passes(agent, said) == (one["name"] in reading), one["name"]
    for name in (
        "mcp__memd__memory_forget", "mcp__memd__review", "mcp__memd__trust", "mcp__memd__config_set", "mcp__memd2__memory_trigger",
        "mcp__other__memory_trigger", "memory_trigger", "mcp__memd__memory_trigger ", "mcp__memd__Memory_trigger", "mcp__memd__",
        "mcp__mеmd__memory_trigger", "mcp__memd__memory_trigger\n", "mcp__memd__memory_remember__x", "MCP__memd__memory_trigger",
    ):  # fmt: skip
        assert not passes(agent, asked(agent, workspace, name, {})), name


@pytest.mark.parametrize("agent", AGENTS)
def test_a_server_of_the_projects_own_that_is_called_memd_is_asked_about(workspace: Folder, agent: str) -> None:
    files = {"claude": ".mcp.json", "codex": ".codex/config.toml", "vscode": ".vscode/mcp.json"}
    members = {"claude": "mcpServers", "codex": "mcp_servers", "vscode": "servers"}
    file = workspace.path / files[agent]
    file.parent.mkdir(exist_ok=True)
    below = workspace.path / "roles"

    def put(server: dict[str, Any]) -> bool:
        if agent == "codex":
            file.write_text(
                "[mcp_servers.memd]\n" + "".join(f"{key} = {json.dumps(one)}\n" for key, one in server.items())
            )
        else:
            file.write_text(json.dumps({members[agent]: {"memd": server}}))
        said = asked(agent, workspace, "mcp__memd__memory_remember", {"content": "x"}, cwd=str(below))
        return passes(agent, said)

    program = own_command()
    assert put({"command": program[0], "args": [*program[1:], "mcp"]})
    for other in (
        {"command": "/tmp/evil", "args": ["mcp"]}, {"command": "memd", "args": ["mcp"]}, {"url": "http://127.0.0.1:1/mcp"},
        {"command": program[0], "args": ["hook"]}, {"command": program[0]}, {"command": "sh", "args": ["-c", program[0], "mcp"]},
    ):  # fmt: skip
        assert not put(other), other
    for text in ("{", "[]", "null", '{"mcpServers": [], "servers": []}', "\0", "=", "[" * 100_000):
        file.write_text(text)
        said = asked(agent, workspace, "mcp__memd__memory_remember", {"content": "x"}, cwd=str(below))
        assert not passes(agent, said), text[:20]
    file.unlink()
    os.mkfifo(file)
    assert not passes(agent, asked(agent, workspace, "mcp__memd__memory_remember", {}, cwd=str(below)))


def test_the_verbs_and_options_are_of_the_command_line() -> None:
    there = {verb for verb in VERBS if verb in CLI_VERBS}
    assert there >= {"trigger", "search", "list", "remember"}
    for verb in there - {"about"}:
        told = forking.run(verb, "--help").stdout.decode()
        assert [name for name in VERBS[verb] if f"{name} " not in told and f"{name}\n" not in told] == [], verb
    for options in VERBS.values():
        assert not options & {"--workspace", "-w", "--explicit", "--constant", "--source", "--priority", "--debug"}
