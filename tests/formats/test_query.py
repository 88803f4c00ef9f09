"""The language of search, a line each."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import BadQueryError
from memd.formats.query import parse, span_of
from memd.model.search import Clause, Filter, Form, Need

WORDS, PHRASE, WILDCARD = Form.WORDS, Form.PHRASE, Form.WILDCARD
MUST, NOT, SHOULD = Need.MUST, Need.NOT, Need.SHOULD


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        pytest.param("kiln firing", [Clause(WORDS, "kiln firing")], id="words"),
        pytest.param('"load the kiln"', [Clause(PHRASE, "load the kiln", MUST)], id="a phrase must be there"),
        pytest.param("“上釉 之后”", [Clause(PHRASE, "上釉 之后", MUST)], id="Chinese quotation marks"),
        pytest.param("「上釉」", [Clause(PHRASE, "上釉", MUST)], id="corner brackets"),
        pytest.param('-"a b"', [Clause(PHRASE, "a b", NOT)], id="a phrase that must not"),
        pytest.param("sched* c?t", [Clause(WILDCARD, "sched*"), Clause(WILDCARD, "c?t")], id="patterns"),
        pytest.param("what?", [Clause(WORDS, "what?")], id="a question mark behind a word is punctuation"),
        pytest.param(
            "+must -not may", [Clause(WORDS, "must", MUST), Clause(WORDS, "not", NOT), Clause(WORDS, "may")], id="signs"
        ),
        pytest.param("- alone", [Clause(WORDS, "- alone")], id="a dash alone"),
        pytest.param("title:kiln", [Clause(WORDS, "kiln", SHOULD, "title")], id="a field"),
        pytest.param("标题：窑炉", [Clause(WORDS, "窑炉", SHOULD, "title")], id="a field in Chinese"),
        pytest.param("16:30 https://x.org", [Clause(WORDS, "16:30 https://x.org")], id="colons that name no field"),
        pytest.param('unfinished "quote', [Clause(WORDS, 'unfinished "quote')], id="an open quotation"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_clauses(text: str, clauses: list[Clause]) -> None:
    assert list(parse(text).clauses) == clauses


def at(*numbers: int) -> float:
    return datetime(*numbers, tzinfo=UTC).timestamp()  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        pytest.param("kind:page", Filter(kinds=("page",)), id="a kind"),
        pytest.param("kind:memories", Filter(kinds=("episodic", "semantic", "trait", "goal")), id="all memories"),
        pytest.param("role:nora -role:bob", Filter(roles=("nora",), without_roles=("bob",)), id="roles"),
        pytest.param("标签:项目 tag:#A", Filter(tags=("项目", "a")), id="tags"),
        pytest.param("after:2026-05", Filter(after_s=at(2026, 5, 1)), id="after a month"),
        pytest.param("before:2026-05-08", Filter(before_s=at(2026, 5, 8)), id="before a day"),
        pytest.param("on:2026-12", Filter(after_s=at(2026, 12, 1), before_s=at(2027, 1, 1)), id="in a month"),
        pytest.param(
            "on:[2026-05-01..2026-05-03]", Filter(after_s=at(2026, 5, 1), before_s=at(2026, 5, 4)), id="a range"
        ),
        pytest.param(
            "date:[2026-05-01 to 2026-05-03]", Filter(after_s=at(2026, 5, 1), before_s=at(2026, 5, 4)), id="to"
        ),
        pytest.param("日期:2026年5月8日", Filter(after_s=at(2026, 5, 8), before_s=at(2026, 5, 9)), id="a Chinese day"),
        pytest.param("after:2026 after:2027", Filter(after_s=at(2027, 1, 1)), id="the narrower one counts"),
        pytest.param('file:"my notes/"', Filter(names=("my notes/",)), id="a file with a blank"),
    ],
)
def test_filters(text: str, asked: Filter) -> None:
    assert parse(text).asked == asked


@pytest.mark.parametrize(
    "text",
    [
        "kind:elephant",
        "after:someday",
        "on:2026-13-01",
        "before:2026-02-30",
        "a*b*c*d*",
        "x" * 10_001,
        "-after:2026",
        '+"a" ' * 70,
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadQueryError):
        parse(text)


def test_a_day_is_one_of_utc() -> None:
    assert span_of("2026-05-08") == (at(2026, 5, 8), at(2026, 5, 9))


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    with contextlib.suppress(BadQueryError):
        parse(text)
