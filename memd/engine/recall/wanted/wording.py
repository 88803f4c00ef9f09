"""What the words of a message say of each memory: BM25 by how rare a word is in what people write, not in the role alone.

In a role of ten memories every word is rare. So a word's rarity is that of memd's own texts and the role's together, the
role's counting more; an everyday word is not telling in a small role, and a project's daily word is not in a large one.
What a message hands over (a log, a mail) speaks only by words that nearly nobody writes: names and identifiers.

Units
    Rarity and gains are in nats.
Source
    Pooled document frequencies, a Dirichlet prior (Zhai and Lafferty 2004) in place of idf within a small collection.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memd.engine.recall.lexicon import K1_CJK, K1_SPACED, Lexicon
from memd.engine.recall.wanted.evidence import Words
from memd.text.analysis import query_tokens, tokens
from memd.text.commonness import telling
from memd.text.scripts import is_cjk
from memd.text.stopwords import CHINESE_CHARS

ROLE_COUNTS = 4.0  # how many texts at large a memory of the role counts as
SINGLE_CHAR = 0.25  # a single Han character says less than a word of two
BORDER_PAIR = 0.5  # a pair of Han of which one is grammar (的剑, 了五) mostly lies across two words
ACROSS_WORDS = 0.3  # a pair that lies across two words
SHORT, SHORT_CHAR = 6, 2.0  # terms of a short message, in which a single character says more
OLDER_MESSAGE = 0.3  # what a word counts that stands in the message before, and again for each further back
SAME_MEANING = 0.4  # what a word counts that means the same as one of the message
FURTHER_WORD = 0.4  # what a further word of a key adds
FEW, MANY = 2.0, 60.0  # texts at large that have a word: from FEW on a key tells less, from MANY on nothing by itself
HANDED_MOST = 2  # texts at large, of which a word that is handed over may have
HANDED_CHARS = 4000
HANDED_TERMS = 60
SYNONYMS = 8  # of a group, and of a word
NOTHING = Words()


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of `total` texts at large a word stands, and which words mean the same."""

    total: float = 1.0
    counts: Mapping[str, float] = field(default_factory=dict)
    same: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def telling(self, text: str) -> float:
        """Return how much a key tells, 0 to 1: a word that few people write tells all, several words more than one."""
        found = sorted(map(self._telling, dict.fromkeys(tokens(text, unigrams=len(text) == 1))), reverse=True)
        return min(1.0, found[0] + FURTHER_WORD * (len(found) - 1)) if found else 0.0

    def _telling(self, term: str) -> float:
        count = self.counts.get(term, 0.0)
        return 1.0 if count <= FEW else max(0.0, 1.0 - math.log(count / FEW) / math.log(MANY / FEW))

    def rarity(self, term: str, lexicon: Lexicon) -> float:
        """Return how rare a word is in the texts at large and a role's together."""
        held = self.counts.get(term, 0.0) + ROLE_COUNTS * lexicon.holders(term)
        return math.log((self.total + ROLE_COUNTS * len(lexicon) + 1) / (held + 1))


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a scene with how much each counts: those that ask, their synonyms, and those handed over."""

    terms: Mapping[str, float]
    synonyms: Mapping[str, float]
    handed: Mapping[str, float]


def asked_of(question: str, before: Iterable[str], topic: str, handed: str, known: Frequencies) -> Asked:
    """Return the words of a scene. `before`: older messages, the newest first."""
    terms: dict[str, float] = {}
    share = 1.0
    for text in (*([topic] if topic else []), question, *before):
        if share < 0.05:
            break
        for term, times in query_tokens(text).items():
            terms[term] = max(terms.get(term, 0.0), share * min(times, 2) ** 0.5 * _weight(term))
        if text != topic:
            share *= OLDER_MESSAGE
    for term in _across(terms, known):
        terms[term] *= ACROSS_WORDS
    if len(terms) <= SHORT:
        terms = {term: weight * SHORT_CHAR if _is_single(term) else weight for term, weight in terms.items()}
    synonyms: dict[str, float] = {}
    for term, weight in terms.items():
        for other in known.same.get(term, ()):
            if other not in terms:
                synonyms[other] = max(synonyms.get(other, 0.0), SAME_MEANING * weight)
    rest = query_tokens(handed[-HANDED_CHARS:]) if handed else {}
    rare = [one for one in rest if one not in terms and len(one) > 1 and known.counts.get(one, 0.0) <= HANDED_MOST]
    return Asked(terms, synonyms, dict.fromkeys(rare[:HANDED_TERMS], 1.0))


def words_of(asked: Asked, lexicon: Lexicon, known: Frequencies) -> dict[str, Words]:
    """Return what words say of every memory that shares any."""
    worth = {
        term: weight * known.rarity(term, lexicon)
        for terms in (asked.terms, asked.synonyms)
        for term, weight in terms.items()
    }
    whole = sum(worth[term] for term in asked.terms) or 1.0
    held = {term: one for term, one in worth.items() if lexicon.holders(term)}
    totals = lexicon.scores({term: one * _most(term) for term, one in held.items()})
    handed = {term: known.rarity(term, lexicon) for term in asked.handed if lexicon.holders(term)}
    pasted = lexicon.scores({term: one * _most(term) for term, one in handed.items()}) if handed else {}
    found: dict[str, Words] = {}
    for key in totals.keys() | pasted.keys():
        shared = [term for term in lexicon.terms(key) if term in held]
        covered = min(1.0, sum(held[term] for term in shared) / whole)
        most = max((held[term] for term in shared), default=0.0)
        count = sum(not _is_single(term) for term in shared)
        found[key] = Words(totals.get(key, 0.0), covered, most, count, pasted.get(key, 0.0))
    return found


def shared_words(asked: Asked, lexicon: Lexicon, known: Frequencies, key: str) -> str:
    """Return the words that a memory shares with a scene, the rarest first."""
    terms = {**asked.handed, **asked.synonyms, **asked.terms}
    shared = [term for term in lexicon.terms(key) if term in terms]
    shared.sort(key=lambda term: (-known.rarity(term, lexicon) * terms[term] * min(len(term), 2), term))
    return ", ".join([term for term in shared if not any(term != other and term in other for other in shared)][:6])


def _across(terms: Mapping[str, float], known: Frequencies) -> list[str]:
    """Return the pairs of Han that nobody writes and that share a character with a pair people do: two words meet in them."""
    pairs = [term for term in terms if len(term) == 2 and is_cjk(term[0])]
    written = {char for pair in pairs if known.counts.get(pair, 0.0) for char in pair}
    return [pair for pair in pairs if not known.counts.get(pair, 0.0) and written & {*pair}]


def _weight(term: str) -> float:
    border = len(term) == 2 and is_cjk(term[0]) and (term[0] in CHINESE_CHARS) != (term[1] in CHINESE_CHARS)
    return telling(term) * (SINGLE_CHAR if _is_single(term) else BORDER_PAIR if border else 1.0)


def _is_single(term: str) -> bool:
    return len(term) == 1 and is_cjk(term)


def _most(term: str) -> float:
    return (K1_CJK if is_cjk(term[0]) else K1_SPACED) + 1


def synonyms_of(phrases: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return which tokens mean the same as each token, from a thesaurus: groups by phrase, `=` before a group's number."""
    groups: dict[str, list[str]] = {}
    for phrase, found in phrases.items():
        parts = phrase.split(" ")
        if len(parts) == 1 or (len(parts) == 2 and all(map(_is_single, parts))):
            for group in found.split(" "):
                if group[0] == "=":
                    groups.setdefault(group, []).append("".join(parts))
    same: dict[str, dict[str, None]] = {}
    for alike in groups.values():
        if 1 < len(alike) <= SYNONYMS:
            for token in alike:
                same.setdefault(token, {}).update(dict.fromkeys(one for one in alike if one != token))
    # What several words have is held once, as is each word.
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    words = {token: token for token in same}
    rows = {token: tuple(words.get(one, one) for one in others)[:SYNONYMS] for token, others in same.items()}
    return {token: known.setdefault(row, row) for token, row in rows.items()}
