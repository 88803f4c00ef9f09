"""Sessions, runs, tasks, skills and curated memory on the command line, without a daemon and with one."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest

from memd.cli.main import memd_command
from memd.cli.verbs import GROUPS
from tests import forking
from tests.support import Daemon, Folder, memd, until

# A life is forty processes, each of which may wait for a busy machine.
pytestmark = pytest.mark.timeout(400)
WORK = ("session", "run", "task", "skill", "snapshot", "context", "curated")


@dataclass(frozen=True)
class Terminal:
    """The command line over one workspace."""

    folder: Folder
    env: dict[str, str] = field(default_factory=dict)

    def do(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return memd(*arguments, "-w", str(self.folder.path), check=check, env=self.env)

    def out(self, *arguments: str) -> str:
        return self.do(*arguments).stdout

    def reply(self, *arguments: str) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.out(*arguments, "--json"))
        return result

    def fed(self, given: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run it with something on standard input."""
        return memd(*arguments, "-w", str(self.folder.path), check=False, env=self.env, given=given)

    def answered(
        self, name: str, verdict: str, *arguments: str, meanwhile: Callable[[], object] = bool
    ) -> tuple[int, str, str]:
        """Run it on a terminal where a person answers; return the status, standard output, and what they saw.

        `meanwhile`: what happens between the question and the answer.
        """
        ours, theirs = pty.openpty()
        seen, waiting = b"", verdict
        words = (*arguments, "-w", str(self.folder.path))
        with tempfile.TemporaryFile() as out:
            process = forking.start(*words, env={**os.environ, **self.env}, stdin=theirs, stdout=out, stderr=theirs)
            os.close(theirs)
            os.write(ours, name.encode())
            try:
                while piece := os.read(ours, 65536):
                    seen += piece
                    if waiting and b"[y/N]" in seen:
                        meanwhile()
                        os.write(ours, waiting.encode())
                        waiting = ""
            except OSError:
                pass  # the other end is closed: the process has ended
            os.close(ours)
            status = process.wait(60)
            out.seek(0)
            return status, out.read().decode(), seen.decode().replace("\r\n", "\n")

    def skill_file(self, skill: str) -> Path:
        return self.folder.path / "skills" / skill / "SKILL.md"


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(Folder.make(tmp_path / "memory", demo=False))


@dataclass(frozen=True)
class Words:
    """What a person and an agent say, in one language."""

    title: str
    task: str
    skill: str
    asked: str
    path: str
    summary: str
    revise: str
    accept: str
    who: str


ENGLISH = Words(
    "Fix the login", "fix-the-login", "fix-the-login", "Fix the login bug", "src/login.py", "The session is renewed.",
    "Do not touch the tests.", "Good.", "Lin",
)  # fmt: skip
CHINESE = Words(
    "写项目周报", "写项目周报", "weekly-report", "按项目写本周的周报", "周报/项目甲.md", "周报写好了，一页。",
    "不要超过一页。", "很好。", "林",
)  # fmt: skip


def events(words: Words, number: int) -> str:
    """Return what one run does, as JSON lines."""
    lines: list[dict[str, Any]] = [
        {"kind": "message", "speaker": "user", "content": words.asked},
        {"kind": "tool_call", "tool": "read_file", "call_id": "1", "arguments": {"path": f"{number}/{words.path}"}},
        {"kind": "tool_result", "call_id": "1", "content": words.title},
        {"kind": "tool_call", "tool": "run_tests", "call_id": "2", "arguments": {"suite": "all"}},
        {"kind": "tool_result", "call_id": "2", "content": "3 failed\nthe rest passed", "is_error": True},
        {"kind": "usage", "input_tokens": 100, "output_tokens": 20},
        {"kind": "message", "speaker": "assistant", "content": words.summary},
    ]
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)


def run_once(terminal: Terminal, words: Words, number: int, *options: str, task: str = "") -> str:
    """Make one whole run, and return its name: alone on standard output, so that a script can take it."""
    started = terminal.do("run", "start", "--task", task or words.task, "--asked", words.asked, *options)
    run = started.stdout.strip()
    assert started.stdout == f"{run}\n"
    assert "snapshot" in started.stderr
    told = terminal.fed(events(words, number), "run", "event", run, "--events", "-")
    assert told.returncode == 0, told.stderr
    assert "2 of 50 tool iterations" in told.stdout
    ended = terminal.do("run", "complete", run, "--summary", f"{words.summary} {number}", "--changed", words.path)
    assert ended.stdout.startswith(f"completed: {run}, receipt runs/")
    assert f"memd task accept {task or words.task}" in ended.stderr
    return run


