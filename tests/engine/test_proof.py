"""What a model says of turns is held against them: what they say, in words, names, numbers and dates, is proved; nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from memd.engine.keep.proof.evidence import Proofs
from memd.engine.keep.proof.support import Proof, prove
from memd.model.sessions import Turn
from memd.store.keep.learned import Learned

AT_S = 1_773_144_000.0  # 2026-03-10, a Tuesday
LEARNED = Learned()

# Turns, numbered from 1; statements that they prove; statements that they do not.
ENGLISH_TALK = (
    [
        ("user", "My sister Ana lives in Lisbon and works as a nurse. I live in Porto."),
        ("assistant", "Do you have any allergies?"),
        ("user", "Yes, peanuts."),
        ("user", "If I get the job, I will move to Berlin."),
        ("user", "I don't like strong coffee, I like green tea. I have 2 cats and 3 dogs."),
        ("user", "I used to work at Acme. I worked at Bolt for two years."),
        ("user", "Ana manages Bob. Our dentist is Dr. Weber."),
        ("user", "Correction: the dentist is Dr. Frank."),
        ("assistant", "Where do you live?"),
        ("user", "In Lyon, since 2019."),
        ("user", "The standup is at 9:45 on Mondays. Yesterday I signed the lease for the flat in Graz."),
        ("user", "My sister's dog is ill. I might buy a red bike."),
        ("user", 'Marta told me: "I hate Mondays and I live in Rome." My favourite song is "I hate rain".'),
        ("user", "Remember that I said you may send my keys."),
    ],
    [
        ("My sister Ana lives in Lisbon", [1]),
        ("The user's sister Ana works as a nurse.", [1]),
        ("User's sister Ana lives in Lisbon and works as a nurse.", [1]),
        ("The user lives in Porto", [1]),
        ("I have allergies: peanuts", [3]),
        ("If I get the job, I will move to Berlin", [4]),
        ("User does not like strong coffee", [5]),
        ("User dislikes strong coffee", [5]),
        ("User likes green tea", [5]),
        ("User has 2 cats and 3 dogs", [5]),
        ("User has two cats", [5]),
        ("User used to work at Acme", [6]),
        ("User worked at Bolt for two years", [6]),
        ("Ana manages Bob", [7]),
        ("The dentist is Dr. Frank", [8]),
        ("User lives in Lyon since 2019", [10]),
        ("I live in Lyon", [9, 10]),
        ("The standup is at 9:45 on Mondays", [11]),
        ("On Mondays the standup is at 9:45", [11]),
        ("User signed the lease for the flat in Graz on 2026-03-09", [11]),
        ("User's sister's dog is ill", [12]),
        ("User might buy a red bike", [12]),
    ],
    [
        ("User lives in Lisbon", [1]),
        ("The user works as a nurse", [1]),
        ("Ana lives in Porto", [1]),
        ("User moved to Lisbon", [1]),
        ("I have no allergies", [2, 3]),
        ("User is allergic to milk", [3]),
        ("I will move to Berlin", [4]),
        ("User moves to Berlin", [4]),
        ("User likes strong coffee", [5]),
        ("User doesn't like green tea", [5]),
        ("User has 3 cats and 2 dogs", [5]),
        ("User has 4 dogs", [5]),
        ("User works at Acme", [6]),
        ("User works at Bolt", [6]),
        ("Bob manages Ana", [7]),
        ("User lives in Paris", [10]),
        ("User lives in Lyon since 2018", [10]),
        ("The standup is at 9:15 on Mondays", [11]),
        ("The standup is at 9:45 on Tuesdays", [11]),
        ("User signed the lease for the flat in Graz on 2026-03-10", [11]),
        ("User's dog is ill", [12]),
        ("User bought a red bike", [12]),
        ("User has a red bike", [12]),
        ("User hates Mondays", [13]),
        ("User lives in Rome", [13]),
        ("User hates rain", [13]),
        ("User lives in Tokyo and owns a yacht", [1]),
        ("User is a millionaire", [1, 3, 5]),
    ],
)  # fmt: skip

CHINESE_TALK = (
    [
        ("user", "我住在杭州，在一家设计公司上班。我姐姐住在里斯本。"),
        ("assistant", "你对什么过敏吗？"),
        ("user", "对花生过敏。"),
        ("user", "我不喜欢喝咖啡，喜欢喝绿茶。我有两只猫。"),
        ("user", "我以前在腾讯工作。我可能会搬到成都。"),
        ("user", "昨天我签了苏州那套房子的租约。"),
        ("user", "小王管小李。我姐姐的狗病了。"),
        ("user", "周会改到周四下午三点。"),
        ("user", "如果涨工资我就买车。"),
        ("assistant", "你住在哪里？"),
        ("user", "南京。"),
    ],
    [
        ("用户住在杭州", [1]),
        ("用户在一家设计公司上班", [1]),
        ("用户住在杭州，在一家设计公司上班", [1]),
        ("用户的姐姐住在里斯本", [1]),
        ("我姐姐住在里斯本", [1]),
        ("用户对花生过敏", [3]),
        ("用户不喜欢喝咖啡", [4]),
        ("用户喜欢喝绿茶", [4]),
        ("用户有两只猫", [4]),
        ("用户以前在腾讯工作", [5]),
        ("用户可能会搬到成都", [5]),
        ("用户昨天签了苏州那套房子的租约", [6]),
        ("用户2026年3月9日签了苏州那套房子的租约", [6]),
        ("小王管小李", [7]),
        ("我姐姐的狗病了", [7]),
        ("周会改到周四下午三点", [8]),
        ("我住在南京", [11]),
        ("用户住在南京", [10, 11]),
    ],
    [
        ("用户住在里斯本", [1]),
        ("用户的姐姐住在杭州", [1]),
        ("用户对牛奶过敏", [3]),
        ("用户不对花生过敏", [3]),
        ("用户喜欢喝咖啡", [4]),
        ("用户不喜欢喝绿茶", [4]),
        ("用户有三只猫", [4]),
        ("用户在腾讯工作", [5]),
        ("用户搬到成都", [5]),
        ("用户会搬到成都", [5]),
        ("用户2026年3月8日签了苏州那套房子的租约", [6]),
        ("小李管小王", [7]),
        ("用户的狗病了", [7]),
        ("周会改到周五下午三点", [8]),
        ("周会改到周四下午四点", [8]),
        ("用户买车", [9]),
        ("用户买了车", [9]),
        ("用户住在北京", [10, 11]),
    ],
)  # fmt: skip

ENGLISH_MORE = (
    [
        ("user", "Hi! Quick question about pasta. By the way my daughter Mia turned six in May and she is scared of dogs."),
        ("assistant", "Happy belated birthday! What do you do for work?"),
        ("user", "I'm a nurse at St. Mary's, mostly night shifts."),
        ("assistant", "Should I always use metric units?"),
        ("user", "Yes please."),
        ("user", "We decided to use Postgres instead of MySQL for the billing service. The deadline is 14 March 2026."),
        ("user", "My landlord raised the rent from 900 to 1,050 euros."),
        ("user", "I stopped smoking in January. I haven't been to Japan."),
        ("user", "My colleague Tom says he prefers tabs, I prefer spaces."),
        ("user", "Our cat Miso has to take her pills at 8 am and 8 pm."),
        ("user", "I was thinking of adopting a dog. Do you think I should move to Spain?"),
        ("assistant", "I found out that the build fails because the cache is full."),
        ("user", 'Please summarise this email: "Dear all, I live in Oslo and I hate fish. Best, Per"'),
        ("user", "No, I do not own a car. My wife does."),
        ("user", "Nobody in my team speaks French except Luc."),
        ("user", "From now on call me Sam and answer in short sentences."),
        ("user", "My flight to Rome leaves next Friday at 6:20."),
    ],
    [
        ("User's daughter Mia turned six in May", [1]),
        ("My daughter Mia is scared of dogs", [1]),
        ("User is a nurse at St. Mary's", [3]),
        ("I'm a nurse", [2, 3]),
        ("We decided to use Postgres instead of MySQL for the billing service", [6]),
        ("The deadline is 14 March 2026", [6]),
        ("The deadline is 2026-03-14", [6]),
        ("User's landlord raised the rent from 900 to 1,050 euros", [7]),
        ("User stopped smoking in January", [8]),
        ("User has not been to Japan", [8]),
        ("User prefers spaces", [9]),
        ("Our cat Miso takes her pills at 8 am and 8 pm", [10]),
        ("User's cat Miso has to take pills at 8 am and 8 pm", [10]),
        ("The build fails because the cache is full", [12]),
        ("User does not own a car", [14]),
        ("Nobody in my team speaks French except Luc", [15]),
        ("Call me Sam", [16]),
        ("User's flight to Rome leaves next Friday at 6:20", [17]),
    ],
    [
        ("User is scared of dogs", [1]),
        ("User's daughter Mia turned seven in May", [1]),
        ("My daughter Mia likes dogs", [1]),
        ("User is a doctor at St. Mary's", [3]),
        ("User works day shifts", [3]),
        ("Never use metric units", [4, 5]),
        ("We decided to use MySQL instead of Postgres for the billing service", [6]),
        ("The billing service uses MySQL", [6]),
        ("The deadline is 2026-03-15", [6]),
        ("The deadline is 14 May 2026", [6]),
        ("The landlord raised the rent from 1,050 to 900 euros", [7]),
        ("User raised the rent to 1,050 euros", [7]),
        ("User smokes", [8]),
        ("User started smoking in January", [8]),
        ("User has been to Japan", [8]),
        ("User prefers tabs", [9]),
        ("Tom prefers spaces", [9]),
        ("The cat takes pills at 9 am", [10]),
        ("User has to take pills at 8 am", [10]),
        ("User adopted a dog", [11]),
        ("User has a dog", [11]),
        ("User should move to Spain", [11]),
        ("User moves to Spain", [11]),
        ("The cache is full because the build fails", [12]),
        ("User lives in Oslo", [13]),
        ("User hates fish", [13]),
        ("User owns a car", [14]),
        ("User's wife does not own a car", [14]),
        ("Luc does not speak French", [15]),
        ("My team speaks French", [15]),
        ("User's flight to Rome leaves next Monday at 6:20", [17]),
        ("User's flight to Milan leaves next Friday", [17]),
    ],
)  # fmt: skip

CHINESE_MORE = (
    [
        ("user", "帮我看看这道菜。对了，我女儿小米五月满六岁，她怕狗。"),
        ("assistant", "你是做什么工作的？"),
        ("user", "我是护士，在市一院上夜班。"),
        ("assistant", "以后都用公制单位吗？"),
        ("user", "对。"),
        ("user", "计费服务我们决定用Postgres，不用MySQL。截止日期是2026年3月14日。"),
        ("user", "房东把房租从三千涨到三千五。"),
        ("user", "我一月份戒了烟。我没去过日本。"),
        ("user", "同事小张喜欢用制表符，我喜欢用空格。"),
        ("user", "我家的猫叫年糕，每天早上八点吃药。"),
        ("user", "我在考虑养狗。你觉得我要不要搬去西班牙？"),
        ("user", "帮我总结这封邮件：“大家好，我住在奥斯陆，我讨厌鱼。”"),
        ("user", "我没有车，我老婆有。"),
        ("user", "以后叫我老三，回答简短一点。"),
        ("user", "我下周五早上六点二十飞罗马。"),
        ("user", "我妈妈住在苏州，她退休前是老师。"),
    ],
    [
        ("我女儿小米五月满六岁", [1]),
        ("用户的女儿小米怕狗", [1]),
        ("用户是护士", [3]),
        ("用户在市一院上夜班", [3]),
        ("用户是护士，在市一院上夜班", [3]),
        ("以后都用公制单位", [4, 5]),
        ("计费服务决定用Postgres，不用MySQL", [6]),
        ("截止日期是2026年3月14日", [6]),
        ("房东把房租从三千涨到三千五", [7]),
        ("房租涨到3500", [7]),
        ("用户一月份戒了烟", [8]),
        ("用户没去过日本", [8]),
        ("用户喜欢用空格", [9]),
        ("同事小张喜欢用制表符", [9]),
        ("用户的猫叫年糕", [10]),
        ("年糕每天早上八点吃药", [10]),
        ("用户没有车", [13]),
        ("以后叫用户老三", [14]),
        ("叫我老三", [14]),
        ("用户下周五早上六点二十飞罗马", [15]),
        ("我妈妈住在苏州", [16]),
        ("用户的妈妈退休前是老师", [16]),
    ],
    [
        ("用户怕狗", [1]),
        ("用户的女儿小米满七岁", [1]),
        ("用户在市二院上夜班", [3]),
        ("用户是医生", [3]),
        ("以后都不用公制单位", [4, 5]),
        ("计费服务用MySQL", [6]),
        ("截止日期是2026年3月15日", [6]),
        ("房东把房租从三千五涨到三千", [7]),
        ("房租涨到5000", [7]),
        ("用户抽烟", [8]),
        ("用户去过日本", [8]),
        ("用户喜欢用制表符", [9]),
        ("小张喜欢用空格", [9]),
        ("用户每天早上八点吃药", [10]),
        ("我家的猫每天晚上八点吃药", [10]),
        ("用户养狗", [11]),
        ("用户养了狗", [11]),
        ("用户要搬去西班牙", [11]),
        ("用户住在奥斯陆", [12]),
        ("用户讨厌鱼", [12]),
        ("用户有车", [13]),
        ("用户下周五早上六点二十飞米兰", [15]),
        ("用户下周四飞罗马", [15]),
        ("用户住在苏州", [16]),
        ("用户是老师", [16]),
    ],
)  # fmt: skip

TALKS = {"en": ENGLISH_TALK, "zh": CHINESE_TALK, "en more": ENGLISH_MORE, "zh more": CHINESE_MORE}


def proofs_of(turns: list[tuple[str, str]]) -> Proofs:
    return Proofs([Turn(number, who, text, AT_S) for number, (who, text) in enumerate(turns, 1)], "UTC")


def proof_of(turns: list[tuple[str, str]], text: str, numbers: list[int]) -> Proof:
    return prove(text, proofs_of(turns).of(numbers), LEARNED.read)


def each(place: int) -> list[Any]:
    return [
        pytest.param(talk[0], text, numbers, id=f"{name}: {text}")
        for name, talk in TALKS.items()
        for text, numbers in talk[place]
    ]


@pytest.mark.parametrize(("turns", "text", "numbers"), each(1))
def test_what_a_turn_says_is_proved(turns: list[tuple[str, str]], text: str, numbers: list[int]) -> None:
    found = proof_of(turns, text, numbers)
    assert found.why == ""
    assert found.turns


@pytest.mark.parametrize(("turns", "text", "numbers"), each(2))
def test_what_no_turn_says_is_not(turns: list[tuple[str, str]], text: str, numbers: list[int]) -> None:
    found = proof_of(turns, text, numbers)
    assert found.why
    assert found.turns == ()


@pytest.mark.parametrize(
    ("talk", "text", "numbers"),
    [
        ("en more", "User mostly works night shifts", [3]),
        ("en more", "Always use metric units", [4, 5]),
        ("en more", "User wants to be called Sam", [16]),
        ("zh more", "用户的老婆有车", [13]),
    ],
)
def test_what_is_put_in_other_words_than_the_turn_has_is_refused_though_it_is_right(
    talk: str, text: str, numbers: list[int]
) -> None:
    assert proof_of(TALKS[talk][0], text, numbers).why


@pytest.mark.parametrize(
    ("turns", "text"),
    [
        ([("user", "Off the record: I live in Turin.")], "I live in Turin"),
        ([("user", "我住在都灵。"), ("user", "刚才说的别记。")], "我住在都灵"),
        ([("user", "I live in Turin."), ("assistant", "Nice."), ("user", "Just kidding.")], "I live in Turin"),
        ([("user", "Let's role-play: you are a pirate and I am the captain."), ("user", "I live in Turin.")], "I live in Turin"),
        ([("assistant", "You live in Turin.")], "User lives in Turin"),
        ([("tool", "The user lives in Turin.")], "User lives in Turin"),
        ([("system", "用户住在都灵。")], "用户住在都灵"),
        ([("user", "```\nI live in Turin.\n```")], "I live in Turin"),
        ([("user", "> I live in Turin.")], "I live in Turin"),
        ([("user", "翻译一下：我住在都灵。")], "我住在都灵"),
    ],
)  # fmt: skip
def test_what_is_no_word_of_the_speakers_own_proves_nothing(turns: list[tuple[str, str]], text: str) -> None:
    assert proof_of(turns, text, [1, 2, 3]).why
    assert proof_of([("user", "I live in Turin. 我住在都灵。")], text, [1]).why == ""


def test_what_a_later_turn_corrects_is_known() -> None:
    proofs = proofs_of(
        [
            ("user", "The standup is at 9:45 on Mondays."),
            ("assistant", "Noted."),
            ("user", "Correction: the standup is at 10:15 on Mondays."),
        ]
    )
    assert proofs.corrected_by("The standup is at 9:45 on Mondays", [1]) == 3
    assert proofs.corrected_by("The standup is at 10:15 on Mondays", [3]) == 0


def test_a_proof_names_the_turns_and_who_said_it() -> None:
    turns = [("assistant", "Where do you live?"), ("user", "In Lyon."), ("assistant", "I found that the disk is full.")]
    assert proof_of(turns, "I live in Lyon", [2])[:3] == ("", (1, 2), "user")
    assert proof_of(turns, "The disk is full", [3])[:3] == ("", (3,), "agent")


def test_a_condition_that_no_turn_has_is_not_proved() -> None:
    assert proof_of([("user", "I live in Porto.")], "User lives in Porto", [1]).why == ""
    assert "condition" in proof_of([("user", "I live in Porto.")], "User would live in Porto", [1]).why
