"""The past in a setup: it is offered and never taken in by itself, and one word takes it in."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time

import pytest

from tests.cli.setup.homes import Home
from tests.flow.kept import DAY_S, Kept
from tests.support import memd, until

TOLD = [("user", "我对榛子过敏。"), ("assistant", "好的。"), ("user", "My sister Ana lives in Lisbon.")]


@pytest.fixture
def past(home: Home) -> str:
    """A home in which an agent keeps one conversation; returned is the file of its session."""
    home.install("claude")
    return f"claude-{Kept(home.path, time.time() - 60 * DAY_S).claude(*TOLD)}.jsonl"


def sessions(home: Home) -> list[str]:
    return [one.name for one in (home.memory / "sessions").rglob("*.jsonl")]


def test_yes_alone_leaves_private_conversations_where_they_are(home: Home, past: str) -> None:
    told = home.setup("--yes", "--json")
    reply = json.loads(told.stdout)
    assert reply["past"]["takes"] is False
    assert reply["past"]["agents"][0]["conversations"] == 1
    row = next(one for one in reply["plan"] if one[0] == "past")
    assert "--past" in row[2]
    assert "past" not in json.loads(memd("status", "--json", "-w", str(home.memory)).stdout)
    assert past not in sessions(home)


def test_one_word_takes_them_in_and_a_second_run_has_nothing_to_do(home: Home, past: str) -> None:
    told = home.setup("--yes", "--past").stdout
    assert "memd import --undo past-" in told
    until(lambda: sessions(home) == [past], 60, "it is taken in")
    until(lambda: "榛子" in memd("list", "main", "-w", str(home.memory)).stdout, 60, "what was told is known")
    until(lambda: "past" not in json.loads(memd("status", "--json", "-w", str(home.memory)).stdout), 60, "it is done")
    assert "Nothing to change" in home.setup("--yes", "--past").stdout


def test_undo_ends_what_is_not_carried_out_and_leaves_what_was_kept(home: Home, past: str) -> None:
    home.setup("--yes", "--past")
    until(lambda: sessions(home) == [past], 60, "it is taken in")
    told = home.setup("--undo", check=False).stdout
    assert "is yours now" in told
    assert sessions(home) == [past]
    assert not list(home.path.glob(".local/state/memd/*/trust.json"))


def test_for_one_project_nothing_is_offered(home: Home, past: str) -> None:
    project = home.path / "shop"
    project.mkdir()
    assert json.loads(home.setup("--print", "--json", "--project", str(project)).stdout)["past"]["agents"] == []
    refused = home.setup("--yes", "--past", "--project", str(project), check=False)
    assert refused.returncode == 2
    assert "memd import --past" in refused.stderr


@pytest.mark.parametrize(("answer", "takes"), [("y", True), ("n", False), ("", False)])
def test_in_a_terminal_it_is_asked_for_itself(home: Home, past: str, answer: str, *, takes: bool) -> None:
    mine, theirs = pty.openpty()
    words = [sys.executable, "-m", "memd", "setup"]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=home.path.parent)
    os.close(theirs)
    seen = b""
    for question, typed in (("Do this?", "y"), ("Take in these past conversations, too?", answer)):
        while question.encode() not in seen:
            seen += os.read(mine, 4096)
        os.write(mine, f"{typed}\n".encode())
    while True:
        try:
            seen += os.read(mine, 4096)
        except OSError:
            break
    process.wait()
    os.close(mine)
    assert (b"past: 1 conversation" in seen) == takes
    if takes:
        until(lambda: sessions(home) == [past], 60, "it is taken in")