def width(text: str) -> int:
    """Return how many columns a terminal gives a text: two for each Chinese character."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def times_line_up(text: str, head: str) -> bool:
    """Tell whether every line has its time exactly below the head of that column."""
    first, *rows = text.splitlines()
    at = width(first[: first.index(head)])
    dated = [row for row in rows if "20" in row]
    return bool(dated) and all(at in {width(row[:place]) for place in starts(row)} for row in dated)


def starts(row: str) -> list[int]:
    """Return where in a row a time begins."""
    return [found.start() for found in re.finditer(r"(?<=  )\d{4}-\d\d-\d\d ", row)]


def test_the_whole_life_of_a_skill_in_english_as_json(terminal: Terminal) -> None:
    words, reply = ENGLISH, terminal.reply
    assert reply("task", "open", words.title, "--role", "main")["task"] == words.task
    for number in range(2):
        run_once(terminal, words, number)
        revised = reply("task", "revise", words.task, words.revise)
        assert (revised["state"], revised["said"][-1]["words"]) == ("revising", words.revise)
    final = run_once(terminal, words, 2)
    assert reply("run", "show", final)["acceptance"] == "pending"
    assert len(reply("run", "list", "--task", words.task)["runs"]) == 3
    assert reply("task", "evidence", words.task, "214 tests pass", "--status", "passed", "--run", final)["evidence"]
    accepted = reply("task", "accept", words.task, "--words", words.accept)
    assert (accepted["candidate"], accepted["final_accepted_run_id"]) == (words.task, final)
    assert reply("task", "show", words.task)["state"] == "accepted"
    assert [one["task"] for one in reply("task", "list", "--state", "accepted")["tasks"]] == [words.task]
    (candidate,) = reply("skill", "candidates", "--state", "open")["candidates"]
    assert len(candidate["runs"]) == 3
    assert words.revise in reply("skill", "synthesize", words.task, "--prompt")["prompt"]
    draft = reply("skill", "synthesize", words.task)
    assert draft["skill"] == words.skill
    assert [one["skill"] for one in reply("skill", "review")["drafts"]] == [words.skill]
    assert reply("skill", "review", words.skill)["digest"] == draft["digest"]
    assert not terminal.skill_file(words.skill).exists()
    published = reply("skill", "publish", words.skill, "--by", words.who, "--digest", draft["digest"], "--yes")
    assert published["version"] == 1
    assert [one["version"] for one in reply("skill", "list")["skills"]] == [1]
    assert reply("skill", "show", words.skill, "--version", "1")["versions"][0]["by"] == words.who
    use_and_judge(terminal, words)
    assert reply("skill", "effects")["effects"][0]["accepted"] == 1
    assert reply("skill", "effects", words.skill, "--recompute")["equal"]
    assert reply("skill", "retire", words.skill, "--by", words.who, "--words", "gone")["retired"]
    assert reply("skill", "list")["skills"] == []


def use_and_judge(terminal: Terminal, words: Words) -> None:
    """Use a skill's first version in one more task, and accept what comes of it."""
    task = terminal.out("task", "open", f"{words.title} 2").strip()
    run_once(terminal, words, 3, "--skill", f"{words.skill}@1", task=task)
    terminal.do("task", "accept", task)


def test_the_whole_life_of_a_skill_in_chinese_as_a_person_reads_it(terminal: Terminal) -> None:
    words, out = CHINESE, terminal.out
    opened = terminal.do("task", "open", words.title, "--asked", words.asked)
    assert opened.stdout == f"{words.task}\n"
    assert f"memd run start --task {words.task}" in opened.stderr
    for number in range(2):
        run = run_once(terminal, words, number)
        assert f"you said: {words.revise}" in out("task", "revise", words.task, words.revise, "--run", run)
    final = run_once(terminal, words, 2)
    assert f"## Asked\n\n{words.asked}\n" in out("run", "show", final)
    listed = out("run", "list")
    assert listed.count("revised") == 2
    assert times_line_up(listed, "started")
    accepted = terminal.do("task", "accept", words.task, "--words", words.accept)
    assert accepted.stdout == f"accepted {words.task}; the final run is {final}\ncandidate {words.task}\n"
    assert f"next: memd skill synthesize {words.task}" in accepted.stderr
    shown = out("task", "show", words.task)
    assert all(one in shown for one in (words.revise, words.accept, final, words.asked))
    assert times_line_up(out("task", "list"), "opened")
    assert times_line_up(out("skill", "candidates"), "since")
    draft = out("skill", "synthesize", words.task, "--skill", words.skill)
    assert f"# {words.title}\n" in draft
    assert words.revise in draft
    assert words.task in out("skill", "review")
    published = out("skill", "publish", words.skill, "--by", words.who, "--yes")
    assert published == f"published {words.skill}@1: skills/{words.skill}/SKILL.md\n"
    use_and_judge(terminal, words)
    assert f"{words.skill}  1        1         0        0          0.67" in out("skill", "effects")
    told = terminal.do("skill", "show", words.skill)
    assert told.stdout == terminal.skill_file(words.skill).read_text("utf-8")
    assert words.who in told.stderr
    assert out("skill", "retire", words.skill, "--by", words.who).startswith(f"retired {words.skill}@1; ")
    assert out("skill", "list") == "No skill is published.\n"


