"""Answer a search from the index on disk: it proposes, and what must be exact is judged on the documents themselves.

These functions block and run in a worker thread; they read one generation of the index and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall.lexicon import document_weights
from memd.engine.recall.matching import (
    Wanted,
    covered_terms,
    direct,
    final,
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
from memd.model.search import MEMORY_KINDS, Clause, Document, Filter, Form, Need
from memd.text.analysis import CHINESE_CHARS, tokens, words
from memd.text.characters import is_cjk, squeeze

if TYPE_CHECKING:
    from memd.storage.index import Reader

FEW = 300  # candidates that are weighed one by one, rather than by reading every posting of common terms
VERIFIED = 5000  # documents that are read to judge one search; the best are read first
PATTERN_VALUES = 2000  # words that one wildcard may stand for
READ_EVENTS = 20_000  # places of sessions' events that are read; what has commoner words only is then not counted
OF_DATES = "年月日号"
DAY_S = 86_400.0


class Answer(NamedTuple):
    """Documents with their scores, best first, and how many there are in all; `about`: by those that were read."""

    hits: list[tuple[float, Document]]
    total: int
    about: bool = False


class Scope(NamedTuple):
    """What of the index is asked: `masked` keys and all memories of `masked_roles` are known better elsewhere.

    `kinds`: only these, all where there are none. `documents`: how many there are in all; `wanted`: how many are asked for.
    """

    masked: Collection[str]
    masked_roles: Collection[str]
    kinds: Collection[str]
    documents: int
    wanted: int


def from_index(reader: Reader, wanted: Wanted, gains: dict[str, float], scope: Scope) -> Answer:
    """Return the best documents of the index."""
    with reader.turn:
        return _answer(reader, wanted, gains, scope)


def _answer(reader: Reader, wanted: Wanted, gains: dict[str, float], scope: Scope) -> Answer:
    asked = wanted.query.asked
    allowed = _allowed(reader, asked, scope.kinds)
    memories = (
        reader.having("role", scope.masked_roles) & reader.having("kind", MEMORY_KINDS) if scope.masked_roles else set()
    )
    hidden = reader.number_at(scope.masked) | memories
    needed = _needed(reader, wanted, allowed)
    few = needed is not None and len(needed) <= FEW
    read = _read_gains(reader, gains, scope) if needed is None else gains
    scores = reader.scores(read, needed if needed is not None else allowed) if gains and not few else {}
    candidates = _candidates(reader, wanted, scores, allowed) if needed is None else needed
    candidates = candidates - hidden if hidden else candidates
    exact = wanted.query.plain and asked.after_s is None and asked.before_s is None
    exact = exact and asked.as_of_s is None and not (asked.ids or asked.tags or asked.without_tags)
    if exact and not gains and len(candidates) > FEW:
        return _newest(reader, wanted, candidates, scope)
    ordered = sorted(candidates, key=lambda number: (-scores.get(number, 0.0), number))
    hits: list[tuple[float, Document]] = []
    if exact and gains:
        best = ordered[: max(scope.wanted * 2, 50)]
        hits = []
        for found in reader.read(best):
            score = scores.get(found.number, 0.0)
            if read is not gains:
                score = direct(gains, document_weights(found.document, unigrams=False), reader.average)
            hits.append((_score(score, found.document, wanted, gains, scope.documents), found.document))
        hits.sort(key=lambda one: (-one[0], one[1].key))
        return Answer(hits[: scope.wanted], len(ordered))
    for found in reader.read(ordered[:VERIFIED]):
        if fits(found.document, wanted):
            score = scores.get(found.number, 0.0)
            if few and gains:
                score = direct(gains, document_weights(found.document, unigrams=False), reader.average)
            hits.append((_score(score, found.document, wanted, gains, scope.documents), found.document))
    hits.sort(key=lambda one: (-one[0], -(one[1].when_s or 0.0), one[1].key))
    return Answer(hits[: scope.wanted], len(hits))


def _newest(reader: Reader, wanted: Wanted, candidates: AbstractSet[int], scope: Scope) -> Answer:
    """Return the newest that fit a search without words to rank by, which are the best: no more are read than are wanted."""
    score, hits, read = rank_without_words(wanted), list[tuple[float, Document]](), 0
    for found in reader.read(islice(filter(candidates.__contains__, reader.newest()), VERIFIED)):
        read += 1
        if fits(found.document, wanted):
            hits.append((score, found.document))
            if len(hits) == scope.wanted:
                break
    if _spoken(wanted.query.words) or read == len(candidates):
        return Answer(hits, len(candidates) if read < len(candidates) else len(hits))
    return Answer(hits, round(len(hits) / read * len(candidates)), about=True)


def _read_gains(reader: Reader, gains: dict[str, float], scope: Scope) -> dict[str, float]:
    """Return the terms whose postings are read: of sessions, which have many events, the rarest, up to READ_EVENTS."""
    if tuple(scope.kinds) != ("session",) or not gains:
        return gains
    holders = reader.holders(gains)
    if sum(holders.values()) <= READ_EVENTS:
        return gains
    kept: dict[str, float] = {}
    read = 0
    for term in sorted(gains, key=lambda one: holders[one]):
        read += holders[term]
        if kept and read > READ_EVENTS:
            break
        kept[term] = gains[term]
    return kept


def _score(score: float, document: Document, wanted: Wanted, gains: dict[str, float], documents: int) -> float:
    return final(score, gains, covered_terms(document, gains), documents) if gains else rank_without_words(wanted)


def rank_without_words(wanted: Wanted) -> float:
    """Return the score of what fits a search that has no words to rank by."""
    return 1.0 if wanted.query.clauses else 0.0


def _allowed(reader: Reader, asked: Filter, only_kinds: Collection[str]) -> AbstractSet[int] | None:
    """Return the numbers of the documents that a filter asks; None where it asks all."""
    sets: list[AbstractSet[int]] = []
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
    found: AbstractSet[int] | None = None
    for one in sets:
        found = one if found is None else found & one
    without = reader.having("role", asked.without_roles) | reader.having("kind", asked.without_kinds)
    if without:
        found = (reader.everything if found is None else found) - without
    return found


def _needed(reader: Reader, wanted: Wanted, allowed: AbstractSet[int] | None) -> AbstractSet[int] | None:
    """Return the documents that may have what must be there; None where nothing must."""
    found: AbstractSet[int] | None = None
    for clause in wanted.query.clauses:
        if clause.need is Need.MUST or (clause.where and clause.need is not Need.NOT):
            here = _having(reader, clause)
            found = here if found is None else found & here
    return found if found is None or allowed is None else found & allowed


def _candidates(
    reader: Reader, wanted: Wanted, scores: dict[int, float], allowed: AbstractSet[int] | None
) -> AbstractSet[int]:
    """Return every document that may have any of what may be there; all that are asked where nothing is looked for."""
    optional = [one for one in wanted.query.clauses if one.need is Need.SHOULD and not one.where]
    if not optional:
        return reader.everything if allowed is None else allowed
    found: AbstractSet[int] = scores.keys()
    for clause in optional:
        if clause.form is not Form.WORDS or not wanted.terms:
            found = _either(found, _having(reader, clause))
        elif all(len(term) == 1 for term in wanted.terms):
            for term in wanted.terms:
                found = _either(found, _having_char(reader, term))
    return found if allowed is None else found & allowed


def _either(one: AbstractSet[int], other: AbstractSet[int]) -> AbstractSet[int]:
    """Return what either has; most have one alone, which is not copied."""
    return one | other if one and other else one or other


def _having(reader: Reader, clause: Clause) -> AbstractSet[int]:
    if clause.form is Form.WILDCARD:
        return _having_pattern(reader, clause.text)
    if clause.form is Form.PHRASE:
        terms = phrase_terms(clause.text)
        return reader.having_all(terms) if terms else _having_char(reader, clause.text.strip())
    asked = word_terms(clause.text)
    if not asked and (spoken := _spoken(clause.text)):
        found = [reader.having("words", (word,)) | reader.having("terms", (word,)) for word in spoken]
        return set.intersection(*found) if clause.need is Need.MUST else set().union(*found)
    pairs = [term for term in asked if len(term) > 1 or not is_cjk(term)]
    if not pairs:
        return _having_char(reader, clause.text.strip())
    return reader.having_all(pairs) if clause.need is Need.MUST else reader.having("terms", pairs)


def _spoken(text: str) -> list[str]:
    """Return the words of a text, all of them grammar, by which its documents are found; none where one is of no spaced script."""
    found = words(text)
    return [] if any(is_cjk(word[0]) for word in found) else found


def _having_char(reader: Reader, char: str) -> AbstractSet[int]:
    """Return the documents that may have one character: those with a pair it is in. Grammar and units of dates are in none: all may."""
    if len(char) != 1 or not is_cjk(char) or char in CHINESE_CHARS or char in OF_DATES:
        return reader.everything
    return reader.having("terms", reader.values("terms", "", lambda value: char in value and len(value) <= 2))


def _having_pattern(reader: Reader, pattern: str) -> AbstractSet[int]:
    """Return the documents that may have a word of this pattern."""
    if has_cjk(squeeze(pattern)):
        cut = [term for piece in run_pieces(pattern) for term in tokens(piece, unigrams=False)]
        pieces = [term for term in cut if len(term) > 1 and is_cjk(term[0])]
        return reader.having_all(pieces) if pieces else reader.everything
    folded = squeeze(pattern)
    prefix = folded[: min((folded.find(one) for one in "*?" if one in folded), default=len(folded))]
    found: set[int] = set()
    for field in ("terms", "words"):
        values = reader.values(field, prefix, lambda value: glob_matches(folded, value))
        if len(values) > PATTERN_VALUES:
            return reader.everything  # asking for each would cost more than looking at all
        found |= reader.having(field, values)
    return found
