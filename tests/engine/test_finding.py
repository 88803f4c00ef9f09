"""How well a document answers: rare words count more, what covers the question counts more, ties are in order."""

from __future__ import annotations

import pytest

from memd.engine.recall.matching import TERMS, best, covered, direct, final, gains_of, wanted_of
from memd.engine.recall.snippets import snippet
from memd.formats.query import parse


def test_the_best_come_first_and_equal_ones_by_name() -> None:
    scores = [("c", 0.5), ("a", 0.5), ("low", 0.1), ("high", 0.9), ("b", 0.5)]
    assert best(scores, 3) == [("high", 0.9), ("a", 0.5), ("b", 0.5)]
    assert best(scores, 0) == []


def test_a_rare_word_says_more_and_what_nearly_all_have_says_nothing_beside_it() -> None:
    asked = dict.fromkeys(("rare", "usual", "everywhere", "nowhere"), 1.0)
    gains = gains_of(asked, {"rare": 1, "usual": 20, "everywhere": 90, "nowhere": 0}, 100)
    assert list(gains) == ["rare", "usual"]
    assert gains["rare"] > 2 * gains["usual"] > 0
    assert list(gains_of({"everywhere": 1.0}, {"everywhere": 90}, 100)) == ["everywhere"], "where there is no rarer one"


def test_of_a_long_question_the_rarest_words_are_asked() -> None:
    holders = {f"w{n:02}": n + 1 for n in range(TERMS + 8)}
    gains = gains_of(dict.fromkeys(holders, 1.0), holders, 1000)
    assert list(gains) == sorted(holders)[:TERMS]


def test_who_covers_the_question_stands_above_who_says_one_word_of_it_as_strongly() -> None:
    gains = {"kiln": 3.0, "gas": 1.0}
    assert covered(gains, {"kiln"}) == pytest.approx(0.75)
    assert covered({}, ()) == 1.0
    whole, part = (final(2.0, gains, held, 100) for held in ({"kiln", "gas"}, {"gas"}))
    assert 0 < part < whole < 1
    assert final(0.0, gains, set(gains), 100) == 0.0


def test_a_word_that_stands_more_often_or_in_a_shorter_text_counts_more() -> None:
    gains = {"kiln": 2.0}
    once, twice = direct(gains, {"kiln": 1.0, "x": 9.0}, 10.0), direct(gains, {"kiln": 2.0, "x": 8.0}, 10.0)
    assert direct(gains, {"x": 1.0}, 10.0) == 0.0
    assert once < twice < 2 * once
    assert once < direct(gains, {"kiln": 1.0}, 10.0)


def test_a_snippet_shows_the_part_with_most_words_and_not_with_one_most_often() -> None:
    text = "kiln " * 6 + "and " * 100 + "the kiln of Tomasz" + " or" * 100
    assert "**kiln** of **Tomasz**" in snippet(text, wanted_of(parse("kiln Tomasz")), {"kiln": 3.0, "tomasz": 3.0})