def test_with_a_daemon_a_task_becomes_a_skill_and_what_was_said_is_found(daemon: Daemon) -> None:
    terminal, words = Terminal(daemon.folder, {"MEMD_SOCKET": str(daemon.socket)}), CHINESE
    terminal.do("task", "open", words.title, "--role", "main")
    run = run_once(terminal, words, 1)
    assert terminal.reply("task", "accept", words.task)["final_accepted_run_id"] == run
    terminal.do("skill", "synthesize", words.task, "--skill", words.skill)
    assert terminal.do("skill", "publish", words.skill, "--by", words.who, check=False).returncode == 2
    assert terminal.out("skill", "publish", words.skill, "--by", words.who, "--yes").startswith("published")

    def found() -> bool:
        hits = terminal.reply("session", "search", "周报", "--speaker", "user")["hits"]
        return [one["session"] for one in hits] == [run]

    until(found, 20, "the index follows the log")
    assert words.asked in terminal.out("session", "history", run)
    assert "## Runtime context" in terminal.out("context", "--session", run)
    assert terminal.out("skill", "effects", "--recompute").endswith("equal\n")
    refused = terminal.do("run", "event", run, "--user", "x", check=False)
    assert refused.returncode == 65
    assert "  Try: Start another run" in refused.stderr


@pytest.fixture
def drafted(terminal: Terminal) -> Terminal:
    """A workspace with one draft that waits."""
    terminal.do("task", "open", ENGLISH.title)
    run_once(terminal, ENGLISH, 1)
    terminal.do("task", "accept", ENGLISH.task)
    terminal.do("skill", "synthesize", ENGLISH.task)
    return terminal


def test_nothing_is_published_without_a_persons_yes(drafted: Terminal) -> None:
    skill = ENGLISH.skill
    for options in (("--by", "Lin"), ("--by", "Lin", "--json"), ()):
        refused = drafted.do("skill", "publish", skill, *options, check=False)
        assert refused.returncode == 2
        assert "a person must say yes" in refused.stderr
        assert "Try" in refused.stderr
    nobody = drafted.do("skill", "publish", skill, "--yes", check=False)
    assert (nobody.returncode, "--by WHO" in nobody.stderr) == (2, True)
    piped = drafted.fed("Lin\ny\n", "skill", "publish", skill)
    assert piped.returncode == 2
    status, out, seen = drafted.answered("", "n\n", "skill", "publish", skill, "--by", "Lin")
    assert (status, out.strip()) == (130, "")
    assert "## Steps" in seen
    assert "Publish fix-the-login in the name of Lin? [y/N]" in seen
    other = drafted.do("skill", "publish", skill, "--by", "Lin", "--yes", "--digest", "0" * 64, check=False)
    assert other.returncode != 0
    assert "  Try: " in other.stderr
    assert not drafted.skill_file(skill).exists()
    assert drafted.out("skill", "list") == "No skill is published.\n"


def test_on_a_terminal_a_person_reads_a_draft_says_who_they_are_and_yes(drafted: Terminal) -> None:
    status, out, seen = drafted.answered("Lin\n", "y\n", "skill", "publish", ENGLISH.skill, "--words", "Clear.")
    assert (status, out.strip()) == (0, "published fix-the-login@1: skills/fix-the-login/SKILL.md")
    assert "Who publishes it" in seen
    assert "# Fix the login" in seen
    (version,) = drafted.reply("skill", "show", ENGLISH.skill)["versions"]
    assert (version["by"], version["words"]) == ("Lin", "Clear.")


