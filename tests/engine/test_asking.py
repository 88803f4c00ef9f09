"""What a message asks to have remembered is found wherever in the message it is asked."""

from __future__ import annotations

import pytest

from memd.engine.keep.guard.asking import asked_to_remember


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        pytest.param("聚餐点什么菜？记住：我下周搬到上海浦东。", "我下周搬到上海浦东", id="behind a question, Chinese"),
        pytest.param(
            "What should we cook? Remember that I am allergic to nuts.", "I am allergic to nuts", id="English"
        ),
        pytest.param("我昨天说什么来着？请记住我不吃香菜", "我不吃香菜", id="behind a question about before"),
        pytest.param("不要记。记住这个：我姓王。", "我姓王", id="behind a refusal of something else"),
        pytest.param("你还记得我住哪吗？", "", id="a question of memory"),
        pytest.param("Do you remember where I live? I live in Kiel.", "", id="a question, then an answer"),
        pytest.param("不用记住：我下周搬家。", "", id="a refusal"),
        pytest.param("> contrast(m)\nNOTE: Results may be misleading\nis that bad", "", id="what a program printed"),
        pytest.param(
            "浩浩：备案下来了\n浩浩：密码给你说一哈 你记一下 Lrg88\n他说的锁是啥子意思", "", id="a chat that is pasted"
        ),
        pytest.param(
            "Ana: running late\nAna: remember that the gate code is 4411\nwhat does she want",
            "",
            id="another's message",
        ),
        pytest.param(
            "生日：三月九号\n车牌：川A88\n请记住我住在桐梓林", "我住在桐梓林", id="a list, and one's own wish"
        ),
        pytest.param("Note: I am allergic to nuts", "I am allergic to nuts", id="a note of one's own"),
        pytest.param("costco has it for 71, getting it there", "", id="getting it from a shop"),
        pytest.param("my sister is called Ana, get that down", "my sister is called Ana", id="getting it down"),
    ],
)
def test_only_what_is_asked_for_is_found(message: str, asked: str) -> None:
    assert asked_to_remember(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "make a note in the changelog that we dropped Node 18", "make a note of the request id in the log", "记一下日志",
        "记得加上单元测试", "don't forget the semicolon", "remember the scroll position when the user navigates back",
        "error: react@18 is missing. To add it: npm install react", "npm ERR! peer dep\nnpm ERR! to save it: npm i -S vue",
        "please memorize nothing", "the timeout came from nginx; keepalive of 60s fixes it",
    ],
)  # fmt: skip
def test_what_is_to_be_done_at_work_is_nothing_to_remember(message: str) -> None:
    assert asked_to_remember(message) == ""


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("remember the door code 4711", "the door code 4711"),
        ("don't forget my birthday is May 3", "my birthday is May 3"),
        ("My blood type is O negative. Please note.", "My blood type is O negative"),
        ("I'm allergic to nuts, save that", "I'm allergic to nuts"),
        ("I need you to add this: I'm vegan", "I'm vegan"),
        ("记一下，生产库只读账号是 ro_user", "生产库只读账号是 ro_user"),
        ("别忘了我周三休息", "我周三休息"),
    ],
)
def test_a_fact_is_found_in_the_same_words(message: str, asked: str) -> None:
    assert asked_to_remember(message) == asked
