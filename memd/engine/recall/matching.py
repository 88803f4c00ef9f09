"""Does a document fit a search, and how well? The one judge, whichever index proposed it.

Phrases are compared letter by letter in folded text, at the edges of words where the script has such; patterns word by word.
An index may propose too much, never too little: `phrase_terms`, `word_terms` and `run_pieces` say what it must look up.
Everything takes time in proportion to the text. How well it fits is BM25 over all that is searched, times how much of the question
it covers; every index gives its sums for the same gains, so that their answers can be put in one order.

Units
    Scores are 0 to 1: a half is what one word unique to one document is worth.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from memd.model.search import MEMORY_KINDS, Clause, Document, Filter, Form, Need, Query
from memd.text.analysis import LONGEST, query_tokens, tokens, words
from memd.text.characters import is_cjk, is_spaced_letter, squeeze

GAP_CHARS = 20  # what a star may stand for inside a run of Chinese
YEAR_DIGITS = 4  # digits of a longer number are no part of a date
_BREAK = re.compile(r"[\W_]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search made ready. `terms`: what its words are looked up by, with their weights in the question."""

    query: Query
    terms: dict[str, float]
    whole: frozenset[str] = field(default_factory=frozenset)


class Looked:
    """A document's texts, folded and cut once, however many clauses ask for them."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts

    @cached_property
    def squeezed(self) -> list[str]:
        """The folded texts."""
        return [squeeze(text) for text in self.texts]

    @cached_property
    def tokens(self) -> set[str]:
        """The terms an index has of them."""
        return {term for text in self.texts for term in tokens(text, unigrams=True)}

    @cached_property
    def words(self) -> set[str]:
        """The words as they stand."""
        return {word[:LONGEST] for text in self.texts for word in words(text)}


def wanted_of(query: Query) -> Wanted:
    """Make a search ready. Where its words are all grammar, they are looked for as they stand."""
    terms = word_terms(query.words)
    shares = shares_of(terms)
    found: dict[str, float] = {term: min(times, 2) ** 0.5 * shares.get(term, 1.0) for term, times in terms.items()}
    for clause in query.clauses:
        if clause.need is not Need.NOT and clause.form is Form.PHRASE:
            for term in tokens(squeeze(clause.text), unigrams=False):
                found.setdefault(term, 1.0)
    return Wanted(query, found, frozenset(words(query.words)) if not found else frozenset())


def word_terms(text: str) -> Counter[str]:
    """Return what words are looked up by: of Chinese the pairs, a single character only where there are no pairs."""
    found = query_tokens(text, unigrams=False)
    if any(len(term) > 1 and is_cjk(term[0]) for term in found):
        found = Counter({term: times for term, times in found.items() if len(term) > 1 or not is_cjk(term)})
    return found


def shares_of(terms: Iterable[str]) -> dict[str, float]:
    """Return the weights of tokens that are parts of a name such as ua79b06 or SHOP-123: together they weigh as much as it does."""
    shares: dict[str, float] = {}
    for term in terms:
        parts = set(tokens(term)) - {term}
        shares |= {part: max(shares.get(part, 0.0), 1 / len(parts)) for part in parts}
    return shares


def fits(document: Document, wanted: Wanted) -> bool:
    """Tell whether a document is asked, has what must be there and nothing that must not, and any of the rest."""
    if not is_asked(document, wanted.query.asked):
        return False
    looked = {"": Looked(document.texts)}
    hit = must = optional = False
    for clause in wanted.query.clauses:
        if clause.where not in looked:
            looked[clause.where] = Looked(_field(document, clause.where))
        there = has(looked[clause.where], clause)
        if clause.need is Need.NOT:
            if there:
                return False
        elif clause.need is Need.MUST or clause.where:
            if not there:
                return False
            must = True
        else:
            optional, hit = True, hit or there
    return hit or must or not optional


def has(looked: Looked, clause: Clause) -> bool:
    """Tell whether texts have what a clause looks for."""
    if clause.form is Form.PHRASE:
        return any(next(phrase_spans(text, clause.text), None) for text in looked.squeezed)
    if clause.form is Form.WILDCARD:
        pattern = squeeze(clause.text)
        if has_cjk(pattern):
            return any(next(run_spans(text, pattern), None) for text in looked.squeezed)
        return any(glob_matches(pattern, word) for word in looked.words)
    telling = word_terms(clause.text).keys()
    asked, held = (telling, looked.tokens) if telling else (set(words(clause.text)), looked.words)
    return bool(asked) and (bool(asked & held) if clause.need is Need.SHOULD else asked <= held)


def is_asked(document: Document, asked: Filter) -> bool:
    """Tell whether a document is one of those that a search asks."""
    return (
        (not asked.roles or document.role in asked.roles)
        and (not asked.kinds or document.kind in asked.kinds)
        and (not asked.ids or any(document.id.startswith(one) for one in asked.ids))
        and (not asked.names or any(is_named(document.name, one) for one in asked.names))
        and all(has_tag(document, one) for one in asked.tags)
        and _is_within(document, asked)
        and _is_known(document, asked.as_of_s)
        and document.role not in asked.without_roles
        and document.kind not in asked.without_kinds
        and not any(has_tag(document, one) for one in asked.without_tags)
    )


def is_named(name: str, pattern: str) -> bool:
    """Tell whether a file's name is meant: by a part of it, or all of it by wildcards; case does not count."""
    if "*" in pattern or "?" in pattern:
        return glob_matches(pattern.casefold(), name.casefold())
    return pattern.casefold() in name.casefold()