def test_a_draft_that_changes_between_the_question_and_the_yes_is_not_published(drafted: Terminal) -> None:
    path = drafted.folder.path / "learning/drafts/fix-the-login/SKILL.md"
    other = path.read_text("utf-8").replace("# Fix the login", "# Something nobody has read")
    status, _, seen = drafted.answered(
        "", "y\n", "skill", "publish", ENGLISH.skill, "--by", "Lin", meanwhile=lambda: path.write_text(other, "utf-8")
    )
    assert status != 0
    assert "  Try: " in seen
    assert not drafted.skill_file(ENGLISH.skill).exists()


def test_a_draft_with_faults_is_shown_and_not_asked_about(drafted: Terminal) -> None:
    path = drafted.folder.path / "learning/drafts/fix-the-login/SKILL.md"
    path.write_text(path.read_text("utf-8").replace("name: fix-the-login", "name: something-else"), "utf-8")
    status, _, seen = drafted.answered("", "y\n", "skill", "publish", ENGLISH.skill, "--by", "Lin")
    assert status == 65
    assert "fault: learning/drafts/fix-the-login/SKILL.md:" in seen
    assert "[y/N]" not in seen
    assert not drafted.skill_file(ENGLISH.skill).exists()


def test_a_draft_of_ones_own_model_is_handed_in_and_declined(drafted: Terminal) -> None:
    assert drafted.out("skill", "synthesize", ENGLISH.task, "--prompt").startswith("Write a skill")
    text = "---\nname: fix-the-login\ndescription: Renew the session. Use when the login fails.\n---\n\n# 登录\n\nRenew it.\n"
    handed = drafted.fed(text, "skill", "draft", ENGLISH.task, "-", "--made-by", "a model")
    assert handed.returncode == 0, handed.stderr
    assert "Renew it." in handed.stdout
    assert drafted.reply("skill", "review", "fix-the-login")["made_by"] == "a model"
    declined = drafted.out("skill", "review", "fix-the-login", "--decline", "--words", "Too short.")
    assert declined.startswith("declined fix-the-login; ")
    assert drafted.out("skill", "review") == "No draft waits for you.\n"
    late = drafted.do("skill", "publish", "fix-the-login", "--by", "Lin", "--yes", check=False)
    assert late.returncode == 65
    assert "Too short." in late.stderr


def test_a_draft_that_is_no_skill_is_refused_with_its_faults(drafted: Terminal, tmp_path: Path) -> None:
    wrong = drafted.fed("# No front matter\n", "skill", "draft", ENGLISH.task, "-")
    assert wrong.returncode == 65
    assert "  Try: " in wrong.stderr
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    bytes_ = drafted.do("skill", "draft", ENGLISH.task, str(tmp_path / "latin"), check=False)
    assert (bytes_.returncode, "not UTF-8" in bytes_.stderr) == (65, True)


def test_the_next_version_is_shown_by_what_it_changes(drafted: Terminal) -> None:
    drafted.do("skill", "publish", ENGLISH.skill, "--by", "Lin", "--yes")
    task = drafted.out("task", "open", "Fix the login again").strip()
    run_once(drafted, ENGLISH, 7, "--skill", "fix-the-login@1", task=task)
    drafted.do("task", "accept", task, "--words", "Even better.")
    shown = drafted.out("skill", "synthesize", task)
    assert "over version  1" in shown
    assert "\n+++ learning/drafts/fix-the-login/SKILL.md" in shown
    assert drafted.out("skill", "publish", ENGLISH.skill, "--by", "Lin", "--yes").startswith(
        "published fix-the-login@2"
    )


def test_effects_that_are_not_those_of_the_receipts_are_told_by_the_exit_status(drafted: Terminal) -> None:
    drafted.do("skill", "publish", ENGLISH.skill, "--by", "Lin", "--yes")
    use_and_judge(drafted, ENGLISH)
    assert drafted.do("skill", "effects", "--recompute").returncode == 0
    (receipt,) = [
        path for path in (drafted.folder.path / "runs").glob("*/*.md") if "fix-the-login@1" in path.read_text("utf-8")
    ]
    receipt.write_text(receipt.read_text("utf-8").replace("acceptance: accepted", "acceptance: revised"), "utf-8")
    differs = drafted.do("skill", "effects", "--recompute", check=False)
    assert differs.returncode == 1
    assert "not equal" in differs.stdout
    assert "kept 1/0/0, the receipts say 0/1/0" in differs.stdout
    assert f"edited by hand: {receipt.stem}" in differs.stdout
    again = drafted.do("skill", "effects", "--recompute", "--json")
    assert json.loads(again.stdout)["equal"]


