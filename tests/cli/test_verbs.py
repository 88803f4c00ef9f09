"""The command line as a person uses it, without a daemon and with one."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memd.storage.itself import typed_line
from tests.support import ROOT, Daemon, Folder, memd


def reply(*arguments: str, folder: Folder, **env: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(memd(*arguments, "--json", "-w", str(folder.path), env=env).stdout)
    return result


def test_init_makes_a_workspace_that_works_and_touches_nothing_that_is_there(tmp_path: Path) -> None:
    made = json.loads(memd("init", str(tmp_path / "new"), "--role", "小雨", "--json").stdout)
    assert "memd.toml" in made["files"]
    assert "小雨" in [
        one["name"] for one in json.loads(memd("role", "list", "--json", "-w", str(tmp_path / "new")).stdout)["roles"]
    ]
    again = memd("init", str(tmp_path / "new"), check=False)
    assert again.returncode == 73
    (tmp_path / "other").mkdir()
    (tmp_path / "other/USER.md").write_text("mine")
    beside = json.loads(memd("init", str(tmp_path / "other"), "--json").stdout)
    assert beside["kept"] == ["USER.md"]
    assert (tmp_path / "other/USER.md").read_text() == "mine"
    assert reply("role", "list", folder=Folder(tmp_path / "other"))["roles"][0]["name"] == "main"


def life_of_a_memory(folder: Folder, **env: str) -> None:
    kept = reply(
        "remember",
        "main",
        "I'm allergic to walnuts. #health",
        "--source",
        "user",
        "--key",
        "walnut",
        folder=folder,
        **env,
    )
    assert kept["stored"]
    refused = reply("remember", "main", "谢谢，辛苦啦！", "--source", "user", folder=folder, **env)
    assert (refused["stored"], refused["verdict"]) == (False, "refused")
    found = reply("trigger", "main", "A cake with walnut cream?", "--explain", folder=folder, **env)
    assert [one["id"] for one in found["activated"]] == [kept["id"]]
    assert reply("show", "main", kept["id"][:8], folder=folder, **env)["tags"] == ["health"]
    reply(
        "edit",
        "main",
        kept["id"],
        "--content",
        "I'm allergic to walnuts and pecans.",
        "--priority",
        "90",
        folder=folder,
        **env,
    )
    listed = reply("list", "main", folder=folder, **env)["memories"]
    assert [(one["content"], one["priority"]) for one in listed] == [("I'm allergic to walnuts and pecans.", 90)]
    reply("forget", "main", kept["id"], "--reason", "test", folder=folder, **env)
    assert reply("list", "main", folder=folder, **env)["total"] == 0
    assert (
        reply("restore", "main", kept["id"], folder=folder, **env)["content"] == "I'm allergic to walnuts and pecans."
    )
    scored = reply(
        "score",
        "main",
        "Deploys run on Thursdays only.",
        "--score",
        "importance=9:because it is a rule",
        folder=folder,
        **env,
    )
    assert scored["dimensions"]["importance"] == {
        "value": 9, "given": True, "basis": "because it is a rule", "weight": 0.3,
    }  # fmt: skip


def test_every_verb_works_without_a_daemon(workspace: Folder) -> None:
    life_of_a_memory(workspace)


def test_every_verb_works_with_a_daemon(daemon: Daemon) -> None:
    life_of_a_memory(daemon.folder, MEMD_SOCKET=str(daemon.socket))


@pytest.mark.demo
def test_tables_for_people_line_up_in_both_languages(workspace: Folder) -> None:
    out = memd("trigger", "阿远", "我想喝杯咖啡", "-w", str(workspace.path)).stdout
    assert "喝咖啡只喝美式" in out
    assert "3 candidates, 3 activated, 0 refused" in out
    status = memd("status", "-w", str(workspace.path)).stdout
    assert "no daemon runs" in status
    assert "role_memories nora" in status


def test_control_characters_of_a_memory_never_reach_the_terminal(workspace: Folder) -> None:
    workspace.write("main", "Red \u001b[31m alarm \u009b31m and \u202e turned.")
    out = memd("list", "main", "-w", str(workspace.path)).stdout
    assert "alarm" in out
    assert not {"\u001b", "\u009b", "\u202e"} & set(out)


def test_an_editor_changes_the_text_of_a_memory(workspace: Folder, tmp_path: Path) -> None:
    workspace.write("main", "The old text.")
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'The new text.\\n' > \"$1\"\n")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    memd("edit", "main", "id-00000", "-w", str(workspace.path), env={"EDITOR": str(editor), "VISUAL": str(editor)})
    assert workspace.contents("main") == ["The new text."]


def test_config_shows_and_sets_with_comments_kept(workspace: Folder) -> None:
    path = workspace.path / "memd.toml"
    before = path.read_text("utf-8")
    assert memd("config", "gate.keep_from", "6.5", "-w", str(workspace.path)).stderr == "", "a diary is the daemon's"
    assert path.read_text("utf-8") == before.replace("keep_from = 7.0 ", "keep_from = 6.5 ")
    assert reply("config", "gate.keep_from", folder=workspace)["settings"] == {"gate": {"keep_from": 6.5}}
    found = reply("config", "gate.keep_from", "--unset", folder=workspace)
    assert (found["before"], found["value"], found["was_set"]) == (6.5, 7.0, True)
    assert "keep_from" not in tomllib.loads(path.read_text("utf-8"))["gate"]
    assert memd("config", "gate.keep_from", "6", "--unset", "-w", str(workspace.path), check=False).returncode == 2
    assert memd("config", "gate.keep_from", "much", "-w", str(workspace.path), check=False).returncode == 78
    assert memd("config", "gate.kepp_from", "-w", str(workspace.path), check=False).returncode == 65


def test_a_command_that_is_advised_is_one_that_runs_where_the_person_stands(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    told = memd("pause", "--for", "1h", "-w", str(workspace.path)).stdout
    assert f"`{typed_line('pause', '--off')}` ends that" in told
    assert "`memd pause" not in told


def test_a_record_deleted_by_hand_is_shown_by_recover_and_comes_back(daemon: Daemon) -> None:
    folder, env = daemon.folder, {"MEMD_SOCKET": str(daemon.socket)}
    folder.write("main", "The first.", "The second, to be deleted by hand.")
    daemon.call("trigger", role="main", message="second")
    folder.write("main", "The first.")
    daemon.call("trigger", role="main", message="second")
    daemon.stop()
    daemon.start()
    (dropped,) = reply("recover", "--list", folder=folder, **env)["dropped"]
    assert dropped["entry"]["content"] == "The second, to be deleted by hand."
    assert reply("recover", dropped["id"], folder=folder, **env)["stored"]
    assert "The second, to be deleted by hand." in [
        one["content"] for one in reply("list", "main", folder=folder, **env)["memories"]
    ]


@pytest.mark.demo
@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (("remember", "main", ""), 65, "TEXT"),
        (("remember", "main", "x", "--score", "importance=11"), 65, "importance"),
        (("remember", "main", "x", "--score", "weight=5"), 65, "weight"),
        (("remember", "main", "x", "--score", "importance"), 2, "DIMENSION"),
        (("remember", "main", "x", "--validity", "forever"), 65, "validity"),
        (("show", "main", "nothing-here"), 65, "nothing-here"),
        (("trigger", "nobody", "x"), 65, "nobody"),
        (("role", "create", "../x"), 65, "not a name"),
        (("role", "create", "NORA"), 65, "collides"),
        (("trigger", "main", "x", "--now", "someday"), 65, "now"),
        (("dance",), 2, "dance"),
    ],
)
def test_bad_input_ends_with_its_status_and_a_sentence(
    workspace: Folder, arguments: tuple[str, ...], status: int, word: str
) -> None:
    where = () if arguments == ("dance",) else ("-w", str(workspace.path))
    result = memd(*arguments, *where, check=False)
    assert result.returncode == status, result.stderr
    assert word in result.stderr
    assert "Traceback" not in result.stderr


def test_an_imaginary_argument_of_bytes_that_are_no_text_is_refused(workspace: Folder) -> None:
    result = memd("trigger", "main", "bad \udcff byte", "-w", str(workspace.path), check=False)
    assert result.returncode in (0, 65)
    assert "Traceback" not in result.stderr


def test_the_list_marks_what_was_superseded_and_undo_lets_both_stand(workspace: Folder) -> None:
    workspace.write("main")
    ids = [
        reply("remember", "main", text, "--explicit", folder=workspace)["id"]
        for text in ("User lives in Rome and works at Siemens.", "User moved to Milan.", "User works at Bosch now.")
    ]

    def lines() -> dict[str, str]:
        shown = memd("list", "main", "-w", str(workspace.path)).stdout.splitlines()
        return {one[:8]: one for one in shown if one[:8] in {memory_id[:8] for memory_id in ids}}

    assert f"x {ids[2]}" in lines()[ids[0][:8]]
    told = memd("undo", "main", ids[0][:8], "-w", str(workspace.path)).stdout
    assert told.startswith("took back: supersede\n")
    (again,) = [line for line in told.splitlines() if "memd link main" in line]
    assert f"~ {ids[1]}" in lines()[ids[0][:8]]
    assert "works at Siemens" in lines()[ids[0][:8]]
    assert "Rome" not in lines()[ids[0][:8]]
    memd(*again.split("`")[1].split()[1:], "-w", str(workspace.path))
    assert f"x {ids[2]}" in lines()[ids[0][:8]]
    refused = memd("restore", "main", ids[0], "-w", str(workspace.path), check=False)
    assert (refused.returncode, f"memd undo main {ids[0][:8]}" in refused.stderr) == (65, True)
    nothing = memd("undo", "main", reply("remember", "main", "The van is a diesel.", "--explicit", folder=workspace)["id"],
                   "-w", str(workspace.path), check=False)  # fmt: skip
    assert (nothing.returncode, "can be taken back" in nothing.stderr) == (65, True)
