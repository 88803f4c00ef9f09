"""The part of a text that answers a search, with the words that were meant marked.

Units
    Lengths in characters of the text; a Chinese character is as wide as two, so such a snippet has fewer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from memd.engine.recall.matching import Wanted, glob_matches, has_cjk, phrase_spans, run_spans
from memd.model.search import Filter, Form, Need, Query
from memd.text.analysis import LONGEST, dates_in, tokens
from memd.text.characters import CJK, cjk_share, fold, squeeze

CHARS, CJK_CHARS = 200, 120
SCANNED = 100_000  # characters of one document that are looked through for the best part
SPANS = 500  # marked places among which the best part is sought
WORDS = 4096  # of which the terms are known: the same come in one text after another
MARK = "**"
_RUN = re.compile(f"([{CJK}]+)|([^\\W_{CJK}]+(?:['’._+#-]*[^\\W_{CJK}]+)*(?:\\+\\+|#)?)")
_EDGE = re.compile(r"[\s。！？；，、.!?;,]")

Span = tuple[int, int]


def snippet(text: str, wanted: Wanted, gains: dict[str, float]) -> str:
    """Return the best part of a text on one line, marked; its beginning where nothing in it was meant."""
    text = text[:SCANNED].lstrip()
    spans = marks(text, wanted)
    size = CJK_CHARS if cjk_share(text[:2000]) > 0.5 else CHARS
    begin, end = _window(text, spans, size, gains)
    shown: list[str] = ["… "] if begin > 0 else []
    at = begin
    for span in spans:
        first, last = max(span[0], at), min(span[1], end)
        if first < last:
            shown += [_plain(text[at:first]), MARK, _plain(text[first:last]), MARK]
            at = last
    shown += [_plain(text[at:end]), " …" if end < len(text.rstrip()) else ""]
    return " ".join("".join(shown).split())


def _plain(text: str) -> str:
    return text.replace(MARK, "")  # Markdown's own bold would read as a mark


def marks(text: str, wanted: Wanted) -> list[Span]:
    """Return where in a text the words, phrases and patterns of a search stand, in order, merged where they touch."""
    found: list[Span] = []
    meant = _Meant(wanted)
    for run in _RUN.finditer(text):
        if run[1]:
            found.extend(meant.in_cjk(run[1], run.start()))
        elif meant.is_meant(run[2]):
            found.append(run.span())
    lowered = text.lower()  # a date stands at the same place in it, but where a letter has no small one of its length
    dates = dates_in(lowered) if len(lowered) == len(text) else ()
    found += [one[:2] for one in dates if not wanted.terms.keys().isdisjoint(one.tokens(query=False))]
    clauses = [one for one in wanted.query.clauses if one.need is not Need.NOT]
    phrases = [one.text for one in clauses if one.form is Form.PHRASE]
    patterns = [squeeze(one.text) for one in clauses if one.form is Form.WILDCARD and has_cjk(squeeze(one.text))]
    if phrases or patterns:
        squeezed, origin = _squeezed_with_origin(text)
        spans = [span for phrase in phrases for span in phrase_spans(squeezed, phrase)]
        spans += [span for pattern in patterns for span in run_spans(squeezed, pattern)]
        found.extend((origin[first], origin[last - 1] + 1) for first, last in spans)
    return _merged(found)


def words_of(text: str, terms: Collection[str]) -> list[str]:
    """Return the words of a text that give these terms, each once and whole, as they are written; then the terms that none gives."""
    written: dict[str, str] = {}
    given: set[str] = set()
    for first, last in marks(text, Wanted(Query((), Filter()), dict.fromkeys(terms, 1.0))):
        word = text[first:last]
        written.setdefault(fold(word), word)
        given.update(tokens(word))
    whole = [word for key, word in written.items() if not any(key != other and key in other for other in written)]
    return [*whole, *(one for one in terms if one not in given)]


class _Meant:
    """Which words are meant; each is judged once."""

    def __init__(self, wanted: Wanted) -> None:
        self.terms = wanted.terms.keys() | wanted.whole
        patterns = [one for one in wanted.query.clauses if one.form is Form.WILDCARD and one.need is not Need.NOT]
        self.globs = [squeeze(one.text) for one in patterns if not has_cjk(squeeze(one.text))]
        self.single = {term for term in self.terms if len(term) == 1}
        self.known: dict[str, bool] = {}

    def is_meant(self, word: str) -> bool:
        known = self.known.get(word)
        if known is None:
            folded = fold(word)
            known = self.known[word] = (
                folded in self.terms
                or not self.terms.isdisjoint(_terms(word))
                or any(glob_matches(glob, folded[:LONGEST]) for glob in self.globs)
            )
        return known

    def in_cjk(self, run: str, start: int) -> Iterator[Span]:
        for at, pair in enumerate(pairwise(run)):
            if fold(pair[0] + pair[1]) in self.terms:
                yield start + at, start + at + 2
        if self.single:
            for at, char in enumerate(run):
                if fold(char) in self.single:
                    yield start + at, start + at + 1


@lru_cache(maxsize=WORDS)
def _terms(word: str) -> tuple[str, ...]:
    return tuple(tokens(word))


def _squeezed_with_origin(text: str) -> tuple[str, list[int]]:
    """Return the text as phrases are compared in it, and where in the text each of its characters comes from."""
    pieces: list[str] = []
    origin: list[int] = []
    blank = True
    for at, char in enumerate(text):
        folded = char.lower() if char.isascii() else fold(char)
        for one in folded:
            if one.isspace():
                if blank:
                    continue
                one, blank = " ", True  # noqa: PLW2901  every run of blanks is one
            else:
                blank = False
            pieces.append(one)
            origin.append(at)
    return "".join(pieces), origin


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _window(text: str, spans: list[Span], size: int, gains: dict[str, float]) -> Span:
    """Return the part of `size` characters with the most that was meant, from the edge of a word."""
    if not spans or len(text) <= size:
        return 0, min(len(text), size)
    best, chosen = -1.0, spans[0]
    worths: dict[str, float] = {}
    for at, (first, _) in enumerate(spans[:SPANS]):
        worth, seen = 0.0, set[str]()
        for span in spans[at : at + 40]:
            if span[1] > first + size - 20:
                break
            word = text[span[0] : span[1]]
            if word not in worths:
                worths[word] = 1.0 + max((gains.get(term, 0.0) for term in tokens(word)), default=0.0)
            worth += 0.05 if word in seen else worths[word]
            seen.add(word)
        if worth > best:
            best, chosen = worth, spans[at]
    begin = max(0, chosen[0] - size // 5)
    if begin:
        edge = _EDGE.search(text, begin, chosen[0])
        begin = edge.end() if edge else begin
    return begin, min(len(text), begin + size)
