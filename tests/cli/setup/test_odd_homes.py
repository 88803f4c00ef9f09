"""setup in homes that are broken or odd: what cannot be done is told and left, what is somebody's stays to the byte."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import forking
from tests.cli.setup.homes import CLAUDE, CODEX, Home
from tests.support import memd

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
NOBODY = 65534


def become_nobody() -> None:
    """In the process that memd runs in: be a user without rights."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def refused(home: Home, *words: str, says: str, **env: str) -> None:
    """It ends without a traceback, says why and what to do, and nothing has changed."""
    before = home.all()
    done = home.setup("--yes", *words, check=False, **env)
    assert done.returncode == 73, done.stdout + done.stderr
    assert says in done.stderr
    assert "  Try: " in done.stderr
    assert home.all() == before


def another(path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", path], check=True)
    (path / "main.c").write_text("int main;")


def not_empty(path: Path) -> None:
    path.mkdir()
    (path / "诗.txt").write_text("x")


def link_to_a_file(path: Path) -> None:
    path.with_name("f").write_text("x")
    path.symlink_to("f")


PLACES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file": (lambda path: path.write_text("x"), "it is a file, and a workspace is a directory"),
    "not empty": (not_empty, "it is not empty, and no workspace (it has 诗.txt)"),
    "another's git repository": (another, "it is a git repository of something else"),
    "an empty git repository": (lambda path: subprocess.run(["git", "init", "--quiet", path], check=True), "it is a git repository of something else"),
    "a link to nowhere": (lambda path: path.symlink_to("gone"), "it is a link that leads nowhere"),
    "a link to a file": (link_to_a_file, "it is a file"),
}  # fmt: skip


@pytest.mark.parametrize("what", PLACES)
def test_where_something_else_is_in_its_place_nothing_is_done(home: Home, what: str) -> None:
    home.install("claude")
    make, says = PLACES[what]
    make(home.memory)
    refused(home, says=says)


def test_an_empty_directory_and_a_link_to_one_are_used_and_stay(home: Home) -> None:
    (home.path / "on a disk").mkdir()
    home.memory.symlink_to("on a disk")
    before = home.all()
    home.setup("--yes")
    assert (home.path / "on a disk/memd.toml").exists()
    assert "Nothing to change." in home.setup("--yes").stdout
    home.setup("--undo")
    assert home.all() == before


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("", "it is not set, or no absolute path"),
        ("relative", "no absolute path"),
        ("/nowhere/at/all", "HOME is no directory"),
    ],
)
def test_without_a_home_nothing_is_done(home: Home, value: str, says: str) -> None:
    refused(home, says=says, HOME=value)


def test_with_home_unset_it_is_not_looked_for_elsewhere(home: Home) -> None:
    env = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = forking.run("setup", "--yes", cwd=home.path, env=env)
    assert done.returncode == 73
    assert b"HOME: it is not set" in done.stderr
    assert home.all() == {}


@ROOT_ONLY
def test_the_home_of_another_user_is_left_alone(home: Home) -> None:
    os.chown(home.path, NOBODY, NOBODY)
    refused(home, says="HOME belongs to another user")


@ROOT_ONLY
def test_a_read_only_home_is_told(home: Home) -> None:
    os.chown(home.path, NOBODY, NOBODY)
    home.path.chmod(0o555)
    with (home.path.parent / "said").open("w+b") as said:
        process = forking.start("setup", "--yes", cwd=Path("/"), stderr=said, before=(become_nobody, {}))
        assert process.wait(60) == 73
        said.seek(0)
        assert f"{home.path} cannot be written".encode() in said.read()
    assert home.all() == {}


@ROOT_ONLY
def test_settings_that_may_not_be_read_are_told_and_left(home: Home) -> None:
    home.install("claude", "codex")
    secret = home.put(".claude/settings.json", CLAUDE, 0)
    for one in (home.path, secret.parent, secret):
        os.chown(one, NOBODY, NOBODY)
    with (home.path.parent / "said").open("w+b") as said:
        process = forking.start("setup", "--print", cwd=Path("/"), stdout=said, before=(become_nobody, {}))
        assert process.wait(60) == 1
        said.seek(0)
        told = said.read().decode()
    assert "hooks: ~/.claude/settings.json: it cannot be read" in told
    assert "~/.codex/hooks.json" in told


