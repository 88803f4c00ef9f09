"""What an expression needs, and that a rule for times is never passed over where it would find something."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.text.times import chinese, english
from memd.text.times.needed import DIGIT, Held, needs_of

RULES = (*english.rules(), *chinese.rules())
WORDS = (
    "the day before after yesterday today tomorrow tonight this last next week weekend month year ago in from now to and at on "
    "three 3 5th 12:30 half past noon morning Friday may March 2024 2024-05-06 'til Xmas eve spring quarter end of a couple ſunday "
    "İn 今天 前天 上 下 个 周 五 星期 三 月 日 号 点 半 年 初 底 前 后 之 季度 国庆节 到 ２ 十二 早上 大 刚才 第 . , ？"
)
PIECES = st.sampled_from(WORDS.split())


def held(text: str) -> Held:
    return Held(text, digits=re.search(r"\d", text) is not None)


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("yesterday", (("yesterday",),)),
        ("(?:mon|tues)day?", (("da",), ("mon", "tues"))),
        (r"(?P<n>\d+) days?", ((DIGIT,), (" day",))),
        ("[上下]周", (("上", "下"), ("周",))),
        ("(?:at )?noon", (("noon",),)),
        (".*", ()),
        ("(?:a|.)", ()),
        ("(?!no)x?", ()),
    ],
)
def test_what_an_expression_needs(pattern: str, needed: tuple[tuple[str, ...], ...]) -> None:
    assert sorted(needs_of(pattern)) == sorted(needed)


def test_nearly_every_rule_needs_something() -> None:
    assert sum(not rule.needs for rule in RULES) <= 2


@given(st.lists(PIECES, max_size=14).map(" ".join) | st.lists(PIECES, max_size=14).map("".join))
def test_no_rule_finds_anything_where_what_it_needs_is_not(text: str) -> None:
    for one in (text, text.upper()):
        there = held(one)
        for rule in RULES:
            if not there.has(rule.needs):
                assert rule.pattern.search(one) is None, (rule.pattern.pattern, rule.needs)
