"""Cut a text into the tokens that every index of memd uses.

Spaced scripts give stemmed words, and the parts of user_id, python3.11 and camelCase beside the whole.
Han, Kana and Hangul give overlapping bigrams, and single characters where the lexicon asks for them; a change of
script is a break. Stop words give nothing.

Source
    docs/design/retrieval.md#chinese: characters and bigrams beat a dictionary segmenter; stop and question words
    are worth 0.09 recall. Raise ANALYZER when a change alters any token, so that caches are made anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from memd.text.fold import fold
from memd.text.scripts import CJK
from memd.text.stems import stem
from memd.text.stopwords import CHINESE_CHARS, CHINESE_PHRASES, ENGLISH

ANALYZER = 3
BORDER = "\u200b"
LONGEST = 80  # characters of one word: what is longer is no word, and is cut

_RUN = re.compile(f"([{CJK}]+)|([^\\W_{CJK}]+(?:['’._+#-]*[^\\W_{CJK}]+)*(?:\\+\\+|#)?)")
_MARKED_RUN = re.compile(_RUN.pattern.replace("['’._+#-]", f"['’._+#{BORDER}-]"))
_PART = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PHRASES = re.compile("|".join(sorted(CHINESE_PHRASES, key=len, reverse=True)))
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")


def tokens(text: str, *, unigrams: bool = True) -> list[str]:
    """Return the tokens of a text in order, repeated as often as they occur."""
    return list(_tokens(text, unigrams, query=False))


def query_tokens(text: str, *, unigrams: bool = True) -> Counter[str]:
    """Return the tokens of a message with their counts; question phrases are cut out first."""
    return Counter(_tokens(text, unigrams=unigrams, query=True))


def words(text: str) -> list[str]:
    """Return the folded words of spaced scripts and single characters of the others, stop words included."""
    found: list[str] = []
    for run in _RUN.finditer(fold(text).replace(BORDER, " ")):
        found.extend(run[1] or (run[2],))
    return found


def _tokens(text: str, unigrams: bool, *, query: bool) -> Iterator[str]:
    # A blank without width marks the border inside userId: the whole word and its parts are both tokens, whatever the case.
    marked = text if text.isascii() and text.islower() else _CAMEL.sub(BORDER, text.replace(BORDER, " "))
    for run in _MARKED_RUN.finditer(fold(marked)):  # one by one: of a long text, threads hand the interpreter over
        cjk, spaced = run[1], run[2]
        if cjk:
            pieces = _PHRASES.sub(" ", cjk).split() if query else (cjk,)
            for piece in pieces:
                yield from _cjk_tokens(piece, unigrams)
        else:
            yield from _spaced_tokens(spaced)


def _cjk_tokens(run: str, unigrams: bool) -> Iterator[str]:
    if unigrams or len(run) == 1:
        for char in run:
            if char not in CHINESE_CHARS:
                yield char
    for first, second in pairwise(run):
        if first not in CHINESE_CHARS or second not in CHINESE_CHARS:
            yield first + second


def _spaced_tokens(word: str) -> Iterator[str]:
    plain = word.replace(BORDER, "")
    yield from _plain_tokens(plain)
    if len(plain) < len(word):
        whole = word.replace(BORDER, "_")
        yield whole[:LONGEST]
        yield from (stem(part[:LONGEST]) for part in _PART.findall(whole) if part not in ENGLISH)


def _plain_tokens(word: str) -> Iterator[str]:
    apostrophe = word.replace("’", "'")
    if apostrophe in ENGLISH:
        return
    whole = _POSSESSIVE.sub("", apostrophe)
    if whole in ENGLISH:
        return
    if whole.isalpha():
        yield stem(whole[:LONGEST])
        return
    yield whole[:LONGEST]
    parts = _PART.findall(whole)
    if parts != [whole]:
        yield from (stem(part[:LONGEST]) for part in parts if part not in ENGLISH)