def test_a_session_reads_like_a_conversation(terminal: Terminal) -> None:
    assert terminal.do("session", "open", "窑炉", "--role", "main", "--title", "The kiln").stdout == "窑炉\n"
    terminal.do("session", "append", "窑炉", "--user", "周四窑炉有空吗？\nOr on Friday?")
    terminal.do("session", "append", "窑炉", "--note", "asked twice")
    terminal.do("session", "append", "窑炉", "--system", "hidden words", "--hidden")
    calls = [
        {"kind": "tool_call", "tool": "calendar", "arguments": {"day": "周四"}},
        {"kind": "tool_result", "content": "taken\nby Lin", "is_error": True},
    ]
    given = "\ufeff" + "\r\n\n".join(json.dumps(one, ensure_ascii=False) for one in calls)
    assert "2 events" in terminal.fed(given, "session", "append", "窑炉", "--events", "-").stdout
    terminal.do("session", "append", "窑炉", "--assistant", "Red \u001b[31m\u202eFriday.", "--after", "6")
    shown = terminal.do("session", "history", "窑炉")
    assert [line.partition("Z  ")[2] or line for line in shown.stdout.splitlines()] == [
        "user: 周四窑炉有空吗？",
        "    Or on Friday?",
        'calendar(day="周四")',
        "    → failed: taken by Lin",
        "assistant: Red Friday.",
    ]
    older = terminal.do("session", "history", "窑炉", "--limit", "1").stderr
    assert "older: memd session history 窑炉 --before " in older
    page = terminal.out("session", "history", "窑炉", "--before", older.split("--before ")[1].split()[0])
    assert "Or on Friday?" in page
    assert "Red" not in page


def test_a_session_that_leaves_another_shows_what_came_before(terminal: Terminal) -> None:
    terminal.do("session", "open", "s1")
    first = terminal.reply("session", "append", "s1", "--user", "the first")["events"][0]["id"]
    terminal.do("session", "append", "s1", "--user", "the second")
    opened = terminal.do("session", "open", "s2", "--forks", "s1", "--at", first)
    assert f"forked from s1 after {first}" in opened.stderr
    terminal.do("session", "append", "s2", "--user", "另一条路")
    history = terminal.do("session", "history", "s2")
    assert [line.split("user: ")[1] for line in history.stdout.splitlines()] == ["the first", "另一条路"]
    assert "from s2 <- s1" in history.stderr
    assert f"forked from s1 after {first}" in terminal.out("session", "show", "s2")
    assert terminal.out("session", "close", "s1", "--reason", "done").startswith("closed s1")
    resumed = terminal.do("session", "open", "s3", "--resumes", "s1")
    assert "continues s1" in resumed.stderr
    assert "closed" in terminal.out("session", "show", "s1")
    assert terminal.reply("session", "close", "s2")["closed"]


def test_the_four_shapes_of_a_search_are_readable(terminal: Terminal) -> None:
    terminal.do("session", "open", "s1", "--title", "Glazes")
    texts = ["早上好", "Which glaze?", "Celadon at 1280 degrees.", "青瓷釉料很好看", "Thanks"]
    lines = "\n".join(
        json.dumps({"speaker": "assistant" if number % 2 else "user", "content": text})
        for number, text in enumerate(texts)
    )
    terminal.fed(lines, "session", "append", "s1", "--events", "-")
    found = terminal.do("session", "search", "celadon", "--window", "1", "--speaker", "user")
    assert "1. " in found.stdout
    assert "**Celadon** at 1280 degrees." in found.stdout
    assert "  >  4  " in found.stdout
    assert "memd session search --session s1 --around 4" in found.stderr
    assert "青瓷" in terminal.out("session", "search", "釉料", "--session", "s1")
    around = terminal.out("session", "search", "--session", "s1", "--around", "4", "--window", "1")
    assert [line.split()[0] for line in around.splitlines()] == ["3", ">", "5", "s1:"]
    assert "2 before these, 1 after" in around
    assert "青瓷釉料很好看" in terminal.out("session", "search", "--session", "s1")
    assert terminal.out("session", "search") == terminal.out("session", "list")
    assert times_line_up(terminal.out("session", "list"), "last")
    assert terminal.out("session", "search", "porcelain") == "Nothing was found.\n"
    for shape in (("glaze",), ("--session", "s1", "--around", "2"), ("--session", "s1"), ()):
        assert terminal.reply("session", "search", *shape)["shape"]


