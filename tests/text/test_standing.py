"""Which statements stand for every conversation."""

from __future__ import annotations

import pytest

from memd.text.standing import Lasting, is_standing, read_standing, settled_by


@pytest.mark.parametrize(
    "text",
    [
        "From now on keep answers under ten lines", "Call me Sam", "please always answer in French", "Keep your replies short.",
        "The user wants to be called Doc.", "以后都用中文回答", "叫我老韩就行", "回答尽量简短", "用户希望被称为小满", "从现在起别用表情",
    ],
)  # fmt: skip
def test_an_instruction_for_every_conversation_stands(text: str) -> None:
    assert is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "User prefers short answers without bullet points.", "My boss calls me at night.", "She never answers the phone.",
        "Use pnpm, never npm.", "We never deploy on Fridays.", "Never buy from that shop again.", "Don't use zod there.", "When you come to Graz, call me",
        "Before you open the door, ring twice.", "写日志不要打印密码", "不要给狗喂巧克力", "我写代码的时候先列提纲", "我以后想学画画", "客户回复得很慢", "She asked me to call her Ann.", "用户住在宁波",
    ],
)  # fmt: skip
def test_a_preference_or_a_fact_does_not_stand_for_every_conversation(text: str) -> None:
    assert not is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Can you call me Al from now on?", 'Call me "Al"', "Please call me Dr. Okafor.", "call me al", "Don't call me Bobby", "Keep it short, from now on.",
        "Whenever you explain code, show one example", "My pronouns are they/them", "OOC: call me Ben", "Always reply in Danish.",
        "Never suggest putting Dad in a home.", "Don't ever recommend gluten to me", "Before you give me code, explain it in plain words.",
        "When you quote prices, use Canadian dollars.", "Don't explain things I didn't ask about.", "Stop apologizing",
        "别再给我推荐外卖平台", "所有金额都用人民币写", "写文案的时候不要用感叹号", "给我讲代码的时候先说人话", "不要跟我说加油", "别用“亲”称呼我",
        "叫我“阿梅”就行", "大家都别叫我老板", "以后请称呼我为吴博士", "以后能不能用粤语回答？", "从今天起回答别超过三句", "【场外】叫我小禾",
    ],
)  # fmt: skip
def test_an_instruction_is_read_in_other_forms(text: str) -> None:
    found = read_standing(text)
    assert found is not None
    assert found == (Lasting.INSTRUCTION, False)


@pytest.mark.parametrize(
    "text",
    [
        "Call me tomorrow", "Call me when the build is done", "Call me crazy but I like it", "He said “call me Al”", "“From now on answer in verse.”",
        "*bows* Call me Sir Orsolo", "From now on I go to bed early", "From now on we deploy on Mondays", "For this task answer in French",
        "Do you always answer in English?", "In my novel the captain says: call me Ahab", "> call me Al", "`call me Al`",
        "叫我起床", "明天叫我去开会", "他叫我别来", "以后我都吃素", "这次用英文回答我", "今天用英文回答", "你叫我小林吗？", "（拔出短剑）叫我守夜人",
    ],
)  # fmt: skip
def test_what_is_for_once_quoted_played_or_asked_does_not_stand(text: str) -> None:
    assert read_standing(text) is None


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("My name is Ada Okafor.", False),
        ("my name's zoë", False),
        ("Hi! I go by Sam.", False),
        ("The user's name is Priya.", True),
        ("User is called Priya Nair.", True),
        ("我叫林晓，今年二十八岁。", False),
        ("我的名字是王小明", False),
        ("我姓欧阳", False),
        ("用户叫林晓。", True),
        ("用户的名字是阿依努尔", True),
    ],
)
def test_a_name_is_read_as_the_users_own(text: str, reported: bool) -> None:
    assert read_standing(text) == (Lasting.NAME, reported)
    assert not is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "My name is spelled with two l.", "My name is not on the list", "What's my name?", "The name of the server is atlas.", "User is called in at six.",
        "User's name is misspelled in the invoice", "My brother's name is Omar.", "我叫了外卖", "我叫他别走", "我叫什么名字？", "用户名叫admin", "用户叫了车", "我弟弟叫小虎",
    ],
)  # fmt: skip
def test_a_name_of_another_or_talk_about_names_is_not_the_users(text: str) -> None:
    assert read_standing(text) is None


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("From now on answer in short.", {"", "user", "file-edit"}),
        ("以后都用中文回答", {"", "user", "file-edit"}),
        ("The user wants to be called Doc.", {"", "user", "file-edit", "agent"}),
        ("用户希望被称为小满", {"", "user", "file-edit", "agent"}),
    ],
)
def test_it_counts_from_the_user_and_reported_from_an_agent(text: str, sources: set[str]) -> None:
    found = read_standing(text)
    assert found is not None
    assert {one for one in ("", "user", "agent", "tool", "file-edit", "import") if found.counts_from(one)} == sources


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("I'm no good with computers, so please always explain things to me in plain words.", True),
        ("My hands shake, please keep the answers short.", True),
        ("以后跟我聊天别老叫您，叫岚姐就行", True),
        ("I have a cold, so please call the doctor.", False),
        ("We're busy, so always knock before you come in.", False),
        ("I'm tired, so please write the letter for me.", False),
    ],
)
def test_an_instruction_may_stand_behind_its_reason(text: str, stands: bool) -> None:
    assert is_standing(text, "user") is stands


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("From now on answer in French.", {"language": {"french"}}),
        ("以后都用中文简短回答。", {"language": {"chinese"}, "length": {"short"}}),
        ("From now on keep your answers long, no longer short.", {"length": {"long"}}),
        ("以后别用英文，用中文回答。", {"language": {"chinese"}}),
        ("Call me Sam.", {"address": {"any"}}),
        ("Answer me with the diff first.", {}),
    ],
)
def test_what_an_instruction_settles(text: str, settled: dict[str, set[str]]) -> None:
    assert settled_by(text) == settled
