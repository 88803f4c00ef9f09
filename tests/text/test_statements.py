"""What was said is cut into statements that stand by themselves, in both languages, and nothing is lost or changed."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.text import borders, statement_words
from memd.text import statements as module
from memd.text.expressions import Expression
from memd.text.statements import MOST, MOST_CHARS, READ_CHARS, Statement, statements, trimmed
from tests.support import examples

ENGLISH = [
    ("Nora plays the cello. The boiler leaks.", ["Nora plays the cello.", "The boiler leaks."]),
    ("I moved to Linz! My flat is on the third floor.", ["I moved to Linz!", "My flat is on the third floor."]),
    ("i live in linz. i have two cats. my name is jo", ["i live in linz.", "i have two cats.", "my name is jo"]),
    ("Dr. Haas is my dentist. I see Dr. Haas at 5 p.m. on Mondays.", ["Dr. Haas is my dentist.", "I see Dr. Haas at 5 p.m. on Mondays."]),
    ("Version 3.11 is used by our build, e.g. in CI.", ["Version 3.11 is used by our build, e.g. in CI."]),
    ("I live in Linz and I work at the harbour.", ["I live in Linz", "I work at the harbour."]),
    ("I love tea but my wife hates it.", ["I love tea", "my wife hates it."]),
    ("I keep bees, also I have a kayak.", ["I keep bees", "I have a kayak."]),
    ("I live in Linz, my sister lives in Wels, and our parents moved to Enns.", ["I live in Linz", "my sister lives in Wels", "our parents moved to Enns."]),
    ("The user lives in Rome, the user's dog is called Bo.", ["The user lives in Rome", "the user's dog is called Bo."]),
    ("User lives in Rome and works at the port.", ["User lives in Rome and works at the port."]),
    ("I live in Berlin, Germany.", ["I live in Berlin, Germany."]),
    ("Paris, London and Rome are cities.", ["Paris, London and Rome are cities."]),
    ("In 2021, I moved to Rome.", ["In 2021, I moved to Rome."]),
    ("In 2021 I moved to Rome and I still have no car.", ["In 2021 I moved to Rome", "I still have no car."]),
    ("My wife and I have a boat.", ["My wife and I have a boat."]),
    ("When I was six I broke my arm, and I limp since then.", ["When I was six I broke my arm", "I limp since then."]),
    ("If it rains I stay in, and I read.", ["If it rains I stay in, and I read."]),
    ("I think I should sleep.", ["I think I should sleep."]),
    ("I told my boss my knee is bad.", ["I told my boss my knee is bad."]),
    ("The doctor said, I need rest.", ["The doctor said, I need rest."]),
    ("I'm vegan, allergic to soy, and no fan of mushrooms.", ["I'm vegan, allergic to soy, and no fan of mushrooms."]),
    ("Nora moved to Kiel. She plays the cello.", ["Nora moved to Kiel. She plays the cello."]),
    ("I bought a tandem and I ride it on Sundays.", ["I bought a tandem and I ride it on Sundays."]),
    ("I bought a tandem. I ride it on Sundays.", ["I bought a tandem. I ride it on Sundays."]),
    ("I have a shop, which sells tea.", ["I have a shop, which sells tea."]),
    ("My sister lost her job. My brother found one.", ["My sister lost her job.", "My brother found one."]),
    ("I was ill. So I stayed at home. But I'm fine.", ["I was ill.", "I stayed at home.", "I'm fine."]),
    ("I'm allergic to nuts, what can I order?", ["I'm allergic to nuts", "what can I order?"]),
    ("Allergic to walnuts, can you suggest a cake?", ["Allergic to walnuts", "can you suggest a cake?"]),
    ("Since I'm vegan, what can I cook?", ["I'm vegan", "what can I cook?"]),
    ("What should I wear, I run cold.", ["What should I wear", "I run cold."]),
    ("My train leaves at six. Is that early enough? I live far out.", ["My train leaves at six.", "Is that early enough?", "I live far out."]),
    ("My train leaves at six. Which platform? Why?", ["My train leaves at six.", "Which platform? Why?"]),
    ("I take my coffee black, please write me a list.", ["I take my coffee black", "please write me a list."]),
    ("I prefer Rust, right?", ["I prefer Rust, right?"]),
    ("Hi! Thanks, by the way I moved to Graz.", ["Hi! Thanks", "I moved to Graz."]),
    ("hello my name is Ines", ["hello", "my name is Ines"]),
    ("I moved to Graz, thanks!", ["I moved to Graz", "thanks!"]),
    ("Ok. Well. The pump leaks.", ["Ok. Well.", "The pump leaks."]),
    ("Yes, I live in Linz.", ["I live in Linz."]),
    ("Thanks to my wife I have a job.", ["Thanks to my wife I have a job."]),
    ("so my name is Dana I live in Graz and I have two kids um can you help me plan dinner",
     ["my name is Dana", "I live in Graz", "I have two kids", "can you help me plan dinner"]),
    ("uh my son is six my daughter is nine we live near the lake what can we do on sunday",
     ["my son is six", "my daughter is nine", "we live near the lake", "what can we do on sunday"]),
    ("the house I live in is old", ["the house I live in is old"]),
    ("I know people I work with.", ["I know people I work with."]),
    ("im vegan btw i hate olives", ["im vegan", "i hate olives"]),
    ("- likes tea\n- lives in Rome", ["likes tea", "lives in Rome"]),
    ("1. I live in Linz.\n2) I have a dog.\n• My car is red.", ["I live in Linz.", "I have a dog.", "My car is red."]),
    ("1) I live in Graz 2) I have a dog", ["I live in Graz", "I have a dog"]),
    ("My allergies:\n- nuts\n- shellfish", ["My allergies:\n- nuts\n- shellfish"]),
    ("About me:\n- I run every day\n- I never eat pork", ["About me:", "I run every day", "I never eat pork"]),
    ("I have worked for the harbour of Linz as a welder\nsince the spring of last year.", ["I have worked for the harbour of Linz as a welder\nsince the spring of last year."]),
    ('She said "Go home. Now." and left.', ['She said "Go home. Now." and left.']),
    ("I use `a. B, I have c` here. My shell is fish.", ["I use `a. B, I have c` here.", "My shell is fish."]),
    ("From now on answer in French. Call me Sam.", ["From now on answer in French.", "Call me Sam."]),
    ("ok do it. and from now on always run the linter first.", ["do it.", "from now on always run the linter first."]),
    ("ok do it. and never push to main.", ["do it.", "never push to main."]),
    ("I like it hot. And never sweet.", ["I like it hot. And never sweet."]),
    ("My sister is Ana. shes a vet.", ["My sister is Ana. shes a vet."]),
    ("thats my dog Rex. hes 4", ["thats my dog Rex. hes 4"]),
    ("I live in Linz 😀 I have a dog", ["I live in Linz 😀", "I have a dog"]),
]  # fmt: skip
CHINESE = [
    ("用户住在厦门。他养了一只猫。团队周一开会。", ["用户住在厦门。他养了一只猫。", "团队周一开会。"]),
    ("我叫阿宁，我住在泉州，我有一条船。", ["我叫阿宁", "我住在泉州", "我有一条船。"]),
    ("我住在北京，对花生过敏。", ["我住在北京，对花生过敏。"]),
    ("我喜欢红茶，但是我讨厌牛奶。", ["我喜欢红茶", "我讨厌牛奶。"]),
    ("我喜欢咖啡，但是不加糖。", ["我喜欢咖啡，但是不加糖。"]),
    ("我在银行上班，而且我老婆也在银行上班。", ["我在银行上班", "我老婆也在银行上班。"]),
    ("我五点下班，另外，周三要去接孩子。", ["我五点下班", "周三要去接孩子。"]),
    ("我会弹琴，还有，我女儿学画画。", ["我会弹琴", "我女儿学画画。"]),
    ("我老公姓钱，他做木工。", ["我老公姓钱，他做木工。"]),
    ("我买了一辆摩托，我很喜欢它。", ["我买了一辆摩托，我很喜欢它。"]),
    ("我养了一条狗。我每天遛它。", ["我养了一条狗。我每天遛它。"]),
    ("昨天晚上，我搬家了。", ["昨天晚上，我搬家了。"]),
    ("在上海的时候，我学过木工。", ["在上海的时候，我学过木工。"]),
    ("如果下雨，我就不去。", ["如果下雨，我就不去。"]),
    ("我觉得，我应该早点睡。", ["我觉得，我应该早点睡。"]),
    ("我对花生过敏，能吃什么？", ["我对花生过敏", "能吃什么？"]),
    ("我对花生过敏能吃什么", ["我对花生过敏", "能吃什么"]),
    ("因为我吃素，有什么推荐？", ["我吃素", "有什么推荐？"]),
    ("我膝盖换过关节，帮我排个训练表。", ["我膝盖换过关节", "帮我排个训练表。"]),
    ("你好！谢谢你，对了，我搬到福州了。", ["你好！谢谢你", "我搬到福州了。"]),
    ("你好我叫小姚", ["你好", "我叫小姚"]),
    ("我搬到格拉茨了，谢谢！", ["我搬到格拉茨了", "谢谢！"]),
    ("我叫小姚我住在上海我有两个孩子你能帮我安排晚饭吗",
     ["我叫小姚", "我住在上海", "我有两个孩子", "你能帮我安排晚饭吗"]),
    ("我是老三 我妈在茶厂上班", ["我是老三", "我妈在茶厂上班"]),
    ("我不知道该不该跟爸妈讲。", ["我不知道该不该跟爸妈讲。"]),
    ("一、我住在泉州\n二、我不吃香菜", ["我住在泉州", "我不吃香菜"]),
    ("（1）我住在泉州（2）我不吃香菜", ["我住在泉州", "我不吃香菜"]),
    ("忌口：\n- 花生\n- 虾", ["忌口：\n- 花生\n- 虾"]),
    ("我爱读《我是猫。我没有名字》这本书。", ["我爱读《我是猫。我没有名字》这本书。"]),
    ("他说：“走吧。我累了。”我没走。", ["他说：“走吧。我累了。”我没走。"]),
    ("以后都用中文回答，行不行？", ["以后都用中文回答，行不行？"]),
    ("行，就这么改。另外以后都用 pnpm。", ["行", "就这么改。", "以后都用 pnpm。"]),
    ("项目用 pnpm。部署在周五。", ["项目用 pnpm。", "部署在周五。"]),
]  # fmt: skip
HANDED = [
    ("Before it.\n```\nrm -rf everything.\n```\nAfter it all.", ["Before it.", "After it all."]),
    ("Before it all.\n~~~\nnever closed. I live here.", ["Before it all."]),
    ("我用这个脚本：```\nprint(1)\n```", ["我用这个脚本："]),
    ("> I live in Rome.\nThat is what she wrote. I live in Linz.", ["That is what she wrote.", "I live in Linz."]),
    ('It fails:\nTraceback (most recent call last):\n  File "a.py", line 3, in b\nValueError: no\nMy Python is 3.12.', ["It fails:", "My Python is 3.12."]),
]  # fmt: skip

FACTS = ["I live in Graz", "my name is Dana", "allergic to nuts", "I'm vegan", "it is fast", "the boiler leaks", "I love it", "Nora has a dog",
         "We moved in May", "user likes tea", "when I was young I lived in Rome", "我住在北京", "我叫小姚", "对花生过敏", "它很快", "我有两个孩子", "因为我不吃肉"]  # fmt: skip
OTHERS = ["what can I order?", "thanks", "Hi!", "can you help me", "if it rains", "谢谢", "你好", "能吃什么", "帮我写一封信", "My rules:", "3.5", "```", '"', "（"]  # fmt: skip
BETWEEN = [" ", ", ", ". ", "! ", " and ", " but ", " um ", " so ", "，", "。", "，但是", "，另外，", "\n", "\n- ", "\n> ", "? ", "？", "…", "\n\n", "; "]  # fmt: skip
TALK = st.lists(st.sampled_from([*FACTS, *OTHERS, *BETWEEN]), max_size=14).map("".join)
NOISE = st.text(st.sampled_from("ab Ic 我在北,，.。;；!?？\n\r'\"-*`>()1)有了 i m"), max_size=60)
ANYTHING = st.one_of(TALK, NOISE, st.text(max_size=60))


@pytest.mark.parametrize(("text", "expected"), ENGLISH + CHINESE)
def test_a_text_is_cut_into_what_could_be_a_memory_by_itself(text: str, expected: list[str]) -> None:
    assert [one.text for one in statements(text)] == expected


@pytest.mark.parametrize(("text", "expected"), HANDED)
def test_code_quotes_and_what_a_machine_wrote_are_left_whole(text: str, expected: list[str]) -> None:
    found = statements(text)
    assert [one.text for one in found if not one.handed] == expected
    assert any(one.handed and one.whole for one in found)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Hi! I'm vegan. What can I eat? Please write a menu.", "c.qr"),
        ("Thanks a lot! My cat is grey, can you draw it?", "c.q"),
        ("你好！我吃素，能吃什么？请写一份菜单。", "c.qr"),
        ("谢谢，我搬家了。给我推荐几家餐馆。", "c.r"),
        ("Call me Sam. Always answer in French.", ".."),
        ("以后叫我老姚。", "."),
        ("Remember that I'm vegan.", "."),
        ("I'm vegan. Please remember that.", ".r"),
        ("ok do it. and from now on use tabs.", "r."),
        ("I am allergic to penicillin. hives.", "."),
        ("Yogurt is fine. Hi Sam!", ".c"),
        ("拟一个春节值班表。优化这段代码。对比下面两个方案。", "rrr"),
        ("设计这栋楼的是我导师。写这本书花了三年。排版这块归我管。", "..."),
    ],
)
def test_each_statement_tells_what_it_is(text: str, kinds: str) -> None:
    found = statements(text)
    told = ["q" if one.question else "c" if one.courtesy else "r" if one.request else "." for one in found]
    assert "".join(told) == kinds
    assert [one.tells for one in found] == [kind in ".r" for kind in kinds]


@settings(max_examples=examples(300), deadline=None)
@given(ANYTHING)
def test_the_places_follow_one_another_from_beginning_to_end(text: str) -> None:
    at = 0
    for one in statements(text):
        assert one.begin == at < one.end
        assert one.text in text[one.begin : one.end]
        at = one.end
    assert at == len(text)


@settings(max_examples=examples(400), deadline=None)
@given(st.one_of(TALK, NOISE))
def test_a_statement_read_by_itself_is_one(text: str) -> None:
    for one in statements(text):
        if one.text and not one.handed:
            assert [again.text for again in statements(one.text)] == [one.text]


@settings(max_examples=examples(300), deadline=None)
@given(ANYTHING, st.randoms(use_true_random=False))
def test_what_is_trimmed_is_a_piece_of_the_content_with_all_that_is_kept(text: str, chance: Any) -> None:
    parts = statements(text)
    kept = [chance.random() < 0.5 for _ in parts]
    left = trimmed(text, kept)
    assert left in text
    assert trimmed(text, [True] * len(parts)) == text
    assert trimmed(text, [False] * len(parts)) == ""
    if any(kept):
        assert all(one.text in left for one, stays in zip(parts, kept, strict=True) if stays or one.whole)


@pytest.mark.parametrize(
    ("text", "kept", "left"),
    [
        ("Hi! Thanks, by the way I moved to Graz.", "01", "I moved to Graz."),
        ("I moved to Graz, thanks!\n", "10", "I moved to Graz"),
        ("I moved  to Graz.\r\nWhere do I vote? My dog came too.\n", "101", "I moved  to Graz.\r\nWhere do I vote? My dog came too.\n"),
        ("你好！我搬到福州了，能推荐几家餐馆吗？", "010", "我搬到福州了"),
        ("My list:\n- I run daily\n- I never eat pork\n- I swim well\nThanks!", "00100", "My list:\n- I run daily\n- I never eat pork\n- I swim well"),
        ("Hello!\n1. I swim well\n2. I run daily", "001", "1. I swim well\n2. I run daily"),
        ("I deploy so:\n```\nmake\n```\nIs it good?", "100", "I deploy so:\n```\nmake\n```"),
        ("The moon is pale\nthe sea is wide\nmy boat is old\nand I am tired", "0010", "The moon is pale\nthe sea is wide\nmy boat is old\nand I am tired"),
        ("床前明月光\n疑是地上霜\n举头望明月\n低头思故乡", "0100", "床前明月光\n疑是地上霜\n举头望明月\n低头思故乡"),
    ],
)  # fmt: skip
def test_only_the_ends_go_and_lists_verse_and_code_stay_whole(text: str, kept: str, left: str) -> None:
    assert trimmed(text, [mark == "1" for mark in kept]) == left


def test_verdicts_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match="1 verdicts on 2"):
        trimmed("I live in Rome. I have a dog.", [True])


def test_no_statement_is_longer_and_no_content_has_more_than_may_be() -> None:
    found = statements("It is long " * 200 + ". And it goes on. " * 100)
    assert all(len(one.text) <= MOST_CHARS for one in found)
    many = statements("I have a dog. " * 2 * MOST)
    assert len(many) == MOST
    assert many[-1].handed
    assert many[-1].whole
    assert many[-1].end == 14 * 2 * MOST
    long = statements("tea " * READ_CHARS)
    assert (long[-1].begin, long[-1].end, long[-1].handed) == (READ_CHARS, 4 * READ_CHARS, True)


class Counting:
    """A pattern that counts the characters it is given to look at."""

    looked = 0

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._pattern, name)
        if name not in ("match", "search", "fullmatch", "finditer", "findall"):
            return call

        def counted(text: str, at: int = 0, end: int | None = None) -> Any:
            stop = len(text) if end is None else min(end, len(text))
            Counting.looked += max(0, stop - at)
            return call(text, at, stop)

        return counted


@pytest.mark.parametrize(
    "unit",
    [" i have", "and ", ", ", "so, ", "我住在上海", "我不", "“", "`", "? ", " um", " my dog my", "when i ", "- a\n", "I have a dog. ", "1) ", "hi ", "\n", "a"],
)  # fmt: skip
def test_what_is_looked_at_grows_with_the_length_alone(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (module, borders, statement_words):
        for name, value in vars(room).items():
            if isinstance(value, (re.Pattern, Expression)):
                monkeypatch.setattr(room, name, Counting(cast("re.Pattern[str]", value)))

    def looked_at(chars: int) -> int:
        Counting.looked = 0
        assert statements.__wrapped__((unit * chars)[:chars])
        return Counting.looked

    short, long = looked_at(4_000), looked_at(16_000)
    assert long <= 4.4 * short + 20_000
    assert long <= 16_000 * 4_000


def test_an_empty_content_has_no_statements_and_blanks_say_nothing() -> None:
    assert statements("") == ()
    assert trimmed("", []) == ""
    assert statements(" \n ") == (Statement("", 0, 3),)
