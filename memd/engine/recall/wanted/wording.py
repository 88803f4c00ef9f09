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
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest

from memd.engine.recall.lexicon import K1_CJK, K1_SPACED, Lexicon
from memd.engine.recall.wanted.doing import Touches
from memd.engine.recall.wanted.evidence import Words
from memd.text.analysis import CHINESE_CHARS, query_tokens, tokens
from memd.text.characters import is_cjk
from memd.text.commonness import telling

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
TOUCHED_RARE = 6.0  # nats from which a word of a rule says all
TOUCHED_MOST = 200  # memories that have a word of a rule: what more have rules nothing
FEW_OTHERS = 10  # memories without any word of a message, that every role is taken to have beside its own
NOTHING = Words()
# Said on another day these mean another day: what they ask for is found by its time, and a memory that was told in them is not.
_DAYS = "yesterday today tonight tomorrow 昨天 今天 明天 前天 后天 昨晚 今晚 明晚 昨日 今日 明日 今早 昨 今"
DAYS_SAID = frozenset(_DAYS.split())


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of `total` texts at large a word stands, which words mean the same, and which touch which."""

    total: float = 1.0
    counts: Mapping[str, float] = field(default_factory=dict)
    same: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    touches: Touches = field(default_factory=Touches)

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
    """The words of a scene with how much each counts: those that ask, their synonyms, and those handed over; and the groups
    of rules that they touch."""

    terms: Mapping[str, float]
    synonyms: Mapping[str, float]
    handed: Mapping[str, float]
    touched: tuple[int, ...] = ()


def asked_of(
    question: str, before: Iterable[str], topic: str, handed: str, known: Frequencies, *, is_task: bool = False
) -> Asked:
    """Return the words of a scene. `before`: older messages, the newest first; `is_task`: it touches what has rules."""
    terms: dict[str, float] = {}
    share = 1.0
    for text in (*([topic] if topic else []), question, *before):
        if share < 0.05:
            break
        for term, times in query_tokens(text).items():
            if term in DAYS_SAID:
                continue
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
    said = query_tokens(question) if is_task else ()
    groups = {group for term in said for group in known.touches.groups.get(term, ())}
    return Asked(terms, synonyms, dict.fromkeys(rare[:HANDED_TERMS], 1.0), tuple(sorted(groups)))


class Sharing:
    """What words say of the memories that share any with a scene: of each when it is asked for."""

    def __init__(self, asked: Asked, lexicon: Lexicon, known: Frequencies) -> None:
        worth = {
            term: weight * known.rarity(term, lexicon)
            for terms in (asked.terms, asked.synonyms)
            for term, weight in terms.items()
        }
        self._lexicon = lexicon
        self._whole = sum(worth[term] for term in asked.terms) or 1.0
        self._held = {term: one for term, one in worth.items() if lexicon.holders(term)}
        apart = {term: _apart(lexicon.holders(term), len(lexicon)) for term in self._held}
        self._here = {term: (apart[term], one * apart[term]) for term, one in self._held.items()}
        self._whole_here = sum(one for _, one in self._here.values()) or 1.0
        handed = {term: known.rarity(term, lexicon) for term in asked.handed if lexicon.holders(term)}
        self._gains, self._handed = _gains(self._held), _gains(handed)
        self._parts, self._pasted = lexicon.parts(self._gains), lexicon.parts(self._handed)
        self._touched = _touched(asked, lexicon, known)
        self._singles = frozenset(term for term in self._held if _is_single(term))

    def best(self, count: int, heard: Collection[str] = (), most_heard: int = 0) -> list[str]:
        """Return the memories of which words say most, `count` of all, and `most_heard` of those heard."""
        many = len(heard) > most_heard
        if not self._handed and not self._touched:
            scores = self._lexicon.scores(self._gains, best=count, always=heard if many else ())
        else:
            scores = self._lexicon.scores(self._gains)
            for key, score in self._lexicon.scores(self._handed).items():
                scores[key] = scores.get(key, 0.0) + score
            for key, ruled in self._touched.items():
                scores[key] = scores.get(key, 0.0) + sum(ruled)
        best = nlargest(count, scores, key=lambda key: (scores[key], key))
        return [*best, *(nlargest(most_heard, heard, key=lambda key: (scores.get(key, 0.0), key)) if many else heard)]

    def of(self, key: str) -> Words:
        """Return what they say of one; NOTHING where it shares none."""
        parts = self._parts(key)
        pasted = self._pasted(key) if self._handed else {}
        ruled = self._touched.get(key, ())
        if not parts and not pasted and not ruled:
            return NOTHING
        total = said = most = here = said_here = most_here = 0.0
        count, held, singles, told_here = 0, self._held, self._singles, self._here
        for term, part in parts.items():
            worth = held[term]
            apart, worth_here = told_here[term]
            here += part * apart
            said_here += worth_here
            most_here = max(most_here, worth_here)
            total += part
            said += worth
            most = max(most, worth)
            if term not in singles:
                count += 1
        handed = sum(pasted.values()) if pasted else 0.0
        covered = min(1.0, said / self._whole)
        told = here, said_here / self._whole, said_here / self._whole_here, most_here
        return Words(total, covered, most, count, handed, sum(ruled), len(ruled), max(ruled, default=0.0), *told)


def _apart(holders: int, memories: int) -> float:
    """Return how much a word tells one memory of a role from the others: 1 where it alone has it, towards 0 where all do.

    A few say little of what is told apart: the same told three times, a text and the one that took its place.
    """
    return math.log((memories + FEW_OTHERS) / (holders + 0.5)) / math.log((memories + FEW_OTHERS) / 1.5)


def _touched(asked: Asked, lexicon: Lexicon, known: Frequencies) -> dict[str, list[float]]:
    """Return how much each memory says of what is touched, in nats, of every group that it speaks of."""
    found: dict[str, list[float]] = {}
    for group in asked.touched:
        said: dict[str, float] = {}
        for term in known.touches.rules[group]:
            if 0 < lexicon.holders(term) <= TOUCHED_MOST:
                rare = math.log((known.total + 1) / (known.counts.get(term, 0.0) + 1)) / TOUCHED_RARE
                for key, _ in lexicon.holding(term):
                    said[key] = max(said.get(key, 0.0), min(1.0, rare))
        few = math.log((len(lexicon) + 1) / (len(said) + 0.5)) + 0.1
        for key, rare in said.items():
            found.setdefault(key, []).append(few * rare)
    return found


def _gains(worth: Mapping[str, float]) -> dict[str, float]:
    """Return the most that each term can add, the greatest first."""
    most = {term: one * ((K1_CJK if is_cjk(term[0]) else K1_SPACED) + 1) for term, one in worth.items()}
    return dict(sorted(most.items(), key=lambda pair: (pair[1], pair[0]), reverse=True))


def shared_terms(asked: Asked, lexicon: Lexicon, known: Frequencies, key: str) -> list[str]:
    """Return the terms that a memory shares with a scene, the rarest first; at most six."""
    terms = {**asked.handed, **asked.synonyms, **asked.terms}
    shared = [term for term in lexicon.terms(key) if term in terms]
    shared.sort(key=lambda term: (-known.rarity(term, lexicon) * terms[term] * min(len(term), 2), term))
    return [term for term in shared if not any(term != other and term in other for other in shared)][:6]


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
