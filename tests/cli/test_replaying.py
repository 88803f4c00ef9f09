"""replay and check --expect: the past asked again, and a workspace's own tests."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests import support
from tests.support import Folder


def memd(folder: Folder, *arguments: str) -> subprocess.CompletedProcess[str]:
    return support.memd(*arguments, "-w", str(folder.path), check=False)


@pytest.fixture
def boiler(workspace: Folder) -> Folder:
    workspace.write("main", "The boiler is a Vaillant.", "用户的老家在绍兴。", keywords=["boiler", "老家"])
    return workspace


def test_recorded_turns_show_what_is_new_and_what_is_gone(boiler: Folder, tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "my boiler", "at": "2026-11-21T10:00:00Z"}, {"kind": "trigger", "activated": ["id-00009"]},
        {"role": "assistant", "content": "the boiler?"}, {"message": "回老家", "activated": [{"id": "id-00001"}]},
    ]  # fmt: skip
    file = tmp_path / "turns.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n{torn", "utf-8")
    reply = json.loads(memd(boiler, "replay", str(file), "--json").stdout)
    first, second = reply["turns"]
    assert {one["id"] for one in first["new"]} == {"id-00000", "id-00001"}, "both have the key"
    assert [one["id"] for one in first["gone"]] == ["id-00009"]
    assert second["gone"] == [{"id": "id-00001", "why": second["gone"][0]["why"]}]
    assert "recently injected" in second["gone"][0]["why"]
    assert reply["bad_lines"] == [5]
    assert "id-00009" in memd(boiler, "replay", str(file)).stdout


def test_other_settings_are_held_against_those_in_force(boiler: Folder, tmp_path: Path) -> None:
    session = boiler.path / "sessions/2026-11/monday.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text(json.dumps({"role": "user", "content": "my boiler"}), "utf-8")
    strict = tmp_path / "strict.toml"
    strict.write_text("[trigger]\nrelevance_threshold = 1.0\n", "utf-8")
    reply = json.loads(memd(boiler, "replay", "monday", "--config", str(strict), "--json").stdout)
    (turn,) = reply["turns"]
    assert {one["id"] for one in turn["gone"]} == {"id-00000", "id-00001"}
    assert all("below threshold" in one["why"] for one in turn["gone"])
    for bad in (("replay", "nowhere"), ("replay", "monday", "--config", "nowhere.toml")):
        assert memd(boiler, *bad).returncode == 65


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ('role = "main"\n[[case]]\nmessage = "my boiler"\nmust = "Vaillant"\nmust_not = "picnic"\n', 0, ""),
        ('role = "main"\n\n[[case]]\nmessage = "my boiler"\nmust = ["nobody said this"]\n', 1, ":3:1: expect.missing"),
        ('role = "main"\n[[case]]\nmessage = "回老家"\nmust_not = ["id-00001"]\n', 1, ":2:1: expect.came"),
        ('role = "main"\n[[case]]\nmessage = "boiler"\nnothing = true\n', 1, "expect.came"),
        ('role = "main"\n[[case]]\nmessage = "今天天气"\nnothing = true\n', 0, ""),
        ('role = "nobody"\n[[case]]\nmessage = "x"\nnothing = true\n', 1, "expect.failed"),
        ('role = "main"\n[[case]]\nmessage = "x"\n', 1, "settings.value"),
        ('rolle = "main"\n', 1, "settings.unknown"),
        ("[[case]\n", 1, "toml.syntax"),
    ],
)
def test_a_workspace_has_tests_of_its_own(boiler: Folder, text: str, status: int, code: str) -> None:
    (boiler.path / "expect").mkdir()
    (boiler.path / "expect/boiler.toml").write_text(text, "utf-8")
    done = memd(boiler, "check", "--expect")
    assert done.returncode == status, done.stdout + done.stderr
    assert code in done.stdout
