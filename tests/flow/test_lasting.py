"""What memd finds out of a text it keeps: a feeling, a standing instruction, a story's world; over a real socket, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.engine.keep.gate import MOST_STANDING
from tests.support import Daemon, memd, until


def tell(daemon: Daemon, text: str, **given: Any) -> dict[str, Any]:
    return daemon.call("remember", **{"role": "main", "content": text, "source": "user", **given})


def record(daemon: Daemon, reply: dict[str, Any]) -> dict[str, Any]:
    return daemon.call("memory.get", role=reply["role"], id=reply["id"])


def comes(daemon: Daemon, message: str, role: str = "main", **given: Any) -> set[str]:
    return {one["id"] for one in daemon.call("trigger", role=role, message=message, **given)["activated"]}


@pytest.mark.parametrize(
    ("text", "feelings"),
    [
        ("User was devastated when her grandmother died in May.", ["sadness"]),
        ("用户的外婆五月去世了，她非常难过。", ["sadness"]),
        ("I am scared of flying.", ["fear"]),
        ("我害怕坐飞机。", ["fear"]),
        ("I was not afraid of the dog at all.", None),
        ("我并不害怕那条狗。", None),
        ("The happy path of the importer skips the panic handler.", None),
        ("恐慌指数接口在四月返回 500。", None),
    ],
)
def test_a_text_keeps_the_feeling_that_it_has(daemon: Daemon, text: str, feelings: list[str] | None) -> None:
    reply = tell(daemon, text, explicit=True)
    one = record(daemon, reply)
    assert one.get("emotions") == feelings
    assert one.get("inferred") == (["emotionalContext"] if feelings else None)
    assert [told["value"] for told in reply.get("inferred", [])] == (feelings or [])


def test_the_users_own_words_of_feelings_count_at_writing(daemon: Daemon) -> None:
    (daemon.folder.path / "emotions.toml").write_text(
        '[joy.en]\nstrong = ["chuffed"]\n[joy.zh]\nstrong = ["美滋滋"]\n', "utf-8"
    )
    for text in ("User felt chuffed with the new bicycle.", "用户收到新自行车，心里美滋滋的。"):
        assert record(daemon, tell(daemon, text, explicit=True))["emotions"] == ["joy"]


def test_a_given_feeling_wins_by_rpc_and_command_line_and_can_be_changed(daemon: Daemon) -> None:
    given = record(daemon, tell(daemon, "I am scared of flying.", explicit=True, emotions=["anticipation"]))
    assert (given["emotions"], "inferred" in given) == (["anticipation"], False)
    where = ("-w", str(daemon.folder.path), "--json")
    done = memd("remember", "main", "我害怕打雷。", "--explicit", "--emotion", "surprise", *where)
    typed = daemon.call("memory.get", role="main", id=json.loads(done.stdout)["id"])
    assert typed["emotions"] == ["surprise"]
    found = record(daemon, tell(daemon, "My son is afraid of thunder.", explicit=True))
    assert found["inferred"] == ["emotionalContext"]
    changed = daemon.call("memory.update", role="main", id=found["id"], emotions=["sadness"])
    assert (changed["emotions"], "inferred" in changed) == (["sadness"], False)


def test_what_was_felt_comes_with_the_feeling_and_a_role_without_feelings_has_none(daemon: Daemon) -> None:
    sad = tell(daemon, "用户的外婆五月去世了，她非常难过。", explicit=True, kind="episodic")
    assert sad["id"] in comes(daemon, "I feel so lonely and sad tonight.")
    assert sad["id"] not in comes(daemon, "What a splendid, happy day!")
    daemon.call("config.set", key="trigger.emotional", value=False)
    assert "emotions" not in record(daemon, tell(daemon, "I am scared of spiders.", explicit=True))


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        (
            "From now on keep your answers short.",
            "From now on keep your answers long and detailed, no longer short.",
            "What is the capital of Chad?",
        ),
        ("以后都用中文回答", "以后都用英文回答", "乍得的首都在哪儿？"),
    ],
)
def test_a_standing_instruction_is_a_constant_trait_and_gives_way_to_a_newer_one(
    daemon: Daemon, first: str, second: str, other: str
) -> None:
    one = tell(daemon, first)
    assert (one["verdict"], one["kind"]) == ("stored", "trait")
    assert "a standing instruction: kept as a constant trait" in one["reason"]
    assert f"memd undo main {one['id'][:8]}" in one["hint"]
    kept = record(daemon, one)
    assert (kept["kind"], kept["constant"], kept["inferred"]) == ("trait", True, ["isConstant"])
    assert comes(daemon, other) == {one["id"]}
    two = tell(daemon, second)
    assert (two["verdict"], two["supersedes"]) == ("superseding", one["id"])
    assert comes(daemon, other) == {two["id"]}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("My name is Ada Okafor.", "name"),
        ("我叫林晓", "name"),
        ("叫我小禾", "instruction"),
        ("Call me Al.", "instruction"),
    ],
)
def test_a_name_is_kept_and_undo_makes_it_an_ordinary_trait(daemon: Daemon, text: str, what: str) -> None:
    made = tell(daemon, text)
    assert made["inferred"][0]["why"].endswith(what)
    assert comes(daemon, "Is it going to rain? 会下雨吗？") == {made["id"]}
    undone = daemon.call("memory.undo", role="main", id=made["id"])
    assert (undone["took_back"], undone["standing"][0]["id"]) == ("constant", made["id"])
    now = record(daemon, made)
    assert (now["kind"], now["constant"], "inferred" in now) == ("trait", False, False)
    assert comes(daemon, "Is it going to rain? 会下雨吗？") == set()
    again = tell(daemon, text)
    assert again["verdict"] == "duplicate"
    assert not record(daemon, again)["constant"]  # what a person took back stays taken back


def test_kind_constant_and_source_decide_where_they_are_given(daemon: Daemon) -> None:
    daemon.call("config.set", role="main", key="gate.relations", value=False)
    for given, text in (
        ({"kind": "semantic"}, "From now on answer in verse."),
        ({"constant": False}, "以后回答都要押韵"),
        ({"source": "tool"}, "From now on reply in Finnish."),
        ({"source": "agent"}, "从现在起一律用法文回答"),
        ({"validity": "short"}, "From now on keep your answers under ten words."),
    ):
        made = tell(daemon, text, explicit=True, **given)
        one = record(daemon, made)
        assert (one["constant"], "inferred" in one) == (False, False), text
        assert "inferred" not in made
        if given.keys() & {"constant", "source"}:
            assert made["id"] not in comes(daemon, "What time is it in Lima?")
    told = tell(daemon, "The user wants to be called Doc.", source="agent")
    assert record(daemon, told)["constant"]


def test_twenty_are_constant_by_inference_and_the_next_is_told_why_it_is_not(daemon: Daemon) -> None:
    daemon.call("config.set", role="main", key="gate.relations", value=False)
    verbs = [
        "avoid",
        "quote",
        "number",
        "cite",
        "mention",
        "underline",
        "list",
        "skip",
        "format",
        "explain",
        "spell",
        "convert",
        "translate",
        "sign",
        "ask",
        "check",
        "confirm",
        "limit",
        "begin",
        "end",
    ]
    assert len(verbs) == MOST_STANDING
    daemon.call("config.set", role="main", key="gate.keep_from", value=1)
    names = [f"Call me {verb.capitalize()}son." for verb in verbs]
    assert all(record(daemon, tell(daemon, one))["constant"] for one in names)
    full = tell(daemon, "叫我阿梅")
    assert (full["verdict"], full["kind"]) == ("stored", "trait")
    assert f"{MOST_STANDING} such memories are constant already" in full["reason"]
    assert not record(daemon, full)["constant"]
    daemon.call("memory.forget", role="main", id=tell(daemon, names[0])["id"])
    assert record(daemon, tell(daemon, "以后都用中文回答"))["constant"]


def test_a_role_of_fiction_keeps_its_world_apart_from_the_user(daemon: Daemon) -> None:
    where = ("-w", str(daemon.folder.path))
    assert memd("role", "create", "orsolo", "--fiction", *where).returncode == 0
    (shown,) = [one for one in daemon.call("role.list")["roles"] if one["name"] == "orsolo"]
    assert shown["fiction"] is True
    assert "fiction" in memd("role", "list", *where).stdout
    tale = tell(daemon, "My name is Orsolo and I live in the Black Keep.", role="orsolo", explicit=True)
    assert (tale["kind"], record(daemon, tale)["tags"]) == ("semantic", ["world"])
    assert "kept as the world of a story" in tale["reason"]
    saga = tell(daemon, "*她点亮灯笼* 以后都叫我夜姬", role="orsolo", explicit=True)
    assert not record(daemon, saga)["constant"]
    own = tell(daemon, "OOC: my name is Ben", role="orsolo")
    mine = record(daemon, own)
    assert (mine["kind"], mine["constant"], mine.get("tags")) == ("trait", True, None)
    home = tell(daemon, "(ooc: I live in Graz, in the Annenstrasse)", role="orsolo", explicit=True)
    assert home["verdict"] == "stored"  # the castle of the character is not where the user lives
    along = (
        {home["id"]} if home.get("conflict", {}).get("to") == own["id"] else set()
    )  # a rival comes with what is constant
    assert comes(daemon, "今天天气如何？", "orsolo") == {own["id"]} | along
    worlds = daemon.call("memory.list", role="orsolo", tag="world")["memories"]
    assert {one["id"] for one in worlds} == {tale["id"], saga["id"]}
    mixed = tell(daemon, "*he kneels by the well* So be it. (ooc: my name is Ben)", role="orsolo", explicit=True)
    assert any("out of character" in one for one in mixed["remarks"])


def test_fiction_is_followed_in_role_toml_and_a_wrong_value_is_told(daemon: Daemon) -> None:
    file = daemon.folder.path / "roles/main/role.toml"
    file.write_text("fiction = true\n", "utf-8")
    until(lambda: daemon.call("role.get", role="main")["fiction"], 5, "the role is a story")
    assert record(daemon, tell(daemon, "从现在起都叫我魔王", explicit=True))["tags"] == ["world"]
    (saved := file.with_name("saved")).write_text('fiction = "yes"\n', "utf-8")
    saved.replace(file)
    faults = memd("check", "-w", str(daemon.folder.path), check=False)
    assert "fiction must be true or false" in faults.stdout
    assert daemon.call("role.get", role="main")["fiction"] is True  # the last good one holds


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        ("User lives in Graz.", "*draws her sword* I live in the Black Keep of Eld."),
        ("用户住在昆明。", "（拔出短剑对着月亮）我住在雪原的黑塔里。"),
    ],
)
def test_a_played_line_is_no_fact_about_the_user(daemon: Daemon, fact: str, line: str) -> None:
    known = tell(daemon, fact, explicit=True)
    assert not tell(daemon, line)["stored"]
    asked = tell(daemon, line, explicit=True)
    one = record(daemon, asked)
    assert (asked["verdict"], one["kind"], one["tags"], one["constant"]) == ("stored", "episodic", ["world"], False)
    assert "superseded_by" not in record(daemon, known)


@pytest.mark.parametrize("text", ["The ford of Eld is guarded by ravens.", "黑塔的守夜人叫阿莲。"])
def test_the_same_words_of_the_user_and_of_a_story_are_two_memories(daemon: Daemon, text: str) -> None:
    fact = tell(daemon, text, explicit=True)
    told = tell(daemon, text, explicit=True, tags=["world"])
    assert (told["verdict"], told["id"] != fact["id"]) == ("stored", True)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("User writes long emails to his landlord.", "From now on, write short emails."),
        ("User drinks coffee without sugar.", "From now on, never mention coffee to me."),
        ("I speak German with my mother.", "From now on, speak English with me."),
        ("用户每天写很长的日记。", "以后回答都写短一点。"),
    ],
)
def test_an_instruction_takes_the_place_of_no_fact(daemon: Daemon, known: str, said: str) -> None:
    daemon.folder.write("other")
    fact = tell(daemon, known, role="other", explicit=True)
    told = tell(daemon, said, role="other", explicit=True)
    assert (told["verdict"], "conflict" in told, told["kind"]) == ("stored", False, "trait")
    assert "superseded_by" not in record(daemon, fact)


@pytest.mark.parametrize(
    ("known", "said", "kind"),
    [
        ("From now on, answer in German.", "From now on, answer in English.", ""),
        ("From now on, answer in German.", "From now on, answer in English.", "semantic"),
        ("User wants every answer in German.", "From now on, answer in English.", "trait"),
    ],
)
def test_an_instruction_takes_the_place_of_one_and_of_a_trait(daemon: Daemon, known: str, said: str, kind: str) -> None:
    daemon.folder.write("other")
    before = tell(daemon, known, role="other", explicit=True, **({"kind": kind} if kind else {}))
    told = tell(daemon, said, role="other", explicit=True)
    assert before["id"] in (told.get("supersedes"), told.get("conflict", {}).get("to")), told["verdict"]
