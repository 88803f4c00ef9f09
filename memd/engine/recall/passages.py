"""Pages that come to mind by what they say: which may, by which words, and the passage of each that fits best.

A page of a role is that role's alone; one without comes for every role. What a role's own settings say can only narrow what the
workspace's say. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memd.engine.recall.snippets import words_of
from memd.model.lore import Activation, Entry
from memd.model.scene import BookFound
from memd.text.analysis import query_tokens, tokens
from memd.text.commonness import telling

if TYPE_CHECKING:
    from memd.engine.recall.lexicon import Lexicon
    from memd.model.search import Document

KEYS, ALL = "keys", "all"
LEAST = 0.5  # a page has many words: what one rare word says that no other page has
OLDER_MESSAGE = 0.3  # what a word counts that stands in the message before, and again for each further back
COMMON_SHARE = 0.35  # a word that more pages than this have is no evidence
FEW = 10  # pages, among which none is common
_PIECE = re.compile(r"\n\s*\n|\n(?=#{1,6} )")
_EDGE = re.compile(r"[\n。！？]|[.!?;](?=\s)")


def narrowed(workspace: str, role: str) -> str:
    """Return which pages come by what they say where a workspace and a role say each its own: never more than either wants."""
    wide, own = _folder(workspace), _folder(role)
    if KEYS in (wide, own) or wide == own:
        return KEYS if KEYS in (wide, own) else wide
    if wide == ALL or own.startswith(f"{wide}/"):
        return own
    return wide if own == ALL or wide.startswith(f"{own}/") else KEYS


def _folder(said: str) -> str:
    return said.strip().strip("/") or KEYS


def is_of(where: str, page: Document, as_of_s: float | None) -> bool:
    """Tell whether a document is a page that comes by what it says; one with a role and keys comes by these."""
    if page.kind != "page" or not (where == ALL or page.name.startswith(f"{where}/")) or (page.keys and page.role):
        return False
    return as_of_s is None or page.when_s is None or page.when_s <= as_of_s


def question_of(messages: Sequence[str], lexicon: Lexicon) -> dict[str, float]:
    """Return the telling words of messages, oldest first, with their weights, as far as the texts have them."""
    common, weights, share = len(lexicon) * COMMON_SHARE, dict[str, float](), 1.0
    for text in reversed(messages):
        for term in query_tokens(text, unigrams=False):
            holders = lexicon.holders(term)
            if holders and (holders <= common or len(lexicon) < FEW):
                weights[term] = max(weights.get(term, 0.0), share * telling(term))
        share *= OLDER_MESSAGE
    return weights


def passage_of(
    role: str, page: Document, text: str, question: Mapping[str, float], lexicon: Lexicon, chars: int
) -> BookFound | None:
    """Return what comes of a page: its best passage of at most so many characters, cited by its path; None where it says too little."""
    gains = {term: weight * lexicon.rarity(term) for term, weight in question.items()}
    passage, terms = _best_passage(page, text, gains, chars)
    score = sum(gains[term] for term in terms)
    score /= score + lexicon.top_rarity()
    if not passage or score < LEAST:
        return None
    return BookFound(role, _activation(page, passage, terms), _cited(page, passage), score=min(score, 0.99))


def _best_passage(page: Document, text: str, gains: Mapping[str, float], chars: int) -> tuple[str, list[str]]:
    """Return the passage with the most that was asked, and what that is; what title and tags say counts for each."""
    beside = {
        term for said in (page.title, *page.tags, *page.keys) for term in tokens(said, unigrams=False)
    } & gains.keys()
    best, chosen, terms = -1.0, "", set[str]()
    for passage in _passages(text, chars):
        inside = gains.keys() & set(tokens(passage, unigrams=False))
        gain = sum(gains[term] for term in inside)
        if gain > best:
            best, chosen, terms = gain, passage, inside
    found = terms | beside
    return chosen, sorted(found, key=lambda term: (-gains[term], term))


def _passages(text: str, chars: int) -> Iterator[str]:
    """Yield a text in passages of at most so many characters, cut between paragraphs, else between sentences."""
    held = ""
    for piece in filter(None, map(str.strip, _PIECE.split(text))):
        if held and len(held) + len(piece) + 1 > chars:
            yield held
            held = ""
        rest = f"{held}\n{piece}" if held else piece
        while len(rest) > chars:
            edges = [one.end() for one in _EDGE.finditer(rest, chars // 3, chars)]
            at = edges[-1] if edges else chars
            yield rest[:at].strip()
            rest = rest[at:].strip()
        held = rest
    if held:
        yield held


def _cited(page: Document, passage: str) -> str:
    return f"{passage}\n({' '.join(page.name.split())})"


def _activation(page: Document, passage: str, terms: Sequence[str]) -> Activation:
    text = _cited(page, passage)
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    entry = Entry(f"page:{page.name}", (), (), text, page.title, "", digest=digest)
    return Activation(entry, f"shares {', '.join(words_of(text, terms))}"[:160], 1, len(text))
