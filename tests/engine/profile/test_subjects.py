"""Of whom a profile is, and which memories bear on them: what is proved to be the same, and nothing that is guessed."""

from __future__ import annotations

import pytest

from memd.engine.recall.compiled import Compiled
from memd.engine.recall.profile.subjects import Of, Subject, checked, subject_of
from memd.model.memory import Kind, Memory


def held(*texts: str, **fields: tuple[str, ...]) -> dict[str, Memory]:
    compiled = Compiled()
    for number, text in enumerate(texts):
        compiled.put(Memory(f"m{number}", Kind.SEMANTIC, text, source="user", **fields))  # type: ignore[arg-type]
    return compiled.memories


def found(words: str, memories: dict[str, Memory]) -> list[str]:
    bears = subject_of(checked(words), memories).bears_on()
    return [one.text for one in memories.values() if bears(one)]


@pytest.mark.parametrize("words", ["", "me", "Myself", "the user", "我", "我自己", "用户"])
def test_these_words_are_the_user(words: str) -> None:
    assert subject_of(checked(words), {}).of is Of.USER


@pytest.mark.parametrize("words", ["you", "yourself", "你", "你自己", "Juno", "half moon"])
def test_these_words_are_the_role(words: str) -> None:
    assert subject_of(checked(words), {}, ("juno", "Half Moon")).of is Of.ROLE


@pytest.mark.parametrize(
    ("told", "name"), [("My name is Mei Tan.", "Mei"), ("我叫林舟。", "林舟"), ("Call me Sam.", "Sam")]
)
def test_the_users_own_name_is_the_user(told: str, name: str) -> None:
    assert subject_of(checked(name), held(told)).of is Of.USER
    assert subject_of(checked(name), {}).of is Of.NAMED


def test_a_name_is_looked_for_whole_and_in_either_script() -> None:
    memories = held("Ana lives in Porto.", "Anna is a vet.", "和Ana去了海边", "banana bread", "ANA's bike is red.")
    assert found("Ana", memories) == ["Ana lives in Porto.", "和Ana去了海边", "ANA's bike is red."]


def test_a_chinese_name_is_found_inside_a_sentence() -> None:
    memories = held("上周和小雨去爬山", "小雨喜欢吃辣", "阿杰在成都")
    assert found("小雨", memories) == ["上周和小雨去爬山", "小雨喜欢吃辣"]


def test_keys_tags_and_topics_name_too() -> None:
    memories = held("It deploys on Fridays.", keys=("Kestrel",))
    assert found("kestrel", memories) == ["It deploys on Fridays."]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("the Kestrel project", "Kestrel deploys on Fridays."),
        ("风筝项目", "风筝每周五部署。"),
        ("our Kestrel team", "Kestrel is late."),
    ],
)
def test_what_sort_of_thing_it_is_need_not_be_told(words: str, text: str) -> None:
    assert found(words, held(text)) == [text]


ONE_SISTER = ("My sister Ana lives in Porto.", "My sister climbs.", "Ana has a cat.", "Tom has a dog.")


@pytest.mark.parametrize("words", ["Ana", "my sister", "sister"])
def test_a_sister_and_her_name_are_one(words: str) -> None:
    assert found(words, held(*ONE_SISTER)) == [*ONE_SISTER[:3]]


@pytest.mark.parametrize(
    "other",
    ["My sister Rita is a pilot.", "My other sister lives in Lyon.", "I have two sisters.", "Rita is my sister."],
)
def test_where_there_may_be_another_sister_the_word_is_neither(other: str) -> None:
    assert "My sister climbs." not in found("Ana", held(*ONE_SISTER, other))


OWN_MOTHER = ("我妈妈叫陈兰，是老师。", "我妈下个月退休。", "陈兰爱喝普洱。", "小雨的妈妈在北京。")


@pytest.mark.parametrize("words", ["陈兰", "我妈妈", "妈妈", "我妈", "my mother", "my mum"])
def test_a_mother_is_one_in_both_languages(words: str) -> None:
    assert found(words, held(*OWN_MOTHER)) == [*OWN_MOTHER[:3]]


