"""The texts inside a value of JSON, and what they are without their secrets."""

from __future__ import annotations

import pytest

from memd.engine.keep.leaves import changed, is_bare, texts_in
from memd.engine.keep.scan.secrets import without_secrets

KEY = "AKIA" + "Q3EGRN7XKJ2M5LPD"


def test_every_text_is_found_keys_too_and_what_stands_under_a_telling_name_with_it() -> None:
    value = {
        "long words here": [{"a": "more words"}, 7, None],
        "password": "Tr0ub4dorx9",
        "name": "口令",
        "value": "x y",
    }
    assert set(texts_in(value)) == {"long words here", "more words", "password: Tr0ub4dorx9", "口令: x y"}


def test_what_nothing_changes_is_the_same_object() -> None:
    value = {"a": ["some words", {"b c d": "other words"}], "password": "a plain word"}
    assert changed(value, lambda text: text) is value
    assert changed(value, str.upper) == {
        "a": ["SOME WORDS", {"B C D": "OTHER WORDS"}],
        "password": "a plain word".upper(),
    }


@pytest.mark.parametrize(
    "text",
    ["", "database", "12", "小猫", "1f0c2a9b-1111-4222-8333-abcdefabcdef", "ab" * 32, "2026-11-22T08:09:21Z"],
)
def test_ids_times_and_short_words_need_no_look(text: str) -> None:
    assert is_bare(text)
    assert without_secrets(text) == text


@pytest.mark.parametrize("text", [KEY, "378282246310005", "123-45-6789", "两个字的词语", "id-1 7", "PIN 4711"])
def test_what_may_be_more_is_looked_at(text: str) -> None:
    assert not is_bare(text)


def test_characters_nobody_sees_do_not_hide_a_secret_and_stay_where_they_hide_none() -> None:
    hidden = f"The key is {KEY[:9]}\u200b{KEY[9:]}."
    assert without_secrets(hidden) == "The key is [secret:aws redacted]."
    beside = f"The ki\u200bln key is {KEY}."
    assert without_secrets(beside) == "The ki\u200bln key is [secret:aws redacted]."