def test_each_option_of_a_run_is_the_event_it_says(terminal: Terminal) -> None:
    run = terminal.out("run", "start", "--asked", "x", "--max-tool-iterations", "1").strip()
    under_way = terminal.reply("run", "show", run)
    assert (under_way["pid"], under_way["alive"]) == (forking.parent(), True)
    assert "running" in terminal.out("run", "list")
    assert f"{forking.parent()}, alive" in terminal.out("run", "show", run)
    call = terminal.do("run", "event", run, "--tool", "ls", "--arguments", '{"path": "周报"}', "--call-id", "7")
    assert "1 of 1 tool iterations" in call.stdout
    assert "the next tool iteration will be refused" in call.stderr
    refused = terminal.do("run", "event", run, "--tool", "ls", check=False)
    assert refused.returncode == 65
    assert "  Try: Complete the run" in refused.stderr
    terminal.do("run", "event", run, "--result", "no such folder", "--failed", "--call-id", "7")
    terminal.do("run", "event", run, "--usage", "1200, 340")
    terminal.do("run", "event", run, "--evidence", "全部测试通过", "--status", "passed")
    leaked = terminal.do("run", "event", run, "--assistant", '<tool_call>{"name": "ls", "arguments": {}}</tool_call>')
    assert "a tool call is written as text" in leaked.stderr
    assert terminal.reply("run", "event", run, "--note", "n", "--hidden")["iterations"] == 1
    assert terminal.out("run", "complete", run, "--outcome", "failed", "--summary", "No.").startswith("failed: ")
    again = terminal.out("run", "complete", run, "--outcome", "failed", "--summary", "No.")
    assert again.endswith("(nothing changed)\n")
    receipt = terminal.out("run", "show", run)
    assert all(one in receipt for one in ("- [passed] 全部测试通过", "`ls` (failed)", "input_tokens: 1200"))
    unknown = terminal.out("run", "start", "--pid", "0").strip()
    assert "pid" not in terminal.reply("run", "show", unknown)
    assert terminal.reply("run", "complete", unknown, "--outcome", "cancelled")["state"] == "cancelled"
    terminal.do("session", "open", "shared")
    assert terminal.reply("run", "start", "--session", "shared")["session"] == "shared"


def test_what_the_life_of_a_skill_does_not_ask_is_json_too(drafted: Terminal) -> None:
    reply = drafted.reply
    assert reply("session", "open", "s1")["existed"] is False
    assert reply("session", "append", "s1", "--user", "你好")["count"] == 2
    assert reply("session", "history", "s1")["messages"][0]["content"] == "你好"
    assert reply("session", "list")["shape"] == "browse"
    assert reply("session", "show", "s1")["visible"] == 1
    assert reply("snapshot")["digest"]
    assert reply("context", "--session", "s1")["messages"]
    assert reply("run", "list")["total"] == 1
    text = "---\nname: fix-the-login\ndescription: Renew the session.\n---\n\n# Login\n\nRenew it.\n"
    handed = drafted.fed(text, "skill", "draft", ENGLISH.task, "-", "--json")
    assert json.loads(handed.stdout)["made_by"] == "caller"
    assert reply("skill", "review", "fix-the-login", "--decline")["declined"]
    drafted.do("task", "open", "Another")
    assert reply("task", "abandon", "another")["state"] == "abandoned"


def test_a_run_whose_process_has_gone_is_told_as_such(terminal: Terminal) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        run = terminal.out("run", "start", "--pid", str(process.pid)).strip()
        assert "process gone" not in terminal.out("run", "list")
        process.kill()
    assert "running, process gone" in terminal.out("run", "list")
    assert f"{process.pid}, gone" in terminal.out("run", "show", run)


