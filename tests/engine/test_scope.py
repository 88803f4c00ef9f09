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
        "I keep two cats.",
        "I put on weight last year.",
        "I moved the sofa to the flat in Bonn.",
        "I added a fifth day at work.",
        "I dropped the gym.",
        "I set the bins out on Tuesdays.",
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
        "From now on write commit messages in English, even if I talk Chinese to you.",
        "I put the fixtures under spec/data",
        "我把测试数据挪到 spec/data 了",
        "I bumped React to 19",
        "我升级了 React 到 19",
        "I keep the migrations in db/migrate",
        "I dropped support for Python 3.9",
        "I added Redis as a cache in front of the catalog",
        "I put the env template into config/env.example",
        "Don't use emojis in the UI",
        "我把 README 翻译成了中文，放在 docs/zh",
    ],
)
def test_what_somebody_did_to_it_and_how_its_texts_are_written_is_the_project_s(text: str) -> None:
    assert not is_of_the_person(text)
