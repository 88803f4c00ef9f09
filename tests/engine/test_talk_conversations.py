"""Whole conversations of both languages: what must come of them, and the turns that must give nothing."""

from __future__ import annotations

import pytest

from tests.engine.test_talk import told

CONVERSATIONS: list[tuple[list[str], list[str], list[int]]] = [
    (
        [
            "u: hey, can you help me plan the garden? we finally got the allotment, plot 14 on Mill Lane",
            "a: Congratulations! How big is it?",
            "u: about 80 square metres. it's pretty overgrown right now",
            "a: Would you like a weekly plan?",
            "u: yeah that'd be great",
            "a: When do you want to start?",
            "u: first weekend of march, before that we're in Norway",
            "a: Got it. Anything you don't want to grow?",
            "u: no tomatoes, Jonas can't eat nightshades",
            "a: Noted.",
            "u: oh and the water gets turned off from november till april",
            "u: lol my back hurts just thinking about it",
            "a: Shall I add a rest day?",
            "u: nah",
            "u: the allotment meeting moved from tuesdays to thursdays btw",
        ],
        [
            "we finally got the allotment, plot 14 on Mill Lane, about 80 square metres",
            "I want to start first weekend of March (2027-03)",
            "Jonas can't eat nightshades",
            "the allotment meeting moved from tuesdays to thursdays",
        ],
        [5, 12, 14],
    ),
    (
        [
            "u: quick one: rewrite this so it sounds friendlier: We cannot accept your invoice.",
            "a: Sure: ...",
            "u: shorter pls",
            "u: ok. so the accountant changed, it's not Feldmann anymore, it's Ruth Okafor since october",
            "a: Should I update the contact list?",
            "u: I'll do it myself",
            "a: What's her email policy?",
            "u: she only takes PDFs, and invoices have to be in by the 25th",
            "u: hm I might switch banks, dunno yet",
            "a: Which bank are you with?",
            "u: Triodos",
        ],
        [
            "it's Ruth Okafor since october (2026-10)",
            "invoices have to be in by the 25th (2026-11-25)",
            "Which bank I am with: Triodos",
        ],
        [1, 3, 6, 9],
    ),
    (
        [
            "u: I passed my driving test!!",
            "a: Congrats! When was it?",
            "u: yesterday, third try haha",
            "a: Will you buy a car?",
            "u: no, sharing my mum's Polo for now",
            "u: she needs it on Wednesdays though",
            "a: So you have it all other days?",
            "u: exactly",
            "u: btw the new job starts january 11 now, they pushed it a week",
            "a: Where was it again?",
            "u: the port authority, traffic desk",
        ],
        [
            "I passed my driving test, yesterday (2026-11-19)",
            "My mum needs it on Wednesdays",
            "I have it all other days",
            "the new job starts january 11 (2027-01-11)",
        ],
        [],
    ),
    (
        [
            "u: 帮我看下这个报错\n```\nKeyError: 'id'\n```",
            "a: 这是字段缺失。你们用的是哪个版本？",
            "u: 3.2，上周刚升的",
            "a: 数据库呢？",
            "u: 换成 Postgres 了，之前是 MySQL",
            "a: 上线时间定了吗？",
            "u: 定了，12月8号晚上十点",
            "u: 先去吃饭了",
            "a: 好的。谁负责回滚？",
            "u: 老陈，他电话在值班表里",
            "u: 对了以后日志都用英文写",
        ],
        [
            "我们用的是3.2",
            "数据库：换成 Postgres 了，之前是 MySQL",
            "上线时间定了，12月8号晚上十点（2026-12-08 22:00）",
            "老陈负责回滚",
            "以后日志都用英文写",
        ],
        [1, 8],
    ),
    (
        [
            "u: 周末带孩子去哪玩好？",
            "a: 孩子多大了？",
            "u: 四岁，刚上中班",
            "a: 有什么忌口吗？",
            "u: 对芒果过敏",
            "a: 建议去植物园，要不要我查门票？",
            "u: 不用，我有年卡",
            "u: 今天好累啊",
            "u: 说错了，年卡是我老公的",
            "a: 你们住哪个区？",
            "u: 住徐汇，下个月搬到闵行",
            "u: 哈哈哈他还不知道要搬",
        ],
        ["孩子四岁了", "对芒果过敏", "年卡是我老公的", "我们住徐汇，下个月（2026-12）搬到闵行"],
        [1, 7, 8],
    ),
    (
        [
            "u: my physio says I should stop running for six weeks",
            "a: Sorry to hear. What happened?",
            "u: stress fracture, left foot",
            "a: Since when?",
            "u: found out on monday",
            "u: she wants me swimming instead, tuesdays and fridays",
            "a: Did you cancel the half marathon?",
            "u: yes, deferred to next april",
            "u: can you make me a playlist for the pool",
        ],
        [
            "my physio says I should stop running for six weeks, stress fracture, left foot",
            "My physio wants me swimming",
            "I did cancel the half marathon, deferred to next april (2027-04)",
        ],
        [9],
    ),
    (
        [
            "u: 我们公司年会改时间了",
            "a: 改到什么时候？",
            "u: 1月16号，地点还是老地方",
            "a: 老地方是哪里？",
            "u: 西溪那个喜来登",
            "u: 领导让我主持，烦",
            "a: 需要我写主持稿吗？",
            "u: 要，轻松一点的",
            "u: 我普通话一般，别写太绕口",
            "a: 和谁搭档？",
            "u: 财务的林姐",
            "u: 不对，林姐那天请假，换成小赵了",
        ],
        ["改到1月16号（2027-01-16）", "老地方是西溪那个喜来登", "林姐那天请假，换成小赵了"],
        [8],
    ),
    (
        [
            "u: what do you know about sourdough? mine never rises",
            "a: What flour do you use?",
            "u: rye, from the mill in Ashby",
            "a: Is your kitchen cold?",
            "u: yeah around 17 degrees",
            "u: I bake every saturday for the neighbours",
            "a: Sounds lovely. You could try a proofing box.",
            "u: nah too pricey",
            "u: oh we changed ovens in september, it's a steam oven now",
        ],
        [
            "The flour I use is rye, from the mill in Ashby",
            "I bake every saturday",
            "we changed ovens in september (2026-09)",
        ],
        [8],
    ),
    (
        [
            "u: 我妈下个月做白内障手术",
            "a: 哪天？",
            "u: 12月18号，在同仁",
            "a: 谁陪她？",
            "u: 我姐，我那周在出差",
            "u: 她血压高，别的都还好",
            "a: 出差去哪里？",
            "u: 广州，15到19号",
            "u: 谢谢啊",
        ],
        ["我妈下个月（2026-12）做白内障手术，12月18号（2026-12-18）", "我姐陪我妈", "我妈血压高", "出差去广州"],
        [9],
    ),
    (
        [
            "u: can we set up the repo conventions? we squash merge, branches are named user/topic",
            "a: Sure. Which Python version?",
            "u: 3.12 only, dropped 3.11 last month",
            "a: Who reviews?",
            "u: Dana for backend, anything infra goes to Milo",
            "u: run the tests again please",
            "a: I verified the flaky test: it only fails when the clock crosses midnight UTC.",
            "u: nice",
            "u: he's out until the 30th",
            "u: CI minutes are capped at 2000 a month",
        ],
        [
            "we squash merge",
            "Which Python version: 3.12 only",
            "Who reviews: Dana for backend",
            "it only fails when the clock crosses midnight UTC",
            "CI minutes are capped at 2000",
        ],
        [6, 8],
    ),
]


@pytest.mark.parametrize(("said", "must", "nothing"), CONVERSATIONS, ids=range(len(CONVERSATIONS)))
def test_what_comes_of_a_conversation(said: list[str], must: list[str], nothing: list[int]) -> None:
    found = told(*said)
    texts = [one.text for one in found]
    assert [one for one in must if not any(one in text for text in texts)] == []
    assert [one.text for one in found if one.turn in nothing] == []