def test_curated_memory_is_read_and_edited_with_its_usage(terminal: Terminal) -> None:
    added = terminal.do("curated", "add", "user", "用户喜欢简洁的回答")
    assert added.stdout == "added to USER.md\n"
    assert "1,375 chars" in added.stderr
    assert terminal.out("curated", "add", "user", "用户喜欢简洁的回答") == "USER.md says so already\n"
    terminal.do("curated", "add", "memory", "The build needs Node 20.\nSince May.")
    assert terminal.out("curated", "read") == "  1  The build needs Node 20.\n     Since May.\n"
    terminal.do("curated", "replace", "memory", "Node 20", "The build needs Node 22.")
    assert terminal.reply("curated", "read", "memory")["entries"] == [{"n": 1, "text": "The build needs Node 22."}]
    assert "warning: MEMORY.md has" in terminal.do("curated", "add", "memory", "x" * 1900).stderr
    full = terminal.do("curated", "add", "memory", "y" * 500, check=False)
    assert full.returncode == 65
    assert terminal.reply("curated", "remove", "user", "简洁")["changed"]
    assert terminal.out("curated", "read", "user") == "USER.md has no entries.\n"
    assert terminal.reply("curated", "replace", "memory", "xxx", "z")["changed"]
    assert terminal.reply("curated", "add", "user", "Prefers tabs.")["file"] == "USER.md"


def test_a_snapshot_and_a_context_are_sections_for_a_prompt(terminal: Terminal) -> None:
    terminal.do("curated", "add", "memory", "The build needs Node 20.")
    digest = terminal.out("snapshot").strip()
    assert terminal.out("snapshot", "take") == f"{digest}\n"
    assert terminal.reply("snapshot", "take")["stored"] is False
    assert terminal.out("snapshot", "show", digest[:8]).startswith("## Memory\n\n")
    assert terminal.reply("snapshot", "show", digest[:8])["digest"] == digest
    before = memd("snapshot", "-w", str(terminal.folder.path), "--json", "show", digest)
    assert json.loads(before.stdout)["digest"] == digest
    terminal.do("curated", "replace", "memory", "Node", "The build needs Node 22.")
    terminal.do("remember", "main", "I prefer tabs to spaces.", "--source", "user", "--key", "tabs", "--explicit")
    run = terminal.out("run", "start").strip()
    terminal.do("run", "event", run, "--user", "tabs or spaces?")
    given = terminal.do("context", "--run", run, "--no-record")
    order = ["## Memory", "Node 22", "## Runtime context", "## Memory of main", "tabs to spaces", "user: tabs or"]
    places = [given.stdout.find(one) for one in order]
    assert -1 not in places
    assert places == sorted(places)
    assert "1 message; " in given.stderr
    assert "Node 20" in terminal.out("context", "--snapshot", digest, "--message", "你好", "--role", "main")
    assert terminal.reply("context", "--run", run, "--messages", "5", "--chars", "5000")["messages"]
    assert "over --chars" in terminal.do("context", "--chars", "10").stderr


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (("run", "show", "nothing"), 65, "no run 'nothing'"),
        (("run", "event", "nothing", "--user", "x"), 65, "no run 'nothing'"),
        (("run", "complete", "nothing"), 65, "no run 'nothing'"),
        (("run", "start", "--task", "没有"), 65, "no task '没有'"),
        (("run", "start", "--run", "../x"), 65, "not a name"),
        (("task", "show", "nothing"), 65, "no task 'nothing'"),
        (("task", "accept", "nothing"), 65, "no task 'nothing'"),
        (("task", "open", ""), 65, "TITLE: it is empty"),
        (("session", "history", "nothing"), 65, "no session 'nothing'"),
        (("session", "append", "nothing", "--user", "x"), 65, "no session 'nothing'"),
        (("session", "open", "s2", "--forks", "nothing"), 65, "no session 'nothing'"),
        (("session", "search", "--around", "3"), 65, "session"),
        (("skill", "show", "nothing"), 65, "no published skill 'nothing'"),
        (("skill", "review", "nothing"), 65, "no draft 'nothing'"),
        (("skill", "synthesize", "nothing"), 65, "no candidate 'nothing'"),
        (("skill", "publish", "nothing", "--by", "Lin", "--yes"), 65, "no draft 'nothing'"),
        (("skill", "retire", "nothing", "--by", "Lin"), 65, "no published skill 'nothing'"),
        (("snapshot", "show", "deadbeef"), 65, "no snapshot 'deadbeef'"),
        (("curated", "read", "diary"), 65, "MEMORY.md or USER.md"),
        (("curated", "remove", "user", "nothing"), 65, "no entry of USER.md"),
        (("context", "--run", "nothing"), 65, "no run 'nothing'"),
    ],
)
def test_bad_input_ends_with_its_status_and_what_to_try(
    terminal: Terminal, arguments: tuple[str, ...], status: int, word: str
) -> None:
    result = terminal.do(*arguments, check=False)
    assert result.returncode == status, result.stderr
    assert word in result.stderr
    assert "\n  Try: " in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ('{"speaker": "user", "content": "a"}\n{bad\n', "line 2 of <stdin> is not JSON"),
        ("[1]\n", "no JSON object"),
        ('{"speaker": "user", "content": NaN}', "not JSON"),
        ('{"speaker": "dog", "content": "x"}', "speaker"),
        ('{"kind": "opened"}', "memd alone"),
        ("\n\n", "there is none in <stdin>"),
    ],
)
def test_events_that_are_none_are_refused_and_nothing_is_appended(terminal: Terminal, given: str, word: str) -> None:
    terminal.do("session", "open", "s1")
    result = terminal.fed(given, "session", "append", "s1", "--events", "-")
    assert result.returncode == 65, result.stderr
    assert word in result.stderr
    assert "\n  Try: Correct the event" in result.stderr
    assert terminal.reply("session", "show", "s1")["events"] == 1


