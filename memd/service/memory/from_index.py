"""Answer a search from the index on disk: it proposes, and what must be exact is judged on the documents themselves.

These functions block and run in a worker thread; they read one generation of the index and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from memd.engine.recall.finding import covered_terms, final
from memd.engine.recall.matching import (
    Wanted,
    fits,
    glob_matches,
    has_cjk,
    is_named,
    is_tag,
    phrase_terms,
    run_pieces,
    word_terms,
)
from memd.formats.times import FIRST_S, LAST_S, to_day
from memd.model.document import Document
from memd.model.query import Clause, Filter, Form, Need
from memd.storage.index import Reader
from memd.text.analysis import tokens
from memd.text.fold import squeeze
from memd.text.scripts import is_cjk
from memd.text.stopwords import CHINESE_CHARS

VERIFIED = 5000  # documents that are read to judge one search; the best are read first
PATTERN_VALUES = 2000  # words that one wildcard may stand for
DAY_S = 86_400.0


class Answer(NamedTuple):
    """Documents with their scores, best first, and how many there are in all."""

    hits: list[tuple[float, Document]]
    total: int


def from_index(
    reader: Reader,
    wanted: Wanted,
    gains: dict[str, float],
    *,
    masked: Collection[str],
    masked_roles: Collection[str],
    only_kinds: Collection[str],
    documents: int,
    count: int,
) -> Answer:
    """Return the best `count` documents of the index. `masked` keys and all of `masked_roles` are known better."""
    with reader.turn:
        return _answer(reader, wanted, gains, masked, masked_roles, only_kinds, documents, count)


def _answer(
    reader: Reader,
    wanted: Wanted,
    gains: dict[str, float],
    masked: Collection[str],
    masked_roles: Collection[str],
    only_kinds: Collection[str],
    documents: int,
    count: int,
) -> Answer:
    asked = wanted.query.asked
    allowed = _allowed(reader, asked, only_kinds)
    hidden = reader.number_at(masked) | reader.having("role", masked_roles)
    scores = reader.scores(gains, allowed) if gains else {}
    candidates = _candidates(reader, wanted, scores, allowed)
    candidates -= hidden
    ordered = sorted(candidates, key=lambda number: (-scores.get(number, 0.0), number))
    exact = wanted.query.plain and asked.after_s is None and asked.before_s is None and bool(gains)
    exact = exact and not (asked.ids or asked.tags or asked.without_tags)
    hits: list[tuple[float, Document]] = []
    if exact:
        best = ordered[: max(count * 2, 50)]
        hits = [
            (_score(scores.get(found.number, 0.0), found.document, wanted, gains, documents), found.document)
            for found in reader.read(best)
        ]
        hits.sort(key=lambda one: (-one[0], one[1].key))
        return Answer(hits[:count], len(ordered))
    hits.extend(
        (_score(scores.get(found.number, 0.0), found.document, wanted, gains, documents), found.document)
        for found in reader.read(ordered[:VERIFIED])
        if fits(found.document, wanted)
    )
    hits.sort(key=lambda one: (-one[0], -(one[1].when_s or 0.0), one[1].key))
    return Answer(hits[:count], len(hits))


def _score(score: float, document: Document, wanted: Wanted, gains: dict[str, float], documents: int) -> float:
    return final(score, gains, covered_terms(document, gains), documents) if gains else rank_without_words(wanted)


def rank_without_words(wanted: Wanted) -> float:
    """Return the score of what fits a search that has no words to rank by."""
    return 1.0 if wanted.query.clauses else 0.0


def _allowed(reader: Reader, asked: Filter, only_kinds: Collection[str]) -> set[int] | None:
    """Return the numbers of the documents that a filter asks; None where it asks all."""
    sets: list[set[int]] = []
    if asked.roles:
        sets.append(reader.having("role", asked.roles))
    if asked.kinds or only_kinds:
        kinds = set(asked.kinds or only_kinds) & set(only_kinds or asked.kinds)
        sets.append(reader.having("kind", kinds))
    if asked.names:
        names = reader.values("name", "", lambda name: any(is_named(name, one) for one in asked.names))
        sets.append(reader.having("name", names))
    if asked.tags:
        tags = reader.values("tag", "", lambda tag: any(is_tag(tag, one) for one in asked.tags))
        sets.append(reader.having("tag", tags))
    if asked.after_s is not None or asked.before_s is not None:
        first = to_day(max(asked.after_s, FIRST_S)) if asked.after_s is not None else ""
        last = to_day(min(asked.before_s + DAY_S, LAST_S)) if asked.before_s is not None else "9999-99-99"
        sets.append(reader.having("day", reader.days(first, last)))
    found: set[int] | None = None
    for one in sets:
        found = one if found is None else found & one
    without = reader.having("role", asked.without_roles) | reader.having("kind", asked.without_kinds)
    if without:
        found = (set(reader.everything()) if found is None else found) - without
    return found


def _candidates(reader: Reader, wanted: Wanted, scores: dict[int, float], allowed: set[int] | None) -> set[int]:
    """Return every document that may fit: what must be there narrows, what may be there widens."""
    found: set[int] | None = allowed
    either: set[int] = set(scores)
    optional = False
    for clause in wanted.query.clauses:
        if clause.need is Need.NOT:
            continue
        if clause.need is Need.MUST or clause.where:
            here = _having(reader, clause)
            found = here if found is None else found & here
        else:
            optional = True
            if clause.form is not Form.WORDS or not wanted.terms:
                either |= _having(reader, clause)
            elif all(len(term) == 1 for term in wanted.terms):
                for term in wanted.terms:
                    either |= _having_char(reader, term)
    must = any(one.need is Need.MUST or one.where for one in wanted.query.clauses)
    if optional and not must:
        return either if found is None else either & found
    return set(reader.everything()) if found is None else set(found)


def _having(reader: Reader, clause: Clause) -> set[int]:
    if clause.form is Form.WILDCARD:
        return _having_pattern(reader, clause.text)
    if clause.form is Form.PHRASE:
        terms = phrase_terms(clause.text)
        return reader.having_all(terms) if terms else _having_char(reader, clause.text.strip())
    asked = word_terms(clause.text)
    pairs = [term for term in asked if len(term) > 1 or not is_cjk(term)]
    if not pairs:
        return _having_char(reader, clause.text.strip())
    return reader.having_all(pairs) if clause.need is Need.MUST else reader.having("terms", pairs)


def _having_char(reader: Reader, char: str) -> set[int]:
    """Return the documents that may have one character: those with a pair it is in. Grammar is in no pair: all may."""
    if len(char) != 1 or not is_cjk(char) or char in CHINESE_CHARS:
        return set(reader.everything())
    return reader.having("terms", reader.values("terms", "", lambda value: char in value and len(value) <= 2))


def _having_pattern(reader: Reader, pattern: str) -> set[int]:
    """Return the documents that may have a word of this pattern."""
    if has_cjk(squeeze(pattern)):
        cut = [term for piece in run_pieces(pattern) for term in tokens(piece, unigrams=False)]
        pieces = [term for term in cut if len(term) > 1 and is_cjk(term[0])]
        return reader.having_all(pieces) if pieces else set(reader.everything())
    folded = squeeze(pattern)
    prefix = folded[: min((folded.find(one) for one in "*?" if one in folded), default=len(folded))]
    found: set[int] = set()
    for field in ("terms", "words"):
        values = reader.values(field, prefix, lambda value: glob_matches(folded, value))
        if len(values) > PATTERN_VALUES:
            return set(reader.everything())  # asking for each would cost more than looking at all
        found |= reader.having(field, values)
    return found
