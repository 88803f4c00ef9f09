"""The worked example of contrib/agent-loop, run as a person runs it: what it leaves in the workspace, in both languages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, Daemon, Folder, own_places, until

AGENT = ROOT / "contrib" / "agent-loop" / "agent.py"
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


@dataclass(frozen=True)
class Played:
    """What a scenario is known to come to."""

    language: str
    task: str
    later: str
    skill: str
    person: str
    corrections: tuple[str, str]
    inputs: tuple[str, ...]
    reads: int
    failed: str


ENGLISH = Played(
    "en",
    "weekly-sales-report",
    "sales-report-for-week-39",
    "weekly-sales-report",
    "Mara",
    (
        "Name the file and the lines behind every figure, and run the checks before you hand it in.",
        "Put the total first: I read it on my phone and stop after one line.",
    ),
    ("sales/week-36-north.csv", "sales/week-38-south.csv", "reports/week-36.md", "reports/week-37.md"),
    2,
    "5825 is not in its source",
)
CHINESE = Played(
    "zh",
    "整理产品周会纪要",
    "9月28日周会纪要",
    "meeting-minutes",
    "老周",
    (
        "每条都注明出自转写稿第几行，待办要写清负责人和截止日期，交稿前先核对一遍。",
        "决定放最前面，待办放后面；跟工作无关的闲聊一句都不要写。",
    ),
    ("转写/9月7日.txt", "转写/9月14日.txt", "纪要/9月7日.md", "纪要/9月21日.md"),
    1,
    "出处里没有“16”",
)
both = pytest.mark.parametrize("known", [ENGLISH, CHINESE], ids=lambda known: known.language)


def play(daemon: Daemon, language: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(AGENT), "--workspace", str(daemon.folder.path), "--language", language, *options],
        capture_output=True,
        text=True,
        env={**os.environ, "MEMD_SOCKET": str(daemon.socket), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        timeout=60,
        check=False,
    )


def played(daemon: Daemon, language: str) -> str:
    done = play(daemon, language)
    assert done.returncode == 0, done.stderr
    return done.stdout


def settled(daemon: Daemon) -> Path:
    """Return the workspace with all files written: they follow the log a moment later, but none behind a daemon's end."""
    assert daemon.stop() == 0
    daemon.start()
    return daemon.folder.path


@dataclass(frozen=True)
class Left:
    """A daemon with what a scenario left, and what was shown meanwhile."""

    daemon: Daemon
    known: Played
    shown: str


@pytest.fixture(scope="module", params=[ENGLISH, CHINESE], ids=lambda known: known.language)
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    """A scenario that was played once, for those who only look."""
    here = Path(tempfile.mkdtemp(prefix="memd-t"))  # short enough for a socket
    with own_places(here):
        daemon = Daemon(Folder.make(tmp_path_factory.mktemp("w") / "memory"), here / "s")
        daemon.start()
        shown = played(daemon, request.param.language)
        until(lambda: daemon.call("status")["log"]["waiting"] == 0, 20, "all is in the files")
        yield Left(daemon, request.param, shown)
        assert daemon.stop() == 0
    shutil.rmtree(here)


def receipts(daemon: Daemon, task: str) -> list[dict[str, Any]]:
    return [daemon.call("run.get", run=run["id"]) for run in daemon.call("task.get", task=task)["runs"]]


def events(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("sessions/*/*.jsonl")):
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def section(text: str, *titles: str) -> str:
    """Return what stands below one heading of a SKILL.md, whatever its language."""
    return next(part for part in text.split("\n## ") if part.startswith(titles))


def test_the_third_run_is_accepted_and_all_receipts_say_what_was_said(left: Left) -> None:
    daemon, known = left.daemon, left.known
    task = daemon.call("task.get", task=known.task)
    first, second, third = receipts(daemon, known.task)
    assert (task["state"], task["final_accepted_run_id"]) == ("accepted", third["run"])
    assert [one["acceptance"] for one in (first, second, third)] == ["revised", "revised", "accepted"]
    assert [one["final"] for one in (first, second, third)] == [False, False, True]
    assert (first["words"], second["words"]) == known.corrections
    assert len({one["session"] for one in (first, second, third)}) == 1
    assert first["tools"] == {"read_file": known.reads, "write_file": 1}
    assert second["tools"] == {"read_file": known.reads, "write_file": 2, "run_checks": 2}
    assert known.failed in second["evidence"][0]
    assert [one.split()[0] for one in (*second["evidence"], *third["evidence"])] == ["[failed]", "[passed]", "[passed]"]
    assert all(one["usage"]["input_tokens"] and len(one["changed"]) == 1 for one in (first, second, third))
    # Memory was frozen once, and what was injected is named by its id.
    assert len({one["snapshot"] for one in (first, second, third)}) == 1
    (memory,) = daemon.call("memory.list", role="main")["memories"]
    assert first["injected"][0].endswith(memory["id"])
    for one in (first, second, third):
        assert (daemon.folder.path / one["file"]).read_text("utf-8") == one["text"]


def test_a_call_written_as_text_is_made_and_recorded(left: Left) -> None:
    second = receipts(left.daemon, left.known.task)[1]["run"]
    of_run = [one for one in events(left.daemon.folder.path) if one.get("run") == second]
    (message,) = (one for one in of_run if "raw_tool_call" in one)
    (fallback,) = (one for one in of_run if one["kind"] == "fallback")
    assert fallback["of"] == f"{message['w']}-{message['n']}-{message['i']}"
    call = next(one for one in of_run[of_run.index(fallback) :] if one["kind"] == "tool_call")
    assert (call["tool"], call["arguments"]) == ("run_checks", message["raw_tool_call"]["arguments"])


