"""The part of a text that answers a search, with the words that were meant marked.

Units
    Lengths in characters of the text; a Chinese character is as wide as two, so such a snippet has fewer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise

from memd.engine.recall.matching import Wanted, glob_matches, has_cjk, run_pattern
from memd.model.query import Form, Need
from memd.text.analysis import tokens
from memd.text.fold import fold, squeeze
from memd.text.scripts import CJK, cjk_share

CHARS, CJK_CHARS = 200, 120
SCANNED = 400_000  # characters of one document that are looked through for the best part
MARK = "**"
_RUN = re.compile(f"([{CJK}]+)|([^\\W_{CJK}]+(?:['’._+#-]*[^\\W_{CJK}]+)*)")
_EDGE = re.compile(r"[\s。！？；，、.!?;,]")

Span = tuple[int, int]


def snippet(text: str, wanted: Wanted, gains: dict[str, float]) -> str:
    """Return the best part of a text on one line, marked; its beginning where nothing in it was meant."""
    text = text[:SCANNED]
    spans = marks(text, wanted)
    size = CJK_CHARS if cjk_share(text[:2000]) > 0.5 else CHARS
    begin, end = _window(text, spans, size, gains)
    shown: list[str] = ["… "] if begin > 0 else []
    at = begin
    for first, last in spans:
        if first >= begin and last <= end:
            shown += [text[at:first], MARK, text[first:last], MARK]
            at = last
    shown += [text[at:end], " …" if end < len(text.rstrip()) else ""]
    return " ".join("".join(shown).split())


def marks(text: str, wanted: Wanted) -> list[Span]:
    """Return where in a text the words, phrases and patterns of a search stand, in order, merged where they touch."""
    found: list[Span] = []
    terms = wanted.terms.keys() | wanted.whole
    patterns = [one for one in wanted.query.clauses if one.form is Form.WILDCARD and one.need is not Need.NOT]
    globs = [squeeze(one.text) for one in patterns if not has_cjk(one.text)]
    for run in _RUN.finditer(text):
        if run[1]:
            found.extend(_in_cjk(run[1], run.start(), terms))
        elif _is_meant(run[2], terms) or any(glob_matches(glob, fold(run[2])) for glob in globs):
            found.append(run.span())
    for clause in patterns:
        if has_cjk(clause.text):
            found.extend(one.span() for one in run_pattern(clause.text).finditer(text))
    for clause in wanted.query.clauses:
        if clause.form is Form.PHRASE and clause.need is not Need.NOT:
            found.extend(_phrase_spans(text, clause.text))
    return _merged(found)


def _phrase_spans(text: str, phrase: str) -> Iterable[Span]:
    loose = r"\s+".join(re.escape(part) for part in phrase.split())
    return (one.span() for one in re.finditer(loose, text, re.IGNORECASE))


def _is_meant(word: str, terms: Collection[str]) -> bool:
    return fold(word) in terms or any(term in terms for term in tokens(word))


def _in_cjk(run: str, start: int, terms: Collection[str]) -> Iterable[Span]:
    pairs = [at for at, pair in enumerate(pairwise(run)) if fold(pair[0] + pair[1]) in terms]
    if pairs:
        yield from ((start + at, start + at + 2) for at in pairs)
    elif not any(len(term) > 1 for term in terms):
        yield from ((start + at, start + at + 1) for at, char in enumerate(run) if fold(char) in terms)


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
    for at, (first, _) in enumerate(spans):
        worth, seen = 0.0, set[str]()
        for span in spans[at : at + 40]:
            if span[1] > first + size - 20:
                break
            word = fold(text[span[0] : span[1]])
            worth += 0.05 if word in seen else 1.0 + max((gains.get(term, 0.0) for term in tokens(word)), default=0.0)
            seen.add(word)
        if worth > best:
            best, chosen = worth, spans[at]
    begin = max(0, chosen[0] - size // 5)
    if begin:
        edge = _EDGE.search(text, begin, chosen[0])
        begin = edge.end() if edge else begin
    return begin, min(len(text), begin + size)
