"""How well a document answers a search: BM25 over all that is searched, times how much of the question it covers.

Every index gives its sums for the same gains, so that their answers can be put in one order.

Units
    Scores are 0 to 1: a half is what one word unique to one document is worth.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping

from memd.model.search import Document
from memd.text.analysis import tokens
from memd.text.characters import is_cjk

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