def has_tag(document: Document, tag: str) -> bool:
    """Tell whether a document has a tag, or one below it."""
    return any(is_tag(one.casefold(), tag) for one in document.tags)


def is_tag(held: str, asked: str) -> bool:
    """Tell whether a tag is the one asked, or below it."""
    return held == asked or held.startswith(f"{asked}/")


def phrase_terms(text: str) -> list[str]:
    """Return terms that every document with this phrase has.

    A single Han character is a term of its own only where it stands alone, and a word at either end may be part of a
    longer one with hyphens or dots, so only its pieces count. Digits that may be a part of a date are none of its terms.
    """
    found = tokens(squeeze(text), unigrams=False)
    return [term for term in found if (len(term) > 1 if is_cjk(term[0]) else term.isalpha() or _is_number(term))]


def _is_number(term: str) -> bool:
    return term.isdigit() and len(term) > YEAR_DIGITS


def phrase_spans(squeezed: str, text: str) -> Iterator[Span]:
    """Yield where a phrase stands in squeezed text, at the edges of words where it begins or ends with a spaced letter."""
    phrase = squeeze(text)
    if not phrase:
        return
    size, at = len(phrase), squeezed.find(phrase)
    before, after = is_spaced_letter(phrase[0]), is_spaced_letter(phrase[-1])
    while at >= 0:
        inside = (before and at > 0 and is_spaced_letter(squeezed[at - 1])) or (
            after and at + size < len(squeezed) and is_spaced_letter(squeezed[at + size])
        )
        if not inside:
            yield at, at + size
        at = squeezed.find(phrase, at + 1)


def run_spans(squeezed: str, pattern: str) -> Iterator[Span]:
    """Yield where a pattern with Chinese in it stands inside a run, a star being up to GAP_CHARS characters of it."""
    reached: list[Span] | None = None  # (end, begin) of what fits so far, by rising ends
    for part in pattern.strip("*").split("*"):
        if not part:
            continue
        here: list[Span] = []
        at = -1
        for match in _part_pattern(part).finditer(squeezed):
            begin, end = match.span(1)
            if reached is None:
                here.append((end, begin))
                continue
            while at + 1 < len(reached) and reached[at + 1][0] <= begin:
                at += 1
            if at >= 0 and begin - reached[at][0] <= GAP_CHARS and not _BREAK.search(squeezed, reached[at][0], begin):
                here.append((end, reached[at][1]))
        reached = here
    yield from ((begin, end) for end, begin in reached or ())


@lru_cache(maxsize=256)
def _part_pattern(part: str) -> re.Pattern[str]:
    return re.compile("(?=(" + "".join(r"[^\W_]" if char == "?" else re.escape(char) for char in part) + "))")


def run_pieces(pattern: str) -> list[str]:
    """Return the pieces of a pattern between its wildcards."""
    return [piece for piece in re.split(r"[*?]+", squeeze(pattern)) if piece]


