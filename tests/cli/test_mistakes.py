"""Mistakes a person makes, each typed as it is: what is said names what was typed, in the words of the command line.

A row: the words after `memd`, the exit status, and what must be named. What must never be read stands in NEVER. `{id}` is
the id of a memory of nora's; the files named are made below.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memd.cli.main import memd_command
from memd.cli.verbs import GROUPS, GUESSES, VERBS
from tests.support import Daemon, Folder, memd, own_places

USAGE, DATA, CANNOT_CREATE, AGAIN, SETTINGS = 2, 65, 73, 75, 78

# Words of a protocol, a decoder, a library, the system; and a program that broke.
NEVER = (
    "rpc.discover", "JSON-RPC", "params", "$.", "Object missing", "Expected `", "Expecting", "line 1 column", "(char ",
    "[Errno", "No such file or directory", "Traceback", "internal error", "Invalid value for", "No such command",
    "No such option", "not a valid integer", "is not in the range", "codec", "ReadError", "jsonrpc", "msgspec", "Missing argument",
)  # fmt: skip

MISTAKES: list[tuple[list[str], int, list[str]]] = [
    # verbs
    (["serch", "kiln"], USAGE, ["'serch'", "`memd search`"]),
    (["remeber", "main", "I like tea"], USAGE, ["'remeber'", "`memd remember`"]),
    (["recall", "main", "tea"], USAGE, ["'recall'", "`memd trigger`"]),
    (["STATUS"], USAGE, ["`memd status`"]),
    (["stop"], USAGE, ["`memd down`"]),
    (["记住", "main", "我喜欢喝茶"], USAGE, ["'记住'", "`memd remember`"]),
    (["搜索一下"], USAGE, ["'搜索一下'", "`memd --help`"]),
    (["session", "opn"], USAGE, ["'opn'", "'open'", "history"]),
    (["task", "finish", "x"], USAGE, ["'finish'", "accept, revise, abandon"]),
    (["git", "instal"], USAGE, ["'instal'", "'install'"]),
    (["snapshot", "tak"], USAGE, ["'tak'", "'take'"]),
    # verbs behind verbs, as other programs have them
    (["config", "set", "gate.keep_from", "6"], USAGE, ["memd config has no 'set'", "`memd config gate.keep_from 6`"]),
    (["config", "设置", "gate.keep_from", "6"], USAGE, ["'设置'", "`memd config gate.keep_from 6`"]),
    (["config", "SET", "gate.keep_from", "6", "--role", "main"], USAGE, ["'SET'", "`memd config gate.keep_from 6`"]),
    (["config", "set", "a", "b", "c"], USAGE, ["'set'", "`memd config [KEY] [VALUE]`"]),
    (["trust", "list"], USAGE, ["memd trust has no 'list'", "`memd trust`"]),
    (["trust", "grant", "gate.scan"], USAGE, ["'grant'", "`memd trust --grant NAME`"]),
    (["trust", "revoke", "gate.scan"], USAGE, ["'revoke'", "`memd trust --revoke NAME`"]),
    (["backup", "restore", "a.bundle", "again"], USAGE, ["'restore'", "`memd backup FILE --restore DIR`"]),
    (["backup", "verify", "a.bundle"], USAGE, ["'verify'", "`memd backup FILE --verify`"]),
    (["backup", "create", "a.bundle"], USAGE, ["'create'", "`memd backup a.bundle`"]),
    (["import", "undo", "3f2a9c1e"], USAGE, ["'undo'", "`memd import --undo ID`"]),
    (["recover", "show", "3f2a"], USAGE, ["'show'", "`memd recover --list`"]),
    (["recover", "list"], DATA, ["'list'", "`memd recover --list`"]),
    (["stats", "show", "main"], USAGE, ["'show'", "`memd stats main`"]),
    (["stats", "list"], DATA, ["'list'", "`memd stats`"]),
    (["remember", "add", "main", "I like tea"], USAGE, ["'add'", "`memd remember main 'I like tea'`"]),
    (["remember", "添加", "main", "我喜欢喝茶"], USAGE, ["'添加'", "`memd remember main '我喜欢喝茶'`"]),
    (["remember", "add", "main", "I", "like", "tea"], USAGE, ["'add'", "`memd remember ROLE TEXT`"]),
    (["remember", "main", "I", "add", "sugar"], USAGE, ["'add sugar'", "quotes"]),
    (["forget", "rm", "nora", "{id}"], USAGE, ["'rm'", "`memd forget nora {id}`"]),
    (["forget", "restore", "nora", "{id}"], USAGE, ["'{id}'", "`memd forget ROLE ID`"]),
    (["link", "add", "nora", "a", "b"], USAGE, ["'add'", "`memd link nora a b`"]),
    (["link", "rm", "nora", "a", "b"], USAGE, ["'b'", "`memd link ROLE ID OTHER`"]),
    (["sync", "push"], USAGE, ["'push'", "`memd sync`"]),
    (["upkeep", "run", "main"], USAGE, ["'run'", "`memd upkeep main`"]),
    (["role", "add", "leo"], USAGE, ["memd role has no 'add'", "'create'"]),
    (["role", "rm", "leo"], USAGE, ["memd role has no 'rm'", "list, of, trust, create"]),
    (["session", "get", "s1"], USAGE, ["memd session has no 'get'", "'show'"]),
    (["review", "list"], USAGE, ["memd review has no 'list'", "`memd review`"]),
    (["snapshot", "list"], USAGE, ["memd snapshot has no 'list'", "take, show"]),
    (["curated", "set", "memory", "a", "b"], USAGE, ["memd curated has no 'set'", "'replace'"]),
    # options, arguments
    (["remember", "main", "I like tea", "--kye", "tea"], USAGE, ["--kye", "--key", "`memd remember --help`"]),
    (["sync", "--kind", "trait"], USAGE, ["memd sync has no option --kind"]),
    (["remember", "main", "-no meat for me"], USAGE, ["'-no meat for me'", "`--`"]),
    (["remember", "main", "我喜欢喝茶", "--有效期", "长"], USAGE, ["'--有效期'", "`--`"]),
    (["remember", "main", "--kind"], USAGE, ["--kind needs a value", "`memd remember --help`"]),
    (["list"], USAGE, ["ROLE is missing", "`memd list ROLE`"]),
    (["trigger", "阿远"], USAGE, ["MESSAGE is missing"]),
    (["hook", "install"], USAGE, ["AGENT is missing", "claude, codex"]),
    (["remember", "main", "I", "like", "tea"], USAGE, ["'like tea'", "quotes"]),
    (["down", "now"], USAGE, ["'now'"]),
    (["import"], USAGE, ["--undo"]),
    (["session", "search", "kiln", "--speaker", "boss"], DATA, ["speaker", "user, assistant, system, tool"]),
    # roles
    (["trigger", "mian", "hello"], DATA, ["'mian'", "'main'", "阿远"]),
    (["list", "Nora"], DATA, ["'Nora'", "'nora'"]),
    (["remember", "阿元", "我喜欢喝茶"], DATA, ["'阿元'", "'阿远'"]),
    (["stats", "somebody"], DATA, ["'somebody'", "main, nora"]),
    (["search", "kiln", "--role", "nroa"], DATA, ["'nroa'", "'nora'"]),
    (["role", "create", "a/b"], DATA, ["'a/b'", "'/'"]),
    (["role", "create", ""], DATA, ["NAME: it is empty"]),
    (["role", "create", "Main"], DATA, ["'Main'", "'main'"]),
    # ids
    (["show", "nora", "zzzz"], DATA, ["'zzzz'", "`memd list nora`"]),
    (["show", "nora", "1"], DATA, ["'1'", "at least 4 characters"]),
    (["forget", "nora", "deadbeef"], DATA, ["'deadbeef'", "'nora'"]),
    (["show", "main", "same"], DATA, ["'same'", "2 memories", "same-one", "same-two"]),
    (["restore", "nora", "{id}"], DATA, ["{id}", "not forgotten"]),
    (["link", "nora", "{id}", "{id}"], DATA, ["itself", "`memd link --help`"]),
    (["review", "approve", "zzzz"], DATA, ["'zzzz'", "`memd review`"]),
    (["review", "show", "zzzz"], USAGE, ["'zzzz'", "`memd review`"]),
    (["recover", "zzzz"], DATA, ["'zzzz'", "`memd recover --list`"]),
    # values
    (["list", "nora", "--kind", "sematic"], USAGE, ["'sematic'", "'semantic'", "--kind"]),
    (["search", "kiln", "--kind", "sematic"], USAGE, ["'sematic'", "'semantic'"]),
    (["search", "kind:猫"], USAGE, ["'猫'", "episodic"]),
    (["list", "nora", "--limit", "0"], DATA, ["--limit", "at least 1", "`memd list --help`"]),
    (["search", "kiln", "--limit", "9999"], DATA, ["--limit", "at most 100"]),
    (["search", "kiln", "--limit", "many"], USAGE, ["--limit", "'many'", "whole number"]),
    (["search", "kiln", "--after", "2026-13-45"], USAGE, ["'2026-13-45'", "2026-05-08"]),
    (["search", "窑", "--after", "昨天"], USAGE, ["'昨天'", "2026-05-08"]),
    (["trigger", "main", "hi", "--now", "tomorrow-ish"], DATA, ["--now", "'tomorrow-ish'", "ISO 8601"]),
    (["trigger", "main", "hi", "--zone", "Mars"], DATA, ["--zone", "'Mars'"]),
    (["trigger", "main", "hi", "--budget", "5"], DATA, ["--budget", "at least 100"]),
    (["trigger", "main", "hi", "--tokens", "-3"], DATA, ["--tokens", "at least 0"]),
    (["trigger", "阿远", "你好", "--emotion", "快乐吗"], DATA, ["--emotion", "'快乐吗'", "joy"]),
    (["remember", "main", "I like tea", "--score", "importance=nine"], USAGE, ["--score", "'importance=nine'"]),
    (["remember", "main", "I like tea", "--score", "importance=12"], DATA, ["importance", "12", "0 to 10"]),
    (["remember", "main", "I like tea", "--score", "weight=9"], DATA, ["'weight'", "granularity"]),
    (["remember", "main", "我喜欢喝茶", "--validity", "永远"], DATA, ["--validity", "'永远'", "长期"]),
    (["remember", "main", "I like tea", "--key", ""], DATA, ["--key: it is empty"]),
    (["remember", "main", ""], DATA, ["TEXT: it is empty", "`memd remember --help`"]),
    (["remember", "main", "  "], DATA, ["TEXT: it is empty"]),
    (["edit", "nora", "{id}", "--priority", "1000"], DATA, ["--priority", "at most 100"]),
    (["completion", "csh"], USAGE, ["'csh'", "'zsh'"]),
    (["schema", "memori"], USAGE, ["'memori'", "'memory'"]),
    (["mcp", "--http", "99999999"], USAGE, ["--http", "99999999", "from 0 to 65535"]),
    (["mcp", "--http", "port"], USAGE, ["--http", "'port'"]),
    (["hook", "install", "cluade"], USAGE, ["'cluade'", "'claude'"]),
    # settings
    (["config", "gate.kep_from"], DATA, ["'gate.kep_from'", "'gate.keep_from'"]),
    (["config", "gat.keep_from", "3"], DATA, ["'gate.keep_from'"]),
    (["config", "get", "gate.keep_from"], DATA, ["memd config has no 'get'", "`memd config gate.keep_from`"]),
    (["config", "list"], DATA, ["memd config has no 'list'", "`memd config`"]),
    (["config", "gate.keep_from", "ten"], SETTINGS, ["gate.keep_from must be a number", "nothing was changed"]),
    (["config", "gate.keep_from", "99"], SETTINGS, ["gate.keep_from", "from 0 to 10"]),
    (["config", "daemon.index", "也许"], SETTINGS, ["daemon.index", "true or false"]),
    (["config", "injection.position", "top"], SETTINGS, ["injection.position", "system, user, assistant"]),
    # files
    (["import", "nope.json", "--role", "main"], 1, ["nope.json"]),
    (["import", "broken.json", "--role", "main"], 1, ["broken.json:1:9"]),
    (["import", "chat.txt", "--format", "novelay"], USAGE, ["'novelay'", "promptx"]),
    (["import", "--undo", "zzz"], DATA, ["'zzz'", "`memd import --help`"]),
    (["session", "append", "s1", "--events", "nope.jsonl"], USAGE, ["--events", "'nope.jsonl'"]),
    (["session", "append", "s1", "--events", "folder"], USAGE, ["'folder' is a directory"]),
    (["session", "append", "s1", "--events", "broken.jsonl"], DATA, ["line 2 of broken.jsonl", "a value is missing"]),
    (["session", "append", "s1", "--events", "many.jsonl"], DATA, ["--events", "at most 1000"]),
    (["propose", "main", "latin.txt"], DATA, ["latin.txt is not UTF-8", "byte 9"]),
    (["propose", "main", "big.txt"], DATA, ["FILE", "at most 1000000 characters"]),
    (["skill", "draft", "x", "nope.md"], USAGE, ["FILE", "'nope.md'"]),
    (["check", "nope.md"], DATA, ["nope.md"]),
    (["backup", "folder"], DATA, ["folder"]),
    (["backup", "chat.txt", "--verify"], DATA, ["chat.txt", "no backup"]),
    (["backup", "nope.bundle", "--verify"], DATA, ["nope.bundle", "no such file"]),
    (["replay", "nope.jsonl"], DATA, ["'nope.jsonl'", "neither a file nor a session"]),
    (["export", "main", "--format", "world-info"], DATA, ["'main'", "--book"]),
    (["init", "chat.txt"], USAGE, ["'chat.txt' is a file"]),
    (["init", "."], CANNOT_CREATE, ["memd.toml exists"]),
    # workspaces
    (["list", "nora", "-w", "folder"], USAGE, ["folder is no workspace", "memd.toml"]),
    (["status", "-w", "chat.txt"], USAGE, ["chat.txt is a file"]),
    (["list", "nora", "-w", "不在"], USAGE, ["there is no", "不在"]),
    (["list", "nora", "-w", "broken-toml"], SETTINGS, ["memd.toml:2:", "this is not TOML", "the value is missing"]),
    (["list", "main", "-w", "broken-memory"], DATA, ["roles/main/memory.json:1:"]),
    (["up", "--socket", "no/such/place", "-w", "other"], CANNOT_CREATE, ["there is no directory"]),
    (["up", "--socket", "s" * 200, "-w", "other"], CANNOT_CREATE, ["bytes", "--socket"]),
    # sessions, runs, tasks, skills
    (["session", "history", "nope"], DATA, ["'nope'", "`memd session list`"]),
    (["session", "append", "s1"], USAGE, ["--user", "--events"]),
    (["session", "append", "s1", "--user", ""], USAGE, ["--user: it is empty"]),
    (["session", "append", "s1", "--user", "x", "--after", "9"], AGAIN, ["'s1'", "`memd session history`"]),
    (["session", "history", "s1", "--limit", "-1"], DATA, ["--limit", "at least 0"]),
    (["session", "search", "--around", "3"], DATA, ["--around needs --session"]),
    (["session", "search", "--speaker", "user"], DATA, ["--speaker", "QUERY"]),
    (["session", "open", "s2", "--forks", "s1", "--at", "99"], DATA, ["--at", "'99'", "'s1'"]),
    (["run", "show", "nope"], DATA, ["'nope'", "`memd run list`"]),
    (["run", "start", "--skill", "x@y"], DATA, ["--skill", "'x@y'"]),
    (["run", "event", "nope", "--tool", "t", "--arguments", "{broken"], USAGE, ["--arguments", "double quotes"]),
    (["run", "event", "nope", "--usage", "a,b"], USAGE, ["--usage", "'a,b'"]),
    (["task", "show", "没有"], DATA, ["'没有'", "`memd task list`"]),
    (["task", "accept", "fix-the-login"], DATA, ["'fix-the-login'", "open"]),
    (["task", "revise", "fix-the-login", ""], DATA, ["WORDS"]),
    (["task", "list", "--state", "done"], USAGE, ["'done'", "accepted"]),
    (["skill", "show", "nope"], DATA, ["'nope'", "`memd skill list`"]),
    (["skill", "retire", "nope"], USAGE, ["--by"]),
    (["snapshot", "show", "zz"], DATA, ["DIGEST", "at least 4 characters"]),
    (["context", "--snapshot", "zzzz"], DATA, ["'zzzz'", "`memd snapshot take`"]),
    (["context", "--chars", "-1"], DATA, ["--chars", "at least 0"]),
    (["curated", "add", "notes", "x"], DATA, ["'notes'", "MEMORY.md"]),
    (["curated", "remove", "memory", "没有"], DATA, ["'没有'", "`memd curated read`"]),
    (["guard", "--tool", "Bash", "--input", "{broken"], USAGE, ["--input", "not JSON", "character 2"]),
    (["guard", "--tool", "Bash", "--input", "[1]"], DATA, ["--input", "a list"]),
    (["guard"], DATA, ["--tool", "--message"]),
    (["trust", "--grant", "nope"], DATA, ["'nope'", "`memd trust`"]),
]  # fmt: skip


def named(mistake: tuple[list[str], int, list[str]]) -> str:
    return " ".join(mistake[0])[:60] or "nothing"


@pytest.fixture(scope="module", params=["by itself", "asked of a daemon"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """A workspace with all that the mistakes are made with, with a daemon and without."""
    path = tmp_path_factory.mktemp("m")
    with own_places(path), pytest.MonkeyPatch.context() as patch:
        folder = Folder.make(path / "memory")
        make_files(folder)
        memd("session", "open", "s1", cwd=folder.path)
        memd("task", "open", "Fix the login", cwd=folder.path)
        if request.param == "by itself":
            yield folder
            return
        daemon = Daemon(folder, path / "s")
        daemon.start()
        yield folder
        daemon.stop()
        patch.undo()


def make_files(folder: Folder) -> None:
    """Write the files that the mistakes name."""
    here = folder.path
    (here / "folder").mkdir()
    (here / "chat.txt").write_text("user: hi\n")
    (here / "latin.txt").write_bytes(b"user: caf\xe9\n")
    (here / "big.txt").write_text(f"user: {'x' * 1_010_000}\n")
    (here / "broken.json").write_text('{"a": 1,,}')
    (here / "broken.jsonl").write_text('{"speaker": "user", "content": "a"}\n{"speaker":\n')
    (here / "many.jsonl").write_text('{"speaker": "user", "content": "a"}\n' * 1001)
    folder.file("main").write_text(
        '{"characterUuid": "main", "episodic": [], "semantic": [{"id": "same-one", "content": "One."},'
        ' {"id": "same-two", "content": "Two."}], "traits": [], "goals": []}'
    )
    Folder.make(here / "other")
    (Folder.make(here / "broken-toml").path / "memd.toml").write_text("[gate]\nkeep_from = \n")
    Folder.make(here / "broken-memory").file("main").write_text('{"characterUuid": "main", "episodic": [,]}')


@pytest.mark.parametrize("mistake", MISTAKES, ids=named)
def test_a_mistake_is_told_in_the_words_it_was_made_in(
    place: Folder, mistake: tuple[list[str], int, list[str]]
) -> None:
    typed, status, names = mistake
    an_id = str(place.records("nora")[0]["id"])[:8]
    done = memd(*(one.replace("{id}", an_id) for one in typed), cwd=place.path, check=False)
    said = done.stdout + done.stderr if status == 1 else done.stderr
    assert done.returncode == status, said
    for name in names:
        assert name.replace("{id}", an_id) in said
    for word in NEVER:
        assert word not in said
    if status != 1:
        first, *more = done.stderr.strip().splitlines()
        assert first.startswith("Error: ")
        assert [line[:7] for line in more] == ["  Try: "], "one line says what to do"
        assert re.match(r"  Try: [A-Z`]", more[0])


def test_there_are_sixty_and_every_group_of_verbs_has_some() -> None:
    assert len({tuple(typed) for typed, _, _ in MISTAKES}) == len(MISTAKES) >= 60
    made = {typed[0] for typed, _, _ in MISTAKES}
    assert all(made & set(verbs) for title, verbs in GROUPS.items() if title != "The program")
    assert sum(any("\u4e00" <= char <= "\u9fff" for word in typed for char in word) for typed, _, _ in MISTAKES) >= 10


def test_what_stands_for_a_guess_is_there() -> None:
    for verb, guesses in GUESSES.items():
        command = memd_command.get_command(click.Context(memd_command), verb)
        assert command is not None, verb
        assert not isinstance(command, click.Group), f"{verb} has verbs of its own"
        options = {name for param in command.params for name in param.opts}
        words = [word for some in guesses for word in some]
        assert len(words) == len({*words}), f"{verb}: one guess means one thing"
        assert {one for form in guesses.values() for one in form.split() if one.startswith("-")} <= options, verb


def test_a_long_text_is_not_typed_out_again(place: Folder) -> None:
    done = memd("remember", "add", "main", "I like tea. " * 20, cwd=place.path, check=False)
    assert "memd remember ROLE TEXT`" in done.stderr
    assert "I like tea" not in done.stderr


def test_what_is_no_utf_8_and_a_closed_output_are_told_or_borne(place: Folder) -> None:
    said: list[list[str | bytes]] = [
        [sys.executable, "-m", "memd", "remember", "nora", b"My \xff cat is called Mia"],
        ["sh", "-c", f"{sys.executable} -m memd list nora >&-"],
    ]
    done = [subprocess.run(one, cwd=place.path, capture_output=True, timeout=60, check=False) for one in said]
    assert [(one.returncode, b"UTF-8" in one.stderr) for one in done] == [(DATA, True), (0, False)], done
    assert done[1].stderr == b""


def test_a_file_that_may_not_be_read_is_named(place: Folder) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (place.path / "secret.txt").write_text("user: hi\n")
    (place.path / "secret.txt").chmod(0)
    done = memd("propose", "main", "secret.txt", cwd=place.path, check=False)
    assert "FILE: 'secret.txt' may not be read" in done.stderr


def test_what_memd_workspace_names_is_told_with_its_name(tmp_path: Path) -> None:
    done = memd("status", cwd=tmp_path, env={"MEMD_WORKSPACE": str(tmp_path / "gone")}, check=False)
    assert f"MEMD_WORKSPACE: there is no {tmp_path / 'gone'}" in done.stderr
    done = memd("status", cwd=tmp_path, check=False)
    assert f"no memd.toml in {tmp_path} or above" in done.stderr


def test_what_content_says_reaches_no_terminal_as_a_command(place: Folder) -> None:
    done = memd("show", "nora", "zz\x1b[31mzz", cwd=place.path, check=False)
    assert "\x1b" not in done.stderr
    done = memd("no\x1b[31msuch", cwd=place.path, check=False)
    assert "\x1b" not in done.stderr


def test_help_shows_every_verb_in_its_group_and_every_sentence_whole() -> None:
    shown = memd("--help").stdout
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    assert "..." not in shown.partition("\n")[2]
    for title, verbs in GROUPS.items():
        at = lines.index(f"{title}:")
        found = dict(line.split(maxsplit=1) for line in lines[at + 1 : at + 1 + len(verbs)])
        assert found == {name: verb.does for name, verb in verbs.items()}, "one line each"


@pytest.mark.parametrize(
    "verb", ["session", "run", "task", "skill", "role", "snapshot", "curated", "git", "service", "review", "hook"]
)
def test_help_of_a_group_shows_every_sentence_whole(verb: str) -> None:
    shown = memd(verb, "--help").stdout
    told = shown.partition("Verbs:\n")[2]
    assert told
    assert "..." not in told
    assert max(map(len, told.splitlines())) <= 80
    assert all(re.search(r"[.:]$", " ".join(one.split())) for one in re.split(r"\n(?=  \S)", told.strip("\n")))
    assert set(VERBS) >= {verb}
