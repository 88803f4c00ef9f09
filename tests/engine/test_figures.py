"""Figures are equal in whatever words and units, differ where they exclude each other, and forbid nothing where they are unsure."""

from __future__ import annotations

import pytest

from memd.engine.keep.relation.amounts import lacking, parting
from memd.engine.keep.relation.figures import figured, plain_figures
from memd.engine.keep.relation.judge import NEVER_DUPLICATE
from memd.engine.keep.relation.units import Thesaurus, read_statement


def parted(old: str, new: str) -> str:
    return next(iter(parting(figured(old).figures, figured(new).figures)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("每周三上午十点", "Wednesdays, 10 am"),
        ("周日 20:00", "礼拜天晚上八点"),
        ("下午三点三刻", "at 15:45"),
        ("早上八点差一刻", "7:45 in the morning"),
        ("twelve minutes to eight", "7:48"),
        ("half past seven in the evening", "19:30"),
        ("at half ten", "at 10:30"),
        ("at half ten", "at 9:30"),
        ("choir at eight", "choir at 8 pm"),
        ("中午十二点半到两点半", "12:30-14:30"),
        ("每月 3 万", "三万一个月"),
        ("月薪一万二", "12000 a month"),
        ("一千二一个月", "£1200"),
        ("房租四百八十五", "four hundred eighty five"),
        ("one million, three hundred and fifty thousand naira", "₦1,350,000"),
        ("fifty-two grand", "£52,000"),
        ("1.2 亿", "一亿二千万"),
        ("27.400 EUR", "twenty-seven thousand four hundred euros"),
        ("2 GB", "2048 MB"),
        ("2 GB", "2000 MB"),
        ("five kilometres", "5000 m"),
        ("身高一米七八", "178 公分"),
        ("six foot two", "188 cm"),
        ("65 公斤", "一百三十斤"),
        ("六斤四两", "3200 克"),
        ("seven pounds two ounces", "3.23 kg"),
        ("包子面醒一个半钟头", "90 minutes"),
        ("日志保留三个月", "90 天"),
        ("a fortnight", "两周"),
        ("eighteen months", "一年半"),
        ("a dozen eggs", "12 eggs"),
        ("八成", "80%"),
        ("三分之一", "33.33%"),
        ("three quarters of the code", "75 per cent"),
        ("one in five", "20 %"),
        ("16 比 9", "16:9"),
        ("四月五号", "4/5"),
        ("5 April", "4/5"),
        ("31/3/2027", "2027 年 3 月 31 日"),
        ("五一年的", "born in 1951"),
        ("back in '98", "1998 年"),
        ("驾照是零九年考的", "2009"),
        ("gate code seven seven one nine", "7719"),
        ("350 degrees Fahrenheit", "177 °C"),
        ("half a million, and five", "500000, and 5"),
        ("half a dozen, six at most", "6, six at most"),
        ("choir at 20", "choir at eight in the evening"),
        ("choir at 15", "choir at 3 pm"),
    ],
)
def test_equal_figures_are_equal_in_whatever_words_and_units(old: str, new: str) -> None:
    assert parted(old, new) == "figures equal"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("周三上午十点", "周三上午十一点"),
        ("on Mondays", "on Thursdays"),
        ("at 8 am", "at 8 pm"),
        ("at half ten", "at 11:30"),
        ("每月 3 万", "每月 30"),
        ("两个女儿", "一个女儿"),
        ("one daughter", "two daughters"),
        ("2 GB", "2 MB"),
        ("version v3.1", "version v3.10"),
        ("签了一年合同", "签了两年合同"),
        ("60 岁", "61 岁"),
        ("3 March", "3rd of May"),
        ("on 3rd May", "on 4th May"),
        ("百分之五", "百分之五十"),
        ("sprint 31", "sprint 32"),
    ],
)
def test_figures_of_one_thing_that_exclude_each_other_differ(old: str, new: str) -> None:
    assert parted(old, new) == "figures differ"
    assert "figures differ" in NEVER_DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("房子是租的，一个月三千五", "每月租金 3500"),
        ("only a single time, for one hour", "once"),
        ("一点都不能碰", "不能碰"),
        ("万一下雨就不去", "下雨就不去"),
        ("左膝半月板磨损", "左膝软骨磨损"),
        ("格式统一", "同一个格式"),
        ("she plays a grand piano", "she plays the piano"),
        ("千万别说", "不要说"),
    ],
)
def test_what_is_no_figure_or_an_article_parts_nothing(old: str, new: str) -> None:
    assert parted(old, new) in ("figures equal", "no figures")


def test_figures_of_different_kinds_part_statements_without_excluding_each_other() -> None:
    assert parted("paid 40 euros", "paid on Friday") == "figures of other kinds"
    assert parted("flat on floor 3", "flat on floor 3, rent 900") == "figures more"
    assert [one.said for one in lacking(figured("rent 900, floor 3").figures, figured("floor 3").figures)] == ["900"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("周三十点", "周3 10"),
        ("每周三十公里", "每周30公里"),
        ("七八个人", "7-8个人"),
        ("下午3点到5点", "15到5"),
        ("At 6.30pm", "at 18:30"),
        ("twenty-first of June", "21 of june"),
        ("nineteen sixty-six", "1966"),
        ("two and a half grand", "2500"),
        ("four, five and six", "4, 5 and 6"),
        ("2026-03-04", "2026 3 4"),
    ],
)
def test_the_plain_text_has_digits_and_times_of_day_of_24_hours(text: str, plain: str) -> None:
    assert plain_figures(text) == plain


@pytest.mark.parametrize(
    "text",
    ["不得超过 4 MB", "不早于九点", "no later than nine", "特别害怕", "没问题，我来", "No hurry with the answer"],
)
def test_a_bound_or_a_courtesy_is_no_denial(text: str) -> None:
    assert read_statement(text, Thesaurus()).denials == 0


def test_a_denial_is_one() -> None:
    for text in ("我不吃鱼", "别打电话", "no fish for me", "no more fish"):
        assert read_statement(text, Thesaurus()).denials == 1, text