BROKEN = {
    "broken JSON": ('{"model": ', "line 1, column"),
    "comments": ('{\n  // mine\n  "model": "x"\n}\n', "memd edits no file with comments"),
    "double keys": ('{"a": 1, "a": 2}', "a"),
    "a list": ("[]", "it is not one JSON object"),
    "hooks of another shape": ('{"hooks": []}', "`hooks` is not an object"),
    "no UTF-8": ("\udcff{}", "is not UTF-8"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_settings_stay_and_the_other_agents_are_served(home: Home, what: str) -> None:
    home.install("claude", "codex")
    text, says = BROKEN[what]
    path = home.put(".claude/settings.json")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    start = home.all()
    done = home.setup("--yes", check=False)
    assert done.returncode == 1
    assert "left" in done.stdout
    assert says in done.stdout
    assert path.read_bytes() == before
    assert (home.path / ".codex/hooks.json").exists()
    assert home.setup("--yes", check=False).returncode == 1
    home.setup("--undo")
    assert home.all() == start


@pytest.mark.parametrize(
    "text", ["", " \n", "\ufeff", '{"hooks": {}}', '{"hooks": { "Stop": [ ] }, "mcpServers": { }}', '{"mcpServers":{},"a":1}\r\n']
)  # fmt: skip
def test_settings_with_nothing_in_them_are_had_back_to_the_byte(home: Home, text: str) -> None:
    home.install("claude", "gemini", "codex")
    for name in (".claude/settings.json", ".claude.json", ".gemini/settings.json", ".codex/hooks.json"):
        home.put(name, text)
    home.put(".codex/config.toml", text if not text.strip() else "")
    before = home.all()
    home.setup("--yes")
    assert b"memd" in (home.path / ".gemini/settings.json").read_bytes()
    home.setup("--undo")
    assert home.all() == before


def test_settings_that_are_links_are_followed_and_stay_links(home: Home) -> None:
    home.install("claude", "gemini")
    home.put("dotfiles/claude.json", CLAUDE)
    (home.path / ".claude").mkdir()
    (home.path / ".claude/settings.json").symlink_to("../dotfiles/claude.json")
    (home.path / ".gemini").symlink_to("nowhere")
    before = home.all()
    done = home.setup("--yes", check=False)
    assert (home.path / ".claude/settings.json").is_symlink()
    assert "memd hook claude" in (home.path / "dotfiles/claude.json").read_text("utf-8")
    assert done.returncode in (0, 1)
    home.setup("--undo", check=False)
    assert home.all() == before


def test_a_directory_in_the_place_of_settings_and_a_file_in_that_of_a_directory(home: Home) -> None:
    home.install("claude", "codex")
    (home.path / ".claude/settings.json").mkdir(parents=True)
    home.put(".codex", "a file")
    before = home.all()
    done = home.setup("--yes", check=False)
    assert done.returncode == 1
    assert done.stdout.count("left") >= 2
    assert "tools in ~/.claude.json" in done.stdout
    home.setup("--undo")
    assert home.all() == before


def test_servers_and_hooks_of_somebodys_own_stay(home: Home) -> None:
    home.install("claude", "codex", "gemini")
    home.put(".claude.json", '{"mcpServers": {"memd": {"command": "/opt/other/memd", "args": ["serve"]}}}')
    home.put(".codex/config.toml", 'mcp_servers = { memd = { command = "mine", args = [] } }\n')
    home.put(
        ".codex/hooks.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "tee l | memd hook codex"}]}]}}',
    )
    home.put(".gemini/settings.json", '{"mcpServers": []}')
    before = home.all()
    done = home.setup("--yes", check=False)
    assert done.stdout.count("a server called memd is there already") == 2
    assert "a hook there runs `memd hook codex` already" in done.stdout
    assert "`mcpServers` is not an object" in done.stdout
    home.setup("--undo", check=False)
    assert home.all() == before


def test_hooks_of_another_memory_stay(home: Home) -> None:
    home.install("claude")
    memd("init", str(home.path / "other"))
    memd("hook", "install", "claude", "-w", str(home.path / "other"))
    before = (home.path / ".claude/settings.json").read_bytes()
    done = home.setup("--yes", check=False)
    assert "memd's hooks there are for another memory" in done.stdout
    assert (home.path / ".claude/settings.json").read_bytes() == before


def test_without_git_it_goes_without_history_and_says_so(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.install("claude")
    (home.programs / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    monkeypatch.setenv("PATH", str(home.programs))
    before = home.all()
    done = home.setup("--yes")
    assert "without history: there is no git program" in done.stdout
    assert not (home.memory / ".git").exists()
    assert "Nothing to change." in home.setup("--yes").stdout
    home.setup("--undo")
    assert home.all() == before


def test_paths_with_blanks_and_chinese_and_quotes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Home(home.path / '小 雨\'s "home" $x', home.programs)
    odd.path.mkdir()
    home.install("claude", "codex", "gemini", "opencode", "code")
    monkeypatch.setenv("HOME", str(odd.path))
    before = odd.all()
    odd.setup("--yes")
    assert "Nothing to change." in odd.setup("--yes").stdout
    assert memd("capture", "-w", str(odd.memory)).stdout.startswith("capture: auto")
    odd.setup("--undo")
    assert odd.all() == before


def test_two_homes_of_one_machine_do_not_meet(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.install("claude")
    first, second = Home(home.path / "one", home.programs), Home(home.path / "two", home.programs)
    for one in (first, second):
        one.path.mkdir()
        monkeypatch.setenv("HOME", str(one.path))
        one.setup("--yes")
    memd("remember", "main", "The spare key hangs behind the clock.", "--explicit", "-w", str(second.memory))
    assert "clock" not in memd("search", "clock", "-w", str(first.memory)).stdout.replace('"clock"', "")
    monkeypatch.setenv("HOME", str(first.path))
    first.setup("--undo")
    assert first.all() == {}
    assert "clock" in memd("list", "main", "-w", str(second.memory)).stdout


def test_a_home_that_is_a_git_repository_keeps_it(home: Home) -> None:
    subprocess.run(["git", "init", "--quiet", home.path], check=True)
    before = home.all()
    home.setup("--yes")
    assert (home.memory / ".git").is_dir()
    home.setup("--undo")
    assert home.all() == before


def test_a_broken_record_is_told_and_nothing_is_done(home: Home) -> None:
    home.setup("--yes")
    (record,) = home.path.glob(".local/state/memd/*/setup/record.json")
    for text in ("{", "[]", '{"form": 1, "files": 3}', '{"form": 1, "workspace": "x", "files": [{}]}'):
        record.write_text(text)
        for words in (("--undo",), ("--yes",)):
            done = home.setup(*words, check=False)
            assert done.returncode == 73
            assert str(record) in done.stderr
    record.chmod(0o666)
    assert "others may write it" in home.setup("--undo", check=False).stderr
    assert (home.memory / "memd.toml").exists()


def test_settings_of_a_workspace_that_cannot_be_read_are_told(home: Home) -> None:
    memd("init", str(home.memory))
    home.put("memory/memd.toml", "[capture\n")
    before = home.all()
    done = home.setup("--yes", check=False)
    assert done.returncode == 78
    assert home.all() == before


def test_where_this_machine_cannot_keep_its_word_nothing_stays(home: Home) -> None:
    """Others may write memd's own directory: nothing in it counts, so nothing may hold."""
    home.install("claude")
    home.put(".local/state/memd/x")
    (home.path / ".local/state/memd").chmod(0o777)
    refused(home, says="others may write memd")


def test_two_at_once_do_it_once(home: Home) -> None:
    home.install("claude", "codex", "gemini")
    home.put(".codex/config.toml", CODEX)
    before = home.all()
    both = [forking.start("setup", "--yes", cwd=home.path.parent) for _ in range(2)]
    assert {one.wait(60) for one in both} <= {0, 1}
    assert "Nothing to change." in home.setup("--yes").stdout
    assert (home.path / ".claude/settings.json").read_text().count("memd hook claude") >= 5
    home.setup("--undo")
    assert home.all() == before


def test_no_agent_at_all_is_a_memory_too(home: Home) -> None:
    done = home.setup("--yes")
    assert "none was found" in done.stdout
    assert "remember main" in done.stdout.splitlines()[-1]
