"""An agent's settings file: memd's hooks go in and come out, and everything else keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import AgentSettingsError
from memd.formats.agent_settings import (
    commands_of_persons,
    events_of,
    has_hooks,
    installed,
    is_a_persons,
    is_ours,
    load,
    other_memory,
    removed,
)
from memd.model.agents import AGENTS

HERE = "/opt/memd/bin/memd hook {} --workspace '/home/li/我的 记忆'"

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | WORDS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3))
OTHERS = st.sampled_from(
    ["prettier --write .", "memd status", "memd hook", "echo 'memd hook claude", "/x/memd-hook claude"]
)
HOOK = st.fixed_dictionaries({"type": st.just("command"), "command": OTHERS}, optional={"timeout": st.integers(1, 60)})
GROUP = st.fixed_dictionaries({"hooks": st.lists(HOOK, max_size=2)}, optional={"matcher": WORDS})
EVENT = st.sampled_from(["SessionStart", "Stop", "PreToolUse", "BeforeAgent", "Notification"])
HOOKS = st.dictionaries(EVENT, st.lists(GROUP | HOOK | LEAVES, max_size=3), max_size=3)
SETTINGS = st.builds(
    lambda rest, hooks, first: {"hooks": hooks, **rest} if first else {**rest, "hooks": hooks},
    st.dictionaries(WORDS.filter(lambda key: key != "hooks"), VALUES, max_size=3),
    HOOKS,
    st.booleans(),
) | st.dictionaries(WORDS.filter(lambda key: key != "hooks"), VALUES, max_size=3)
DUMPS: Any = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 1, 2, 4, "\t"]),
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")]),
    }
)
AROUND = st.sampled_from([("", ""), ("", "\n"), ("\ufeff", "\r\n"), ("\n  ", "\n\n")])


def texts(settings: Any, dumps: Any, around: tuple[str, str], newline: str) -> str:
    return around[0] + json.dumps(settings, **dumps).replace("\n", newline) + around[1]


TEXTS = st.builds(texts, SETTINGS, DUMPS, AROUND, st.sampled_from(["\n", "\r\n"]))


@given(TEXTS, st.sampled_from(AGENTS))
def test_what_is_put_in_and_taken_out_again_leaves_every_byte_as_it_was(text: str, agent: str) -> None:
    before = load(text.encode(), "settings.json")
    after = installed(before, agent, HERE.format(agent))
    assert has_hooks(after, agent)
    assert removed(after, agent, (text,)) == text
    said = json.loads(text.removeprefix("\ufeff"))
    if (
        all(said.get("hooks", {"": [1]}).values()) and said.get("hooks") != {}
    ):  # no empty list that could be taken for ours
        assert removed(after, agent) == text


@given(TEXTS, st.sampled_from(AGENTS))
def test_the_hooks_of_others_stay_and_run_before_memds(text: str, agent: str) -> None:
    was = json.loads(text.removeprefix("\ufeff"))
    now = json.loads(installed(text, agent, HERE.format(agent)).removeprefix("\ufeff"))
    assert {key: value for key, value in now.items() if key != "hooks"} == {
        key: value for key, value in was.items() if key != "hooks"
    }
    for event, groups in now["hooks"].items():
        others = was.get("hooks", {}).get(event, [])
        assert groups[: len(others)] == others
        assert len(groups) - len(others) == (event in events_of(agent))


@given(TEXTS, st.sampled_from(AGENTS))
def test_a_second_install_changes_nothing_and_a_new_path_changes_only_the_command(text: str, agent: str) -> None:
    once = installed(text, agent, HERE.format(agent))
    assert installed(once, agent, HERE.format(agent)) == once
    elsewhere = f"/new/memd hook {agent} --workspace /w"
    assert installed(once, agent, elsewhere, all_of_it=True) == installed(text, agent, elsewhere)
    moved = json.loads(installed(once, agent, elsewhere).removeprefix("\ufeff"))
    command = HERE.format(agent).replace("/opt/memd/bin", "/new")
    assert moved == json.loads(installed(text, agent, command).removeprefix("\ufeff"))


@pytest.mark.parametrize(
    "text", ["{}", "{ }", "{\n\n}\n", " {\r\n}", '{"a":1}', '{ "a" :1 }', '{\n\t"a": 1 }', "", "\n"]
)
def test_blanks_where_the_hooks_were_stay_as_they_were(text: str) -> None:
    there = installed(load(text.encode(), "settings.json"), "claude", HERE.format("claude"))
    assert json.loads(there)["hooks"]
    assert removed(there, "claude") == (text if text.strip() else "{}\n")


def test_a_file_that_is_not_there_becomes_one_with_hooks_alone() -> None:
    settings = json.loads(installed("", "gemini", HERE.format("gemini")))
    (group,) = settings["hooks"]["BeforeAgent"]
    assert group["hooks"] == [{"type": "command", "command": HERE.format("gemini"), "name": "memd", "timeout": 10_000}]
    moments = {"SessionStart", "BeforeAgent", "BeforeTool", "AfterAgent", "PreCompress", "SessionEnd"}
    assert set(settings["hooks"]) == moments


def test_the_end_of_a_conversation_is_listened_to_and_a_second_install_adds_it() -> None:
    for agent in ("claude", "codex", "gemini"):
        there = installed("", agent, HERE.format(agent))
        before = json.loads(there)
        ended = before["hooks"].pop("SessionEnd")
        assert json.loads(installed(json.dumps(before), agent, HERE.format(agent)))["hooks"]["SessionEnd"] == ended
    assert "SessionEnd" not in json.loads(installed("", "vscode", HERE.format("vscode")))["hooks"]


def test_a_hook_of_memds_in_a_persons_own_group_goes_alone() -> None:
    mixed = '{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "a"}, {"command": "/b/memd hook claude"}]}]}}'
    assert removed(mixed, "claude") == '{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "a"}]}]}}'


def test_hooks_that_stand_twice_become_one() -> None:
    twice = '{"hooks": {"Stop": [{"hooks": [{"command": "memd hook codex"}]}, {"hooks": [{"command": "memd hook codex"}]}]}}'
    settings = json.loads(installed(twice, "codex", HERE.format("codex")))
    assert [hook["command"] for group in settings["hooks"]["Stop"] for hook in group["hooks"]] == [
        "/opt/memd/bin/memd hook codex"
    ]


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("memd hook claude", True),
        ("'/opt/my tools/memd' hook claude --workspace /w", True),
        ("/usr/bin/python3 -P -m memd hook claude", True),
        ("X=1 Y='a b' memd hook claude", True),
        ("memd hook Claude --workspace=/w --socket '/run/a b'", True),
        ("$HOME/bin/memd hook claude", True),
        ("notify-send memd hook claude", False),
        ("tee x | memd hook claude -w /x; my-own-logger", False),
        ("memd hook claude > /tmp/log", False),
        ("memd hook claude $(date)", False),
        ("bash -c 'memd hook claude'", False),
        ("memd hook claude\nrm x", False),
        ("memd hook claude --else x", False),
        ("memd hook codex", False),
        ("echo memd hook is claude", False),
        ("notmemd hook claude", False),
        ("memd hook 'claude", False),
        (None, False),
    ],
)
def test_memds_hooks_are_known_by_what_they_run(command: Any, ours: bool) -> None:
    assert is_ours(command, "claude") is ours


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("bash -c 'memd hook claude | tee /tmp/x'", True),
        ("tee x | memd hook claude -w /x; my-own-logger", True),
        ("env A=1 /opt/memd hook claude", True),
        ("sh -c \"exec bash -c 'python3 -m memd hook claude'\"", True),
        ("notify-send memd hook claude", False),
        ("echo 'memd hook claude'", False),
        ("bash -c 'memd hook codex'", False),
        ("memd hook claude -w /x", False),  # it is memd's own
    ],
)
def test_a_persons_own_use_of_memds_hook_is_seen_and_left_alone(command: str, runs: bool) -> None:
    assert is_a_persons(command, "claude") is runs
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}})
    assert commands_of_persons(text, "claude") == [command] * runs
    assert (removed(text, "claude") == text) is (not is_ours(command, "claude"))


STANDING = "X=1 '/old place/memd' hook claude --socket /run/s -w '/w' --role nora"


@pytest.mark.parametrize(
    ("standing", "command", "all_of_it", "becomes", "was"),
    [
        (STANDING, "/new/memd hook claude --workspace /w", False,
         "X=1 /new/memd hook claude --socket /run/s -w '/w' --role nora", ""),
        (STANDING, "/new/memd hook claude --workspace /else", True,
         "X=1 /new/memd hook claude --workspace /else --socket /run/s", "--workspace /w"),
        (STANDING, "/bin/python3 -P -m memd hook claude --workspace /w --role 阿远", False,
         "X=1 /bin/python3 -P -m memd hook claude --socket /run/s -w '/w' --role nora", "--role nora"),
        ("memd hook claude", "/new/memd hook claude --workspace /w", False, "/new/memd hook claude", ""),
        ("memd hook claude -w /w", "/new/memd hook claude --workspace /w --role 阿远", True,
         "/new/memd hook claude --workspace /w --role 阿远", "no --role"),
    ],
)  # fmt: skip
def test_a_renewed_command_keeps_what_a_person_added(
    standing: str, command: str, all_of_it: bool, becomes: str, was: str
) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": standing}]}]}})
    assert other_memory(text, "claude", command, str) == was
    (group,) = json.loads(installed(text, "claude", command, all_of_it=all_of_it))["hooks"]["Stop"]
    assert group["hooks"][0]["command"] == becomes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, // mine\n}', "line 1, column 10: .*comments"),
        ('{"a": 1, "a": 2}', "'a' occurs twice"),
        ('{"a": 1,}', "line 1"),
        ("[]", "not one JSON object"),
        ('{"hooks": []}', "`hooks` is not an object"),
        ('{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"),
        ('{"a": NaN}', "NaN"),
        ("设置", "a value is missing"),
    ],
)
def test_what_cannot_be_edited_without_harm_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(AgentSettingsError, match=why):
        load(text.encode(), "settings.json")
    with pytest.raises(AgentSettingsError, match="UTF-8"):
        load(text.encode("utf-16"), "settings.json")
