"""Recall by meaning without a model: what shares the scene's telling words.

The score is evidence against chance: the BM25 sum over itself plus what one word unique to one memory is worth, so
that one rare word in common gives a half, and common words in common give little, at any number of memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memd.engine.recall.compiled import Compiled
from memd.engine.recall.dialogue import names_in, told
from memd.engine.recall.lexicon import Lexicon
from memd.text.analysis import query_tokens
from memd.text.commonness import telling
from memd.text.scripts import is_cjk
from memd.text.stopwords import CHINESE_CHARS

OLDER_MESSAGE = 0.3  # what a word counts that stands in the message before, and again for each message further back
SINGLE_CHAR = 0.25  # a single Han character says less than a word of two
SINGLE_CHAR_SHORT = 0.5  # in a message of a word or two
SHORT = 5  # terms
TURN_SCALE = 2.5  # what neighbours and the session add to the sum of a turn, about
BORDER_PAIR = 0.5  # a pair of Han of which one is grammar (的剑, 了五) mostly lies across two words
COMMON_SHARE = 0.35  # a word that more memories than this have is no evidence


def scene_terms(messages: Sequence[str], topic: str = "") -> dict[str, float]:
    """Return the telling words of a scene with their weights, the newest message first."""
    weights: dict[str, float] = {}
    share = 1.0
    for text in [*([topic] if topic else []), *reversed(messages)]:
        if share < 0.05:
            break
        for term, times in query_tokens(text).items():
            weight = share * min(times, 2) ** 0.5
            weights[term] = max(weights.get(term, 0.0), weight)
        if text != topic:
            share *= OLDER_MESSAGE
    return weights


def recall(
    lexicon: Lexicon, terms: dict[str, float], *, least: float = 0.0, always: Iterable[str] = ()
) -> dict[str, float]:
    """Return a score of 0 to 1 for the memories that share a telling word.

    Those that cannot reach `least` may be left out, except the ones in `always`.
    """
    question = _question(lexicon, terms)
    scale = lexicon.top_rarity()
    floor = scale * least / (1.0 - least)
    return {key: score / (score + scale) for key, score in lexicon.query(question, floor=floor, always=always).items()}


def recall_turns(role: Compiled, message: str, terms: dict[str, float]) -> dict[str, float]:
    """Return a score of 0 to 1 for the memories of a role that are turns of conversations, and for its others."""
    _, names = names_in(role.turns, message)
    question = _question(role.lexicon, {term: weight for term, weight in terms.items() if term not in names} or terms)
    sums = told(role.lexicon.query(question), message, question, role.lexicon, role.turns, role.memories)
    scale = role.lexicon.top_rarity() * TURN_SCALE
    return {key: score / (score + scale) for key, score in sums.items()}


def _question(lexicon: Lexicon, terms: dict[str, float]) -> dict[str, float]:
    """Return the terms that are evidence, each with its weight."""
    common = len(lexicon) * COMMON_SHARE
    question: dict[str, float] = {}
    for term, weight in terms.items():
        holders = lexicon.holders(term)
        if holders and (holders <= common or len(lexicon) < 10):
            if len(term) == 1 and is_cjk(term) and len(terms) > 1:
                question[term] = weight * (SINGLE_CHAR if len(terms) > SHORT else SINGLE_CHAR_SHORT)
            else:
                question[term] = weight * telling(term) * (BORDER_PAIR if _is_border(term) else 1.0)
    return question


def _is_border(term: str) -> bool:
    return len(term) == 2 and is_cjk(term[0]) and (term[0] in CHINESE_CHARS) != (term[1] in CHINESE_CHARS)


def reason(lexicon: Lexicon, key: str, terms: dict[str, float]) -> str:
    """Return the words that were shared, rarest first, as a sentence."""
    shared = [term for term in lexicon.terms(key) if term in terms]
    shared.sort(key=lambda term: (-lexicon.rarity(term) * terms[term] * min(len(term), 2), term))
    words = ", ".join(term for term in shared if not any(term != other and term in other for other in shared))
    return f"shares {words or ', '.join(shared)}"[:160]