def test_a_place_that_is_taken_is_refused_so_that_a_caller_tries_again(terminal: Terminal) -> None:
    terminal.do("session", "open", "s1")
    terminal.do("session", "append", "s1", "--user", "a", "--after", "1")
    twice = terminal.do("session", "append", "s1", "--user", "a", "--after", "1")
    assert "it was there already" in twice.stdout
    late = terminal.do("session", "append", "s1", "--user", "b", "--after", "1", check=False)
    assert late.returncode == 75
    assert "\n  Try: " in late.stderr


def test_a_task_without_a_completed_run_is_not_accepted(terminal: Terminal) -> None:
    terminal.do("task", "open", "T", "--task", "t")
    early = terminal.do("task", "accept", "t", check=False)
    assert (early.returncode, "\n  Try: " in early.stderr) == (65, True)
    run = terminal.out("run", "start", "--task", "t").strip()
    terminal.do("run", "complete", run, "--outcome", "failed")
    failed = terminal.do("task", "accept", "t", "--run", run, check=False)
    assert (failed.returncode, "\n  Try: " in failed.stderr) == (65, True)
    assert terminal.out("skill", "candidates").startswith("No candidates")
    assert terminal.out("task", "abandon", "t", "--words", "不做了") == "abandoned: t\n"
    assert "不做了" in terminal.out("task", "show", "t")


@pytest.mark.parametrize(
    "arguments",
    [
        ("session", "append", "s1"),
        ("session", "append", "s1", "--user", "x", "--note", "y"),
        ("session", "append", "s1", "--events", "not-there.jsonl"),
        ("session", "open", "s1", "--resumes", "a", "--forks", "b"),
        ("session", "open", "s1", "--at", "x"),
        ("run", "event", "r", "--user", "x", "--tool", "ls"),
        ("run", "event", "r", "--tool", "ls", "--arguments", "{bad"),
        ("run", "event", "r", "--arguments", "{}", "--user", "x"),
        ("run", "event", "r", "--failed", "--tool", "ls"),
        ("run", "event", "r", "--status", "passed", "--user", "x"),
        ("run", "event", "r", "--call-id", "1", "--user", "x"),
        ("run", "event", "r", "--usage", "many"),
        ("run", "complete", "r", "--outcome", "interrupted"),
        ("task", "list", "--state", "done"),
        ("skill", "retire", "x"),
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_asked(
    terminal: Terminal, arguments: tuple[str, ...]
) -> None:
    result = terminal.do(*arguments, check=False)
    assert result.returncode == 2, result.stderr
    assert "\n  Try: " in result.stderr


def verbs_of_work() -> Iterator[tuple[str, click.Command]]:
    """Yield every verb and subcommand, with its name."""
    context = click.Context(memd_command)
    for verb in WORK:
        command = memd_command.get_command(context, verb)
        assert command is not None
        yield verb, command
        if isinstance(command, click.Group):
            for name, sub in command.commands.items():
                yield f"{verb} {name}", sub


def test_every_verb_of_work_takes_json_and_a_workspace_and_shows_an_example() -> None:
    for name, command in verbs_of_work():
        assert command.help, name
        assert "\b\n" in command.help, name
        assert f"memd {name}" in command.help.partition("\b")[2], name
        if isinstance(command, click.Group) and not command.invoke_without_command:
            continue
        options = {option for one in command.params for option in one.opts}
        assert {"--json", "--workspace", "-w"} <= options, name


def test_the_verbs_of_work_stand_together() -> None:
    assert tuple(GROUPS["Work and sessions"]) == WORK
