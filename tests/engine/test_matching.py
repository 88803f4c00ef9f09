"""What fits a search and how well, what an index must propose for it, and what is marked."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.engine.recall.lexicon import document_weights
from memd.engine.recall.matching import (
    TERMS,
    best,
    covered,
    direct,
    final,
    fits,
    gains_of,
    glob_matches,
    phrase_terms,
    wanted_of,
)
from memd.engine.recall.snippets import snippet
from memd.formats.query import parse
from memd.model.search import Document

KILN = Document(
    "f:notes/kiln.md", "page", "notes/kiln.md", "nora", "kiln", "The Kiln log", "Tomasz loads the kiln on Wednesdays. "
    "柏林的数据中心在五月搬迁。The ＡＰＩ key is user_id.", ("oven",), ("ceramics",), ("studio/glaze", "工作"), 1_778_198_400.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "there"),
    [
        ("kiln", True), ("kilns", True), ("porcupine", False), ("porcupine kiln", True), ("+porcupine kiln", False),
        ("+loads +wednesday", True), ("-kiln Tomasz", False), ("-porcupine kiln", True), ("-porcupine", True),
        ('"loads the kiln"', True), ('"loads kiln"', False), ('"LOADS  THE kiln"', True), ('"load the kiln"', False),
        ('"oads the"', False), ('-"loads the kiln" kiln', False), ('"on"', True), ('"the"', True),
        ("数据中心", True), ('"数据中心"', True), ('"中心数据"', False), ('"据中"', True), ("搬迁 火星", True), ("火星", False),
        ("wed*", True), ("w?dnesdays", True), ("wed?", False), ("we?d", False), ("tom*z", True), ("xyz*", False), ("数*中心", True),
        ("中心*数据", False), ("+wed* +porc*", False), ("api", True), ("ａｐｉ", True), ("title:log", True),
        ("title:wednesdays", False), ("key:oven", True), ("key:kiln", False), ("topic:ceramics", True), ("kind:page", True),
        ("kind:run", False), ("role:nora", True), ("-role:nora", False), ("tag:studio", True), ("tag:studio/glaze", True),
        ("tag:stud", False), ("tag:工作", True), ("file:notes/", True), ("file:*.md", True), ("file:other", False),
        ("id:kil", True), ("on:2026-05-08", True), ("before:2026-05-08", False), ("after:2026-05-08 kiln", True), ("", True),
        ('"user_id"', True), ("user_id", True), ("kind:page kiln", True), ("kind:page porcupine", False),
    ],
)  # fmt: skip
def test_fits(query: str, there: bool) -> None:
    assert fits(KILN, wanted_of(parse(query))) is there


TEXTS = st.text(alphabet="ab cAB-_'’.1的中文数据ＡＢ\n", min_size=1, max_size=40)


@given(before=TEXTS, phrase=TEXTS, after=TEXTS)
def test_a_document_with_a_phrase_has_every_term_it_is_looked_up_by(before: str, phrase: str, after: str) -> None:
    """An index may propose too much for a phrase, never too little."""
    document = Document("k", "page", "n.md", text=before + phrase + after)
    clause = f'"{phrase}"'
    if fits(document, wanted_of(parse(clause))):
        assert set(phrase_terms(phrase)) <= document_weights(document, unigrams=False).keys(), (phrase, before, after)


@given(st.text(alphabet="ab*?", max_size=8), st.text(alphabet="ab", max_size=8))
def test_patterns_mean_what_the_slow_way_says(pattern: str, word: str) -> None:
    def slow(p: str, w: str) -> bool:
        if not p:
            return not w
        if p[0] == "*":
            return slow(p[1:], w) or (bool(w) and slow(p, w[1:]))
        return bool(w) and p[0] in ("?", w[0]) and slow(p[1:], w[1:])

    assert glob_matches(pattern, word) is slow(pattern, word)


def test_patterns_and_phrases_take_time_in_proportion() -> None:
    long = Document("k", "page", "n.md", text="a" * 1_000_000 + " " + "数" * 200_000)
    begun = time.process_time()
    for query in ("a*a*a*b", "*a*b*", '"' + "a" * 500 + 'b"', "数*中*心", "a?a?a?b"):
        fits(long, wanted_of(parse(query)))
    assert time.process_time() - begun < 8


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        pytest.param("Tomasz loads the kilns.", "kiln load", "Tomasz **loads** the **kilns**.", id="stems"),
        pytest.param(
            "柏林的数据中心在五月搬迁。", "数据中心", "柏林的**数据中心**在五月搬迁。", id="Chinese, in one piece"
        ),
        pytest.param("The ＡＰＩ key.", "api", "The **ＡＰＩ** key.", id="widths"),
        pytest.param("He loads the kiln.", '"loads the kiln"', "He **loads the kiln**.", id="a phrase"),
        pytest.param("A schedule.", "sched*", "A **schedule**.", id="a pattern"),
        pytest.param("Nothing here.", "kiln", "Nothing here.", id="nothing meant"),
        pytest.param("one\n\n  two   kiln", "kiln", "one two **kiln**", id="on one line"),
    ],
)
def test_snippet(text: str, query: str, shown: str) -> None:
    assert snippet(text, wanted_of(parse(query)), {}) == shown


def test_a_snippet_shows_the_part_that_answers() -> None:
    text = "filler words here. " * 300 + "The kiln is loaded by Tomasz. " + "more filler. " * 300
    shown = snippet(text, wanted_of(parse("kiln Tomasz")), {"kiln": 3.0, "tomasz": 3.0})
    assert "**kiln**" in shown
    assert "**Tomasz**" in shown
    assert len(shown) < 240
    assert shown.startswith("…")
    assert shown.endswith("…")


@given(st.text(max_size=200), st.text(max_size=30))
def test_no_text_breaks_it(text: str, word: str) -> None:
    wanted = wanted_of(parse(word.replace("*", "").replace(":", "").replace('"', "")))
    snippet(text, wanted, {})
    fits(Document("k", "page", "n.md", text=text), wanted)


@pytest.mark.parametrize("name", ["ua79b06c14", "SHOP-123", "user_id42"])
def test_the_parts_of_a_name_weigh_no_more_than_the_name(name: str) -> None:
    terms = wanted_of(parse(name)).terms
    whole = terms.pop(name.casefold())
    assert len(terms) > 1
    assert whole == 1
    assert sum(terms.values()) == pytest.approx(1)


# How well: rare words count more, what covers the question counts more, ties are in order.


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
