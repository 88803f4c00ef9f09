"""Traditional characters are read as simplified ones: place by place, by every expression, by all that judges and finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from memd.engine.keep.event.resolve import names_time, resolve
from memd.engine.keep.scan.secrets import without_secrets
from memd.engine.keep.talk import changes, passing, persons, supposed
from memd.engine.keep.talk.questions.chinese_questions import as_user_zh
from memd.engine.keep.worth import read_worth
from memd.engine.recall.profile.kin import relation_meant, relations_in
from memd.engine.recall.profile.subjects import Of, subject_of
from memd.engine.recall.wanted.doing import touches_of
from memd.store.recall.emotion_file import shipped_feelings
from memd.text import expressions
from memd.text.acts import read_message
from memd.text.analysis import query_tokens, tokens
from memd.text.characters import fingerprint, squeeze
from memd.text.simplified import common_words, in_either, simplified
from memd.text.standing import read_standing
from memd.text.statements import statements
from memd.text.times.reading import read_times

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
# As people in Taipei, Hong Kong and Penang write, and the same in simplified characters.
SAID = {
    "我後天下午兩點鐘回診，骨科在三樓。": "我后天下午两点钟回诊，骨科在三楼。",
    "我們辦公室搬到內湖了，捷運文德站出來走五分鐘。": "我们办公室搬到内湖了，捷运文德站出来走五分钟。",
    "我女兒對帶殼海鮮過敏，蝦子跟螃蟹都不能吃。": "我女儿对带壳海鲜过敏，虾子跟螃蟹都不能吃。",
    "以後請用繁體中文回覆我，不要加表情符號。": "以后请用繁体中文回覆我，不要加表情符号。",
    "妳上次說的那間麵店改成禮拜二公休。": "你上次说的那间面店改成礼拜二公休。",
    "我媽媽從台南搬來跟我們住，她的房間在樓上。": "我妈妈从台南搬来跟我们住，她的房间在楼上。",
    "房東說租金從下個月起漲到一萬八千元。": "房东说租金从下个月起涨到一万八千元。",
    "我姊姊的貓叫麻糬，兩歲。": "我姐姐的猫叫麻糬，两岁。",
    "今天開會開到現在，累死了。": "今天开会开到现在，累死了。",
    "老師說測試環境的資料庫每週三凌晨會重置。": "老师说测试环境的资料库每周三凌晨会重置。",
    "謝謝啦，那就先這樣！": "谢谢啦，那就先这样！",
    "假如我中了樂透，我就辭職去環島。": "假如我中了乐透，我就辞职去环岛。",
}
READ: dict[str, Callable[[str], object]] = {
    "worth": lambda text: dict(read_worth(text, None).features),
    "statements": lambda text: [(one.begin, one.end, one.tells, one.question, one.courtesy) for one in statements(text)],
    "times": lambda text: read_times(text, NOW),
    "resolved": lambda text: resolve(text, NOW),
    "acts": lambda text: simplified(repr(read_message(text))),
    "tokens": tokens,
    "tokens of a question": query_tokens,
    "key": squeeze,
    "fingerprint": fingerprint,
    "standing": read_standing,
    "persons": lambda text: simplified(repr(persons.persons_of(text, 1))),
    "relations": relations_in,
    "touches": touches_of,
    "passing": passing.is_passing,
    "supposed": supposed.is_supposed,
    "changed": lambda text: (changes.says_change(text), changes.says_end(text), changes.says_unchanged(text)),
    "feeling": lambda text: shipped_feelings().read(text),
}  # fmt: skip


@pytest.mark.parametrize("reads", READ)
@pytest.mark.parametrize("text", SAID)
def test_what_is_read_of_a_text_is_what_is_read_of_it_in_simplified_characters(text: str, reads: str) -> None:
    assert simplified(text) == SAID[text]
    assert READ[reads](text) == READ[reads](SAID[text])


def test_words_that_are_looked_up_in_a_list_are_read_so_too() -> None:
    assert relation_meant("我的寵物") == relation_meant("我的宠物") != frozenset()
    assert relation_meant("我家裡人") == relation_meant("我家里人") != frozenset()
    assert subject_of("用戶", {}).of is Of.USER
    assert as_user_zh("妳們喜歡爬山。") == "我們喜歡爬山"
    for text in ("密碼為“kestrel-lantern-oak”", "密码为“kestrel-lantern-oak”"):
        assert "kestrel" not in without_secrets(text)


def test_what_a_person_wrote_stays_as_it_is() -> None:
    text = next(iter(SAID))
    assert "".join(text[one.begin : one.end] for one in statements(text)) == text
    assert statements(text)[0].text in text


def test_every_character_has_its_place_and_none_is_read_twice() -> None:
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x11000))))
    plain = simplified(every)
    assert len(plain) == len(every)
    assert simplified(plain) == plain
    assert sum(map(str.__ne__, every, plain)) > 2500


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        ("星期|礼拜", ["禮拜", "礼拜", "星期"], ["禮"]),
        ("[周号]", ["週", "號", "号"], ["周號", "日"]),
        ("[^周号]", ["日", "]"], ["週", "號"]),
        ("[]个]", ["]", "個"], ["["]),
        ("[^]个]", ["["], ["]", "個"]),
        ("[一-鿿]", ["個", "鿿"], ["a", "-"]),
        (r"(?<=后)天", [], ["天"]),
        (r"后(?<=后)天", ["後天", "后天"], ["前天"]),
        (r"(?P<day>后天)\d", ["後天3"], ["後天"]),
        (r"\[个\]", ["[個]"], ["個"]),
        ("里{2}", ["裡裏", "里裡"], ["里"]),
    ],
)
def test_an_expression_finds_either(pattern: str, found: list[str], not_found: list[str]) -> None:
    compiled = expressions.compile(pattern)
    assert [text for text in found if not compiled.fullmatch(text)] == []
    assert [text for text in not_found if compiled.fullmatch(text)] == []


def test_an_expression_without_chinese_stays_what_it_is() -> None:
    assert in_either(r"[^\]a-z]\b(?P<x>.)") == r"[^\]a-z]\b(?P<x>.)"
    assert re.fullmatch(in_either("猫"), "貓")


@pytest.mark.parametrize("text", ["下週去", "國慶回家", "兩小時後", "開會開了三十分鐘", "聖誕"])
def test_what_may_name_a_time_is_looked_at_in_either(text: str) -> None:
    assert names_time(text) == names_time(simplified(text)) is True


@pytest.mark.parametrize(
    ("spoken", "common"),
    [
        ("我住邊度", "我住哪里"),
        ("唔好再提佢", "不要再提他"),
        ("新工几多人工", "新工多少工资"),
        ("佢系我同事", "他是我同事"),
        ("你晓得啥子叫冷链", "你知道什么叫冷链"),
        ("系统用人工智能", "系统用人工智能"),
        ("今天返工好攰", "今天上班好攰"),
        ("I live in Porto", "I live in Porto"),
    ],
)
def test_regional_words_are_read_as_common_ones_of_the_same_length(spoken: str, common: str) -> None:
    assert common_words(spoken) == common
    assert len(common) == len(spoken)
