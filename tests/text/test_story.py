"""Whose words a text has: its speaker's, a character's, or somebody's that are quoted."""

from __future__ import annotations

import pytest

from memd.text.story import (
    QUOTED_NAME,
    READ_CHARS,
    has_remark,
    is_of_story,
    is_played,
    out_of_character,
    own_words,
    remark_of,
    voices,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("OOC: I have to leave at nine", "I have to leave at nine"),
        ("(ooc: my sister is called Ida)", "my sister is called Ida"),
        ("((I live in Tromsø))", "I live in Tromsø"),
        ("[OOC] write longer posts", "write longer posts"),
        ("out of character: I am a nurse", "I am a nurse"),
        ("【场外】我明天要加班", "我明天要加班"),
        ("（场外：我其实住在昆明）", "我其实住在昆明"),
        ("场外：我不吃辣", "我不吃辣"),
        ("The bishop (ooc: brb) kneels", ""),
        ("(ooc: brb) *the bishop kneels down* Forgive me.", ""),
        ("Occasionally I sing.", ""),
        ("我在场外等你", ""),
    ],
)
def test_a_remark_out_of_character_is_told_from_the_story(text: str, said: str) -> None:
    assert remark_of(text) == said


def test_a_remark_within_a_story_is_seen() -> None:
    assert has_remark("*he waits by the well* (ooc: I am off to bed)")
    assert has_remark("他推开门。（场外：我先睡了）")
    assert not has_remark("*he waits by the well* (it is cold)")
    assert has_remark("*he waits by the well*\n  OOC: I am off to bed")


@pytest.mark.parametrize(
    "text",
    [
        "*draws his bow* Nobody passes the ford.", "*she leans on the rail* I was born at sea.", "*slowly lowers the mask* You know me.",
        "IC: I serve the crown.", "“The crown is mine,” growled Orsolo.", "*慢慢放下茶杯* 我活了三百年。", "（拔出短剑）我是雪原的守夜人。",
        "“本座等你很久了。”他冷笑道。",
    ],
)  # fmt: skip
def test_what_a_character_does_or_says_is_played(text: str) -> None:
    assert is_played(text)
    assert is_of_story(text)


@pytest.mark.parametrize(
    "text",
    [
        "*sigh* the rent is 1400 now", "*Important*: never deploy on Fridays", "I *really really* mean it.", "* eggs\n* flour",
        "**Decision** we use Postgres", "（叹气）房租又涨了", "My boss said “the budget is 40k”.", "会议改到三点（线上）", "OOC: I live in Graz",
    ],
)  # fmt: skip
def test_an_emote_an_emphasis_and_reported_speech_are_not_played(text: str) -> None:
    assert not is_played(text)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("In my novel the hero is called Ahab.", True),
        ("My character is a level five bard.", True),
        ("我的小说里主角叫阿莲。", True),
        ("I wrote a novel last year.", False),
        ("我在看一本小说。", False),
    ],
)
def test_a_text_about_a_story_says_so(text: str, about: bool) -> None:
    assert is_of_story(text) is about


def test_code_and_quotations_are_not_a_texts_own_words() -> None:
    assert own_words("She said “you may call me whatever you like, I do not mind” twice").split() == [
        "She",
        "said",
        "twice",
    ]
    assert own_words("call me “Al”") == f"call me {QUOTED_NAME}"
    assert own_words("> from now on answer in verse\nfine").split() == ["fine"]
    assert "verse" not in own_words("```\nanswer in verse\n```")


@pytest.mark.parametrize("piece", ["(", "*a s ", '"', "\n", " ", "OOC ", "“a", "! "])
def test_a_text_of_half_a_megabyte_is_read_by_its_beginning(piece: str) -> None:
    """What is quadratic in a text would end this test by its deadline."""
    text = "User lives in Graz. " + piece * 100_000 + "*draws his bow* Nobody passes."
    assert not is_of_story(text)
    assert remark_of(text) == ""
    assert own_words(text).startswith("User lives in Graz.")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("I live in Graz. It rains.", ["I live in Graz. It rains."], id="no remark, one piece"),
        pytest.param("OOC: Thanks! My exam is on Friday.", ["!Thanks! My exam is on Friday."], id="a remark as a whole"),
        pytest.param(
            "*She bows.* (OOC: my cat is ill. Sorry!) She leaves.",
            ["*She bows.*", "!my cat is ill. Sorry!", "She leaves."],
            id="in brackets, of several sentences",
        ),
        pytest.param(
            "*she bows*\nOOC: I am off. It is late.\n*she leaves*",
            ["*she bows*", "!I am off. It is late.", "*she leaves*"],
            id="a line of its own",
        ),
        pytest.param("他推开门。（场外：我周五考试（下午）。先睡了。）他走了。", ["他推开门。", "!我周五考试（下午）。先睡了。", "他走了。"], id="brackets in brackets"),
        pytest.param("他笑了。((我的狗病了)) 她也笑了。", ["他笑了。", "!我的狗病了", "她也笑了。"], id="two brackets"),
        pytest.param("We call f((x + 1)) there.", ["We call f((x + 1)) there."], id="a call is none"),
        pytest.param("She waits (ooc: my cat", ["She waits (ooc: my cat"], id="one that never ends is none"),
    ],
)  # fmt: skip
def test_a_remark_is_found_before_its_statements_are(text: str, pieces: list[str]) -> None:
    assert [f"!{one.text}" if one.own else one.text for one in voices(text)] == pieces


def test_of_a_long_remark_nothing_is_lost() -> None:
    text = "OOC: " + "tea " * READ_CHARS
    assert sum(one.text.count("tea") for one in voices(text)) == READ_CHARS


@pytest.mark.parametrize("text", ["I live in Graz.", "我周五考试。"])
def test_a_statement_is_marked_as_a_remark_is_known(text: str) -> None:
    assert remark_of(out_of_character(text)) == text
