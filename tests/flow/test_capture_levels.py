"""The level of capture: what memd.toml asks for, as far as this machine raised it; and pauses, which are the machine's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.model.trust import PROTECTIONS, Protection
from memd.storage.history import Git
from tests.support import Daemon, Folder, memd


def level(folder: Folder, *words: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(memd("capture", *words, "-w", str(folder.path), "--json").stdout)
    return told


def test_a_level_above_explicit_holds_only_where_this_machine_raised_it(workspace: Folder, tmp_path: Path) -> None:
    assert level(workspace)["level"] == "explicit"
    workspace.settings(capture__level="auto")
    assert (level(workspace)["level"], level(workspace)["asked"]) == ("explicit", "auto")
    assert level(workspace, "inbox")["level"] == "inbox"
    assert 'level = "inbox"' in (workspace.path / "memd.toml").read_text("utf-8")
    workspace.settings(capture__level="auto")  # as somebody else's commit might
    assert (level(workspace)["level"], level(workspace)["granted"]) == ("inbox", "inbox")
    clone = tmp_path / "clone"
    shutil.copytree(workspace.path, clone)
    assert level(Folder(clone))["level"] == "explicit"
    workspace.settings(capture__level="off")
    assert level(workspace)["level"] == "off"
    assert level(workspace, "explicit") | {"plan": []} == {
        "level": "explicit", "asked": "explicit", "granted": "", "model": "", "model_trouble": "", "paused_until": "", "plan": [],
    }  # fmt: skip
    workspace.settings(capture__level="auto")
    assert level(workspace)["level"] == "explicit"


def test_no_word_for_all_raises_it_and_no_method_does(workspace: Folder, daemon: Daemon) -> None:
    daemon.call("config.set", key="capture.level", value="auto")
    assert daemon.call("capture.level")["level"] == "explicit"
    memd("trust", "--grant", "all", "-w", str(workspace.path))
    assert daemon.call("capture.level")["level"] == "explicit"
    assert "capture.level" in daemon.call("status")["trust"]["said"]
    memd("trust", "--grant", "capture.level", "-w", str(workspace.path))
    assert daemon.call("capture.level")["level"] == "auto"


def test_raising_tells_what_is_kept_where_whether_it_is_pushed_and_how_to_stop(workspace: Folder) -> None:
    said = memd("capture", "auto", "-w", str(workspace.path)).stdout
    assert "capture: auto" in said
    assert str(workspace.path / "roles") in said
    assert "in no git repository" in said
    assert "memd pause" in said
    git = Git(str(workspace.path))
    git.run("init", "--quiet")
    assert "has no remote" in memd("capture", "-w", str(workspace.path)).stdout
    git.run("remote", "add", "origin", "https://git.example/a.git")
    assert "has the remote origin" in memd("capture", "-w", str(workspace.path)).stdout


@pytest.mark.parametrize("words", [("--for", "90m"), ("--for", "2 小时"), ("--until", "23:59"), ()])
def test_a_pause_is_this_machines_and_only_a_person_ends_it(
    workspace: Folder, daemon: Daemon, words: tuple[str, ...]
) -> None:
    where = ("-w", str(workspace.path))
    memd("pause", *words, *where)
    until = daemon.call("capture.level")["paused_until"]
    assert until
    assert daemon.call("capture.pause", until=daemon.call("status")["uptime_s"] + 4e9)["paused_until"] >= until
    files = (one for one in workspace.path.rglob("*") if one.is_file())
    assert not any(b"paused_until" in one.read_bytes() for one in files)
    memd("trust", "--revoke", "all", *where, check=False)
    assert daemon.call("capture.level")["paused_until"]
    assert "capture: explicit" in memd("pause", "--off", *where).stdout
    assert daemon.call("capture.level")["paused_until"] == ""


@pytest.mark.parametrize(
    "words",
    [
        ("--for", "soon"),
        ("--until", "25:00"),
        ("--until", "yesterday"),
        ("--until", "2020-01-01"),
        ("--for", "1h", "--off"),
    ],
)
def test_a_pause_that_makes_no_sense_is_refused(workspace: Folder, words: tuple[str, ...]) -> None:
    result = memd("pause", *words, "-w", str(workspace.path), check=False)
    assert result.returncode in (2, 65)
    assert level(workspace)["paused_until"] == ""


def test_a_pause_stands_beside_what_is_granted(workspace: Folder) -> None:
    state = Path(place_of(str(workspace.path)).state) / "trust.json"
    level(workspace, "inbox")
    memd("pause", "--for", "1h", "-w", str(workspace.path))
    assert json.loads(state.read_text("utf-8"))["granted"] == {"capture.level": "inbox"}
    state.write_text(state.read_text("utf-8").replace('"paused_until": ', '"paused_until": "x", "other": '), "utf-8")
    assert (level(workspace)["paused_until"], level(workspace)["level"]) == ("", "inbox")


def test_a_grant_reaches_the_words_before_it() -> None:
    (capture,) = [one for one in PROTECTIONS if one.key == "capture.level"]
    words = ("off", "explicit", "inbox", "auto")
    reached = {granted: [capture.reached(granted, value) for value in words] for granted in (None, *words, 3)}
    least = ["off", "explicit", "explicit", "explicit"]
    assert reached == {
        None: least, "off": least, "explicit": least, 3: least,
        "inbox": ["off", "explicit", "inbox", "inbox"], "auto": list(words),
    }  # fmt: skip
    assert Protection("a.b", "", lambda value: min(value, 5)).reached(7, 9) == 5
