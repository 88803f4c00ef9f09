"""Does a document fit a search, and which of its words are meant? The one judge, whichever index proposed it.

Phrases are compared letter by letter in folded text, at the edges of words where the script has such; wildcards word by
word. An index may propose too much, never too little: what it needs to look up is in `terms_of`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from memd.engine.recall.fields import texts_of
from memd.model.document import Document
from memd.model.query import Clause, Filter, Form, Need, Query
from memd.text.analysis import query_tokens, tokens, words
from memd.text.fold import squeeze
from memd.text.scripts import CJK, is_cjk, is_spaced_letter

GAP_CHARS = 20  # what a star may stand for inside a run of Chinese


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search made ready. `terms`: what its words are looked up by, with their weights in the question."""

    query: Query
    terms: dict[str, float]
    whole: frozenset[str] = field(default_factory=frozenset)


def wanted_of(query: Query) -> Wanted:
    """Make a search ready. Where its words are all grammar, they are looked for as they stand."""
    found: dict[str, float] = {}
    for term, times in _asked_terms(query.words).items():
        found[term] = min(times, 2) ** 0.5
    for clause in query.clauses:
        if clause.need is not Need.NOT and clause.form is Form.PHRASE:
            for term in tokens(clause.text, unigrams=False):
                found.setdefault(term, 1.0)
    return Wanted(query, found, frozenset(words(query.words)) if not found else frozenset())


def fits(document: Document, wanted: Wanted) -> bool:
    """Tell whether a document is asked, has what must be there and nothing that must not, and any of the rest."""
    if not is_asked(document, wanted.query.asked):
        return False
    hit = must = False
    for clause in wanted.query.clauses:
        there = has(document, clause)
        if clause.need is Need.NOT:
            if there:
                return False
        elif clause.need is Need.MUST or clause.where:
            if not there:
                return False
            must = True
        else:
            hit = hit or there
    optional = any(one.need is Need.SHOULD and not one.where for one in wanted.query.clauses)
    return hit or must or not optional


def has(document: Document, clause: Clause) -> bool:
    """Tell whether a document has what a clause looks for, in the field it names."""
    fields = _fields(document, clause.where)
    if clause.form is Form.PHRASE:
        pattern = phrase_pattern(clause.text)
        return any(pattern.search(squeeze(text)) for text in fields)
    if clause.form is Form.WILDCARD:
        return any(_has_wildcard(text, clause.text) for text in fields)
    telling = set(_asked_terms(clause.text))
    asked = telling or set(words(clause.text))
    held = {term for text in fields for term in (tokens(text) if telling else words(text))}
    return bool(asked) and (asked <= held if clause.need is Need.MUST else bool(asked & held))


def _asked_terms(text: str) -> Counter[str]:
    """Return what words are looked up by: of Chinese the pairs of characters, a single one only where it stands alone."""
    return query_tokens(text, unigrams=False)


def is_asked(document: Document, asked: Filter) -> bool:
    """Tell whether a document is one of those that a search asks."""
    return (
        (not asked.roles or document.role in asked.roles)
        and (not asked.kinds or document.kind in asked.kinds)
        and (not asked.ids or any(document.id == one or document.id.startswith(one) for one in asked.ids))
        and (not asked.names or any(is_named(document.name, one) for one in asked.names))
        and (not asked.tags or _has_tags(document, asked.tags))
        and _is_within(document, asked)
        and document.role not in asked.without_roles
        and document.kind not in asked.without_kinds
        and not (asked.without_tags and any(tag.casefold() in asked.without_tags for tag in document.tags))
    )


def is_named(name: str, pattern: str) -> bool:
    """Tell whether a file's name is meant: all of it, its beginning up to a slash, a part, or by wildcards."""
    if "*" in pattern or "?" in pattern:
        return glob_matches(pattern, name)
    return pattern.casefold() in name.casefold()


def phrase_terms(text: str) -> list[str]:
    """Return terms that every document with this phrase has, as the index of words and bigrams knows them.

    A single Han character is a term of its own only where it stands alone, and a word at either end may be part of a
    longer one with hyphens or dots, so only its pieces count.
    """
    found = tokens(text, unigrams=False)
    return [term for term in found if (len(term) > 1 and is_cjk(term[0])) or (not is_cjk(term[0]) and term.isalnum())]


@lru_cache(maxsize=256)
def phrase_pattern(text: str) -> re.Pattern[str]:
    """Return what finds a phrase in squeezed text."""
    phrase = squeeze(text)
    before = f"(?<![^\\W_{CJK}])" if phrase and is_spaced_letter(phrase[0]) else ""
    after = f"(?![^\\W_{CJK}])" if phrase and is_spaced_letter(phrase[-1]) else ""
    return re.compile(f"{before}{re.escape(phrase)}{after}")


@lru_cache(maxsize=256)
def run_pattern(pattern: str) -> re.Pattern[str]:
    """Return what finds a pattern with Chinese in it: inside one run of letters, a star standing for a few."""
    inner = f"[^\\W_]{{0,{GAP_CHARS}}}?"
    parts = [
        inner if one == "*" else "[^\\W_]" if one == "?" else re.escape(one) for one in squeeze(pattern.strip("*"))
    ]
    return re.compile("".join(parts))


def run_pieces(pattern: str) -> list[str]:
    """Return the pieces of a pattern between its wildcards."""
    return [piece for piece in re.split(r"[*?]+", squeeze(pattern)) if piece]


def has_cjk(text: str) -> bool:
    """Tell whether a text has a character that is cut into bigrams."""
    return any(is_cjk(char) for char in text)


def glob_matches(pattern: str, word: str) -> bool:
    """Tell whether a whole word fits a pattern of `*` and `?`, in time proportional to both lengths."""
    at = star = mark = 0
    star = -1
    place = 0
    while at < len(word):
        if place < len(pattern) and (pattern[place] == "?" or pattern[place] == word[at]) and pattern[place] != "*":
            at, place = at + 1, place + 1
        elif place < len(pattern) and pattern[place] == "*":
            star, mark, place = place, at, place + 1
        elif star >= 0:
            mark, place = mark + 1, star + 1
            at = mark
        else:
            return False
    return all(char == "*" for char in pattern[place:])


def _has_wildcard(text: str, pattern: str) -> bool:
    if has_cjk(pattern):
        return run_pattern(pattern).search(squeeze(text)) is not None
    folded = squeeze(pattern)
    return any(glob_matches(folded, word) for word in set(words(text)))


def _fields(document: Document, where: str) -> Iterable[str]:
    if where == "title":
        return (document.title,)
    if where == "key":
        return document.keys
    if where == "topic":
        return document.topics
    return texts_of(document)


def _has_tags(document: Document, tags: tuple[str, ...]) -> bool:
    held = [tag.casefold() for tag in document.tags]
    return all(any(tag == one or one.startswith(f"{tag}/") for one in held) for tag in tags)


def _is_within(document: Document, asked: Filter) -> bool:
    if asked.after_s is None and asked.before_s is None:
        return True
    at = document.when_s
    if at is None:
        return False
    return (asked.after_s is None or at >= asked.after_s) and (asked.before_s is None or at < asked.before_s)
