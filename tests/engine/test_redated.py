"""A day that is told anew takes the place of the right one, and of no other."""

from __future__ import annotations

import pytest

from tests.engine.test_talk import texts

ANEW: list[tuple[tuple[str, ...], list[str]]] = [
    # the day that is denied
    (
        ("u: The piano tuner comes on the 4th of December, at ten", "a: Noted.", "u: tuner's the sixth not the fourth, he rang"),
        ["The piano tuner comes on 6 December (2026-12-06), at ten"],
    ),
    (
        ("u: My scan is on the 7th", "a: December?", "u: yes", "u: And the scan, I said the 7th. It's the 17th"),
        ["My scan is on the 17th (2026-12-17)"],
    ),
    (("u: 我12月3号去办签证", "a: 好", "u: 翻了下邮件 是13号 不是3号"), ["我12月13号（2026-12-13）去办签证"]),
    # the day that is given to something else
    (
        ("u: The survey is booked, 2nd of December in Leeds", "a: Noted.", "u: I've told you wrong. The 2nd is the dentist. The survey is the 5th, still Leeds"),
        ["2 December (2026-12-02) is the dentist", "The survey is booked, 5 December (2026-12-05) in Leeds"],
    ),
    (
        ("u: 面包车12月6号年检", "a: 好", "u: 看错行了 6号是货车那台 面包车是12号"),
        ["面包车12月12号（2026-12-12）年检", "12月6号（2026-12-06）是货车那台 面包车是12月12号（2026-12-12）"],
    ),
    # nothing but a day, and where it was read
    (("u: 下周四我得去查视力 早上八点", "a: 好", "u: 通知来了 排的是30号 钟点没变"), ["11月30号（2026-11-30）我得去查视力 早上八点"]),
    (("u: 下个月8号我飞大阪看我姐", "a: 好", "u: 刚查机票8号太贵 10号才去"), ["12月10号（2026-12-10）我飞大阪看我姐"]),
    (("u: 睡不了,11 月 24 号考德语 B2", "a: 加油。", "u: 那场没位了,给我塞到 12 月 5 号"), ["睡不了,12月5号（2026-12-05）考德语 B2"]),
    (("u: 我们乐队11月27号上台", "a: 好", "u: 用 不过体育馆漏水 挪30号了"), ["我们乐队11月30号（2026-11-30）上台"]),
    # from one day to another
    (("u: 我十二月2號到9號去首爾開會", "a: 好", "u: 欸更正，應該是2到6"), ["我12月2号到12月6号（2026-12-02 至 2026-12-06）去首爾開會"]),
    (("u: 十二月去釜山，9號飛14號回，住學長家", "a: 好", "u: 啊打錯，回程是16，14還在展場"), ["十二月（2026-12）去釜山，9號飛16号（2026-12-16）回，住學長家"]),
    # an amount that is given to somebody else
    (("u: 我给自己立了规矩，超过三百块不用手机付", "a: 好", "u: 讲错了，我是五百，三百是我老伴的"), ["我给自己立了规矩，超过五百块不用手机付"]),
]  # fmt: skip
# What tells no day anew, and is told beside what was told.
BESIDE: list[tuple[tuple[str, ...], list[str]]] = [
    (
        ("u: My dentist is on the 4th of December", "a: Noted.", "u: The party was moved to the 12th of December"),
        ["My dentist is on the 4th of December (2026-12-04)", "The party was moved to the 12th of December (2026-12-12)"],
    ),
    (
        ("u: My sixtieth is not till 23rd August", "a: Lovely.", "u: I said no party, we go to Whitby, it's paid for, the 22nd till the 29th of August"),
        ["My sixtieth is not till 23rd August (2027-08-23)", "I said no party", "we go to Whitby, it's paid for, the 22nd till the 29th of August (2027-08-22 to 2027-08-29)"],
    ),
    (("u: 我12月3号去办签证", "a: 好", "u: 房贷改成五千九了 扣钱还是15号"), ["我12月3号（2026-12-03）去办签证", "房贷改成五千九了 扣钱还是15号（2026-12-15）"]),
    (
        ("u: My dentist is on the 4th of December", "a: Noted.", "u: The 4th is a holiday here so we fly on the 6th of December"),
        ["My dentist is on the 4th of December (2026-12-04)", "The 4th is a holiday here so we fly on the 6th of December (2026-12-06)"],
    ),
    (
        ("u: My dentist is on the 4th of December", "a: Noted.", "u: The hall was taken on the 4th so the party moved to the 6th of December"),
        ["My dentist is on the 4th of December (2026-12-04)", "The hall was taken on the 4th (2026-11-04) so the party moved to the 6th of December (2026-12-06)"],
    ),
    (("u: 我12月3号去办签证", "a: 好", "u: 12月3号是我妈生日，我们12月5号聚"), ["我12月3号（2026-12-03）去办签证", "12月3号是我妈生日", "我们12月5号（2026-12-05）聚"]),
    (
        ("u: My dentist is on the 4th of December", "a: Noted.", "u: I was wrong, Anna is coming on the 9th of December"),
        ["My dentist is on the 4th of December (2026-12-04)", "Anna is coming on the 9th of December (2026-12-09)"],
    ),
    (
        ("u: My mother's appointment is on the 4th of December", "a: Noted.", "u: The school moved the assembly appointment to the 9th of December"),
        ["My mother's appointment is on the 4th of December (2026-12-04)", "The school moved the assembly appointment to the 9th of December (2026-12-09)"],
    ),
    (
        ("u: Ana's exam is on the 3rd of December", "a: Noted.", "u: They moved Tom's exam to the 5th of December"),
        ["Ana's exam is on the 3rd of December (2026-12-03)", "They moved Tom's exam to the 5th of December (2026-12-05)"],
    ),
    (
        ("u: Ticket 12 was moved to the 3rd of December", "a: Noted.", "u: Ticket 14 was moved to the 5th of December"),
        ["Ticket 12 was moved to the 3rd of December (2026-12-03)", "Ticket 14 was moved to the 5th of December (2026-12-05)"],
    ),
    (("u: 我妈12月3号复查", "a: 好", "u: 我爸复查改到12月5号了"), ["我妈12月3号（2026-12-03）复查", "我爸复查改到12月5号（2026-12-05）了"]),
    (("u: 我12月8号去办签证", "a: 好", "u: 短信来了 Tom 12月3号到"), ["我12月8号（2026-12-08）去办签证", "短信来了 Tom 12月3号（2026-12-03）到"]),
    (("u: 我12月8号去办签证", "a: 好", "u: 短信来了 快递12月3号到"), ["我12月8号（2026-12-08）去办签证", "短信来了 快递12月3号（2026-12-03）到"]),
    (
        ("u: I was off work yesterday, with a cold", "a: Get well.", "u: make it the 18th. they've shifted it."),
        ["I was off work yesterday (2026-11-19), with a cold"],
    ),
    (
        ("u: My exam is on the 4th of December", "a: Noted.", "u: is the 4th a Friday?"),
        ["My exam is on the 4th of December (2026-12-04)"],
    ),
    (("u: 我12月3号去办签证", "a: 好", "u: 3号是周四吗"), ["我12月3号（2026-12-03）去办签证"]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "left"), ANEW)
def test_a_day_that_is_told_anew_takes_the_place_of_what_it_corrects(said: tuple[str, ...], left: list[str]) -> None:
    assert texts(*said) == left


@pytest.mark.parametrize(("said", "left"), BESIDE)
def test_a_day_of_something_else_leaves_what_was_told(said: tuple[str, ...], left: list[str]) -> None:
    assert texts(*said) == left