def test_the_skill_is_published_with_what_was_asked_for_and_what_varied(left: Left) -> None:
    daemon, known = left.daemon, left.known
    third = receipts(daemon, known.task)[2]["run"]
    candidates = {one["candidate"]: one for one in daemon.call("learning.candidates")["candidates"]}
    candidate = candidates[known.task]
    assert (candidate["state"], candidate["skill"]) == ("published", known.skill)
    assert candidate["final_accepted_run_id"] == third
    assert candidate["runs"] == [one["run"] for one in receipts(daemon, known.task)]
    assert candidates[known.later]["used"] == [f"{known.skill}@1"]

    skill = daemon.call("skill.get", skill=known.skill)
    (version,) = skill["versions"]
    assert (version["n"], version["by"], version["final_accepted_run_id"]) == (1, known.person, third)
    text = (daemon.folder.path / "skills" / known.skill / "SKILL.md").read_text("utf-8")
    assert text == skill["text"]
    assert text in left.shown
    assert [f"- {words}" for words in known.corrections] == section(text, "Corrections", "修改要求").splitlines()[4:6]
    inputs = section(text, "Inputs", "输入")
    assert [one for one in known.inputs if f"`{one}`" not in inputs] == []
    assert known.failed in section(text, "Pitfalls", "易错之处")
    steps = section(text, "Steps", "步骤")
    places = [steps.index(tool) for tool in ("`read_file`", "`write_file`", "`run_checks`")]
    assert places == sorted(places)


def test_the_official_validator_takes_the_skill(left: Left) -> None:
    validator = pytest.importorskip("skills_ref.validator")
    folder = left.daemon.folder.path / "skills" / left.known.skill
    assert validator.validate(folder) == []
    script = Path(sys.executable).parent / "agentskills"
    if script.exists():
        done = subprocess.run([str(script), "validate", str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@both
def test_the_effects_are_those_that_the_receipts_give(daemon: Daemon, known: Played) -> None:
    shown = played(daemon, known.language)
    (later,) = receipts(daemon, known.later)
    assert (later["skills"], later["acceptance"]) == ([f"{known.skill}@1"], "accepted")
    running = daemon.call("skill.effects", skill=known.skill)["effects"]
    again = daemon.call("skill.effects", skill=known.skill, recompute=True)
    assert (again["effects"], again["equal"], again["receipts"]) == (running, True, 4)
    (effect,) = running
    assert (effect["version"], effect["accepted"], effect["revised"], effect["abandoned"]) == (1, 1, 0, 0)
    assert (effect["mean"], effect["low"], effect["high"]) == (0.6667, 0.2065, 1.0)  # (1+1)/(1+2); Wilson at 95 %
    assert f"effects: {json.dumps(effect)}" in shown
    settled(daemon)
    assert daemon.call("skill.effects", skill=known.skill)["effects"] == running


@both
def test_the_workspace_is_text_and_git_keeps_it(daemon: Daemon, known: Played) -> None:
    played(daemon, known.language)
    folder = settled(daemon)
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert len(files) > 20
    for file in files:
        text = file.read_bytes().decode("utf-8")
        assert [one for one in set(text) - {"\n", "\t"} if unicodedata.category(one) == "Cc"] == [], file
        assert "\\u4e" not in text, file
    for words in known.corrections:
        telling = {file.relative_to(folder).parts[0] for file in files if words in file.read_text("utf-8")}
        assert telling >= {"tasks", "runs", "sessions", "skills", "learning"}

    def git(*arguments: str) -> str:
        environment = {**os.environ, **GIT}
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
        ).stdout

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "What the agent did")
    assert git("status", "--porcelain") == ""
    asked = {"en": "Which currency are the sales reports in?", "zh": "产品周会的纪要发给谁过目？"}[known.language]
    assert daemon.call("trigger", role="main", message=asked, session="later")["activated"]
    assert git("status", "--porcelain") == ""
    assert daemon.stop() == 0
    assert git("status", "--porcelain") == ""


def test_a_run_that_meets_its_limit_ends_as_failed_with_what_it_has(daemon: Daemon) -> None:
    done = play(daemon, "zh", "--max-tools", "4")
    assert done.returncode == 1
    first, second = receipts(daemon, CHINESE.task)
    assert (first["state"], first["acceptance"]) == ("completed", "revised")
    assert (second["state"], second["acceptance"], second["iterations"]) == ("failed", "pending", 4)
    assert second["tools"] == {"read_file": 1, "write_file": 2, "run_checks": 1}
    assert second["changed"] == ["纪要/9月14日.md"]
    assert second["summary"].startswith("Stopped after 4 tool calls")
    assert second["text"] in done.stderr
    assert daemon.call("task.get", task=CHINESE.task)["state"] == "revising"
    assert daemon.call("learning.candidates")["candidates"] == []


def test_played_again_it_publishes_the_next_version(daemon: Daemon) -> None:
    played(daemon, "en")
    assert f"learning.publish: {ENGLISH.skill}@2 by Mara" in played(daemon, "en")
    effects = daemon.call("skill.effects", recompute=True)
    assert [(one["version"], one["accepted"]) for one in effects["effects"]] == [(1, 1), (2, 1)]
    assert effects["equal"]


def test_without_a_daemon_it_says_how_to_start_one(workspace: Folder, short_dir: Path) -> None:
    done = play(Daemon(workspace, short_dir / "nobody"), "en")
    assert done.returncode == 1
    assert "no daemon answers" in done.stderr
    assert "memd up" in done.stderr
