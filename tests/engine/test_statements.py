"""What was said is cut into statements that stand by themselves."""

from __future__ import annotations

import pytest

from memd.engine.keep.statements import MOST_CHARS, statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nora plays the cello. The boiler leaks.", ["Nora plays the cello.", "The boiler leaks."]),
        ("Nora moved to Kiel. She plays the cello.", ["Nora moved to Kiel. She plays the cello."]),
        ("用户住在厦门。他养了一只猫。团队周一开会。", ["用户住在厦门。他养了一只猫。", "团队周一开会。"]),
        ("- The first item\n2. The second item\n> The third item", ["The first item", "The second item", "The third item"]),
        ("Before the code.\n```\nrm -rf everything.\n```\nAfter the code.", ["Before the code.", "After the code."]),
        ("Before it all.\n~~~\nnever closed", ["Before it all."]),
        ("Ok. Well. The pump leaks.", ["The pump leaks."]),
        ("Version 3.11 is used. It costs 2.50 euros.", ["Version 3.11 is used. It costs 2.50 euros."]),
    ],
)  # fmt: skip
def test_a_text_is_cut_at_its_sentences_and_what_leans_stays_with_what_it_leans_on(
    text: str, expected: list[str]
) -> None:
    assert list(statements(text)) == expected


def test_no_statement_is_longer_than_one_may_be() -> None:
    found = list(statements("It is long " * 200 + ". And it goes on. " * 100))
    assert found
    assert all(len(one) <= MOST_CHARS for one in found)