def has_cjk(text: str) -> bool:
    """Tell whether a text has a character that is cut into bigrams."""
    return any(is_cjk(char) for char in text)


def glob_matches(pattern: str, word: str) -> bool:
    """Tell whether a whole word fits a pattern of `*` and `?`."""
    at = place = mark = 0
    star = -1
    while at < len(word):
        if place < len(pattern) and pattern[place] == "*":
            star, mark, place = place, at, place + 1
        elif place < len(pattern) and pattern[place] in ("?", word[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            mark, place = mark + 1, star + 1
            at = mark
        else:
            return False
    return all(char == "*" for char in pattern[place:])


def _field(document: Document, where: str) -> tuple[str, ...]:
    if where == "title":
        return (document.title,)
    return document.keys if where == "key" else document.topics


def _is_known(document: Document, as_of_s: float | None) -> bool:
    """Tell whether a document was there at a time; a memory that is asked is one of then already."""
    return as_of_s is None or document.kind in MEMORY_KINDS or document.when_s is None or document.when_s <= as_of_s


def _is_within(document: Document, asked: Filter) -> bool:
    if asked.after_s is None and asked.before_s is None:
        return True
    at = document.when_s
    if at is None:
        return False
    return (asked.after_s is None or at >= asked.after_s) and (asked.before_s is None or at < asked.before_s)


# How well a document fits.

TERMS = 32  # of one question, the rarest
COMMON_SHARE = 0.35  # a term that more documents have is asked only where there is no rarer one
SINGLE_CHAR = 0.25  # a single Han character says less than a word of two
UNCOVERED = 0.5  # what is left of the score of a document that covers next to nothing of the question
K1_SPACED, K1_CJK = 0.9, 1.2


def gains_of(terms: Mapping[str, float], holders: Mapping[str, int], documents: int) -> dict[str, float]:
    """Return the most that each term may add to a score; terms that nothing has, or nearly everything, are left out."""
    known = [term for term in terms if holders.get(term)]
    telling = [term for term in known if documents < 10 or holders[term] <= documents * COMMON_SHARE] or known
    gains = {}
    for term in telling:
        rarity = math.log(1 + (documents - holders[term] + 0.5) / (holders[term] + 0.5))
        single = SINGLE_CHAR if len(term) == 1 and is_cjk(term) and len(terms) > 1 else 1.0
        gains[term] = terms[term] * single * rarity * ((K1_CJK if is_cjk(term[0]) else K1_SPACED) + 1)
    kept = sorted(gains, key=lambda term: (-gains[term], term))[:TERMS]
    return {term: gains[term] for term in kept}


def covered_terms(document: Document, gains: Mapping[str, float]) -> set[str]:
    """Return which of the terms of a question a document has."""
    return {term for text in document.texts for term in tokens(text)} & gains.keys()


def covered(gains: Mapping[str, float], held: Collection[str]) -> float:
    """Return how much of a question a document's terms cover, 0 to 1, rare terms counting more."""
    total = sum(gains.values())
    return sum(gain for term, gain in gains.items() if term in held) / total if total else 1.0


def final(score: float, gains: Mapping[str, float], held: Collection[str], documents: int) -> float:
    """Return the score of an answer, 0 to 1, from its BM25 sum."""
    scale = math.log(1 + (max(documents, 1) - 0.5) / 1.5) * (K1_SPACED + 1) / 2 or 1.0
    counted = score * (UNCOVERED + (1 - UNCOVERED) * covered(gains, held))
    return counted / (counted + scale) if counted > 0 else 0.0


def direct(gains: Mapping[str, float], weights: Mapping[str, float], average: float) -> float:
    """Return the BM25 sum of one document that no index has yet, from its own weights."""
    length = sum(weights.values())
    score = 0.0
    for term, gain in gains.items():
        times = weights.get(term)
        if times:
            k1, b = (K1_CJK, 0.75) if is_cjk(term[0]) else (K1_SPACED, 0.3)
            score += gain * times / (times + k1 * (1 - b + b * length / (average or length or 1.0)))
    return score


def best(scores: Iterable[tuple[str, float]], count: int) -> list[tuple[str, float]]:
    """Return the best of many, ties in the order of their keys."""
    return heapq.nsmallest(count, scores, key=lambda one: (-one[1], one[0]))