@pytest.mark.parametrize(
    ("introduced", "name"),
    [
        ("My wife's name is Noor.", "Noor"), ("Noor is my wife.", "Noor"), ("My wife is called Noor", "Noor"),
        ("The user's wife Noor bakes.", "Noor"), ("我妹妹小雨在成都", "小雨"), ("小雨是我妹妹", "小雨"), ("用户的妹妹叫小雨。", "小雨"),
    ],
)  # fmt: skip
def test_who_is_introduced_is_known_by_what_they_are(introduced: str, name: str) -> None:
    whom = "my wife" if name == "Noor" else "我妹妹"
    memories = held(introduced, f"{name} 1987")
    assert found(whom, memories) == [introduced, f"{name} 1987"]


def test_a_friend_is_never_meant_by_the_word_alone() -> None:
    memories = held("My friend Tom plays chess.", "My friend moved to Rome.")
    assert found("Tom", memories) == ["My friend Tom plays chess."]


def test_a_younger_sister_is_not_any_sister() -> None:
    memories = held("我妹妹在成都", "我姐姐在上海", "My sister sings.")
    assert found("妹妹", memories) == ["我妹妹在成都"]
    assert found("my sister", memories) == ["我妹妹在成都", "我姐姐在上海", "My sister sings."]


def test_two_of_one_name_are_told() -> None:
    memories = held("Ana Lima is a vet.", "Ana Souza sent the invoice.", "Ana called.")
    assert subject_of("Ana", memories).several == ("Ana Lima", "Ana Souza")
    assert found("Ana Lima", memories) == ["Ana Lima is a vet."]
    assert found("Ana Souza", held("Ana Souza sent the invoice.", "Ana called.")) == [
        "Ana Souza sent the invoice.", "Ana called.",
    ]  # fmt: skip


@pytest.mark.parametrize(("words", "text", "firm"), [
    ("Ana", "Yesterday Ana called.", True), ("ana", "Yesterday Ana called.", True), ("小雨", "小雨在成都", True), ("my sister", "x", True),
    ("dogs", "I like dogs.", False), ("Rust lifetimes", "User learns Rust.", False), ("小雨喜欢", "小雨喜欢吃辣", False),
])  # fmt: skip
def test_a_name_is_firm_where_a_memory_writes_it_as_one(words: str, text: str, firm: bool) -> None:
    assert subject_of(words, held(text)).firm is firm


@pytest.mark.parametrize("words", [".*", "((((", "\\", "[-", "…", "?"])
def test_what_has_no_letter_is_nobody(words: str) -> None:
    with pytest.raises(ValueError, match="no letter"):
        checked(words)


@pytest.mark.parametrize("words", ["a\x07b", "a\x1b[31m", "a\u202eb", "a\u200bb", "\ud800a", "a\nb"])
def test_hidden_characters_are_told(words: str) -> None:
    with pytest.raises(ValueError, match=r"U\+[0-9A-F]{4} is no character of a name"):
        checked(words)


def test_a_long_subject_is_refused() -> None:
    with pytest.raises(ValueError, match="100,000 characters are too many"):
        checked("a" * 100_000)


@pytest.mark.parametrize("words", ["a.*", "(ana|b)+", "a{1,9}", "Ana?", "C++", "$HOME"])
def test_a_pattern_is_only_its_own_letters(words: str) -> None:
    assert found(words, held("aaaa", "bana", f"see {words} here")) == [f"see {words} here"]


def test_a_subject_says_nothing_of_those_it_does_not_name() -> None:
    assert not Subject(Of.NAMED, "x").bears_on()(Memory("a", Kind.SEMANTIC, "anything"))


def test_a_word_for_a_parent_is_a_name_where_it_stands_alone() -> None:
    told = [
        "Dad's walker is a Nexus 3.",
        "My dad likes jazz.",
        "Her dad is a plumber.",
        "Tom's dad bakes.",
        "带爸爸去复查。",
    ]
    for words in ("Dad", "my dad", "father", "爸爸"):
        assert found(words, held(*told)) == [told[0], told[1], told[4]], words


def test_a_pet_name_introduces_a_child() -> None:
    assert found("女儿", held("我女儿小名豆豆，八岁。", "豆豆对芒果过敏。", "老王女儿在上海。")) == [
        "我女儿小名豆豆，八岁。",
        "豆豆对芒果过敏。",
    ]
