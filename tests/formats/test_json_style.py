"""What is equal in JSON keeps its bytes, and what is not is written anew."""

from __future__ import annotations

from typing import Any

import pytest

from memd.engine.merge import equal
from memd.formats.json_style import Style, patch_object, same, style_of


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (True, 1, False),
        (0, False, False),
        ([True], [1], False),
        ({"a": {"b": False}}, {"a": {"b": 0}}, False),
        (True, True, True),
        (1, 1.0, True),
        ("1", 1, False),
        ([1, 2], [1], False),
        (None, False, False),
    ],
)
def test_true_is_no_number_and_one_is_one(one: Any, other: Any, is_same: bool) -> None:
    assert (same(one, other), same(other, one), equal(one, other)) == (is_same, is_same, is_same)


def test_the_order_of_members_is_a_matter_of_writing_and_not_of_what_a_record_says() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert equal(one, other)
    assert not same(one, other)


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ('{"a": 1, "b": 2}', {"a": True, "b": 2}, '{"a": true, "b": 2}'),
        ('{"a": 1.50, "b": 2}', {"a": 1.5, "b": 3}, '{"a": 1.50, "b": 3}'),
        ('{"a": 1, "b": 2}', {"b": 2}, '{"b": 2}'),
        ('{"a":1}', {"a": 1, "b": "é"}, '{"a":1,"b":"é"}'),
        ('{\n  "a": 1\n}', {"a": 1, "b": [1]}, '{\n  "a": 1,\n  "b": [\n    1\n  ]\n}'),
    ],
)
def test_a_changed_record_keeps_the_bytes_of_every_member_that_did_not_change(
    text: str, after: dict[str, Any], expected: str
) -> None:
    assert patch_object(text, after, style_of(text)) == expected


def test_a_file_is_written_on_the_way_it_was_written() -> None:
    assert style_of('{"a":1,"b":2}') == Style(None, "\n", ":", ",", ascii=False, ms=False)
    assert style_of('{\r\n\t"timestamp": 1700000000000,\r\n\t"b": "\\u4f60"}') == Style(
        "\t", "\r\n", ": ", ",", ascii=True, ms=True
    )
