"""What a person says of themselves in a project, and what they say of the project."""

from __future__ import annotations

import pytest

from memd.engine.scope import is_of_the_person


@pytest.mark.parametrize(
    "text",
    [
        "I am allergic to latex.",
        "I moved to Tromsø in May.",
        "I changed the job I had at the bakery.",
        "I switched to Helix last month.",
        "我住在成都，是一名护士。",
        "我把工作辞了。",
        "我把手机号换成尾号 77 的了。",
        "我的 Kindle 坏了，我换成了纸书。",
        "From now on answer in French.",
        "Be concise in all your answers.",
        "No emojis, please.",
        "以后都用中文回答。",
        "以后回答都简短一些。",
    ],
)
def test_what_somebody_says_of_themselves_and_how_to_answer_them_is_theirs(text: str) -> None:
    assert is_of_the_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "We release the shop on Thursdays.",
        "I moved the fixtures to spec/data.",
        "I've bumped the base image to Debian 13.",
        "I renamed all the queue workers.",
        "dev 的 postgres 端口我改成 5545 了。",
        "我把日志级别改成 warn 了。",
        "我刚把 CI 的缓存关了。",
        "From now on use pnpm instead of npm.",
        "No emojis in commit messages.",
        "以后提交信息都用英文写。",
        "The staging database listens on 5544.",
    ],
)
def test_what_somebody_did_to_it_and_how_its_texts_are_written_is_the_project_s(text: str) -> None:
    assert not is_of_the_person(text)
