"""Names: one rule book, nothing repaired."""

from __future__ import annotations

import pytest

from memd.errors import BadNameError, NameTakenError
from memd.model.names import check_free, check_name, is_name


@pytest.mark.parametrize(
    "name", ["main", "小雨", "ナオミ", "d'accord".replace("'", ""), "v2.0_b-c", "é" * 64, "नमस्ते", "9"]
)
def test_good_names_pass(name: str) -> None:
    assert check_name(name) == name
    assert is_name(name)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "empty"),
        ("x" * 65, "65 characters"),
        ("名" * 67, "67 characters"),
        ("𠀀" * 51, "200 bytes"),
        (".a", "starts with '.'"),
        ("-a", "starts with '-'"),
        ("a.", "ends with '.'"),
        ("a/b", "'/'"),
        ("a b", "' '"),
        ("a\0b", "U+0000"),
        ("a\u200bb", "U+200B"),
        ("CON", "Windows device"),
        ("lpt1.txt", "Windows device"),
        ("com¹", "Windows device"),
        ("\ud800", "U+D800"),
        ("a" + "\u0301\u0316" * 100_000, "characters"),
    ],
)
def test_bad_names_are_refused_by_rule(name: str, rule: str) -> None:
    with pytest.raises(BadNameError, match=rule.replace("+", r"\+").replace(".", r"\.")):
        check_name(name)
    assert not is_name(name)


@pytest.mark.parametrize(
    ("name", "taken"), [("Nora", "nora"), ("ｎｏｒａ", "nora"), ("STRASSE", "straße"), ("ﬁsh", "fish")]
)
def test_names_that_look_or_fold_alike_collide(name: str, taken: str) -> None:
    with pytest.raises(NameTakenError):
        check_free(name, [taken])
    check_free("other", [taken])
