"""Cut a text into the statements that can hold or cease to hold by themselves, without losing a character.

A sentence is one; so is a clause behind a comma or an `and` that has a verb's worth of words of its own. What leans on
what stands before it (`which`, `it`, a place, a date) stays with it: it goes where that goes.

It is not statements.py, which cuts what was said so that it can be judged and learns better cuts: the digests of these
stand in people's files (`covers`), and another cut would make them digests of nothing. So it shares no rule or word with
what may change, and its own do not.

Units
    A digest is the first 16 hex digits of the sha256 of a statement in UTF-8, without the marks around it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.characters import is_cjk
from memd.text.run_on import clauses_begin

MOST = 40  # statements of one text; one that has more is not cut
MOST_CHARS = 8000  # of a text that is cut
LEAST_WORDS, LEAST_HAN = 3, 3  # of a clause that can stand by itself
DIGEST_CHARS = 16
_AROUND = " \t\r\n\u3000,，;；、.。"
_VERBS = "has|have|is|am|are|was|were|likes?|loves?|hates?|lives?|works?|prefers?|owns?|speaks?|drives?|plays?|uses?|wants?|needs?|studies|teaches|moved"
_CUTS = re.compile(
    r"(?P<hard>\n+|(?<=[。！？!?；])(?![”\"’」』）)])|(?<=[.!?;])\s+(?=[\"“(]?[A-Z\u2e80-\uffff])|;\s+|(?<=[。！？；])\s*)"
    r"|(?P<soft>，\s*|,\s+"
    rf"|\s+(?=(?:and|but)\s+(?:I|I'm|I’m|I've|I’ve|we|my|our|he|she|they|his|her|their|the user|{_VERBS})\b))"
)
# Chinese that is dictated has blanks where others write a comma; a clause begins anew where it names who it is about.
_CUTS_AT_BLANKS = re.compile(
    r"(?P<hard>(?!))|(?P<soft>(?<=[\u4e00-\u9fff])[ \u3000]+(?=[我咱俺他她它]|用户|还有|另外|家里|屋头|店里"
    r"|(?!小[米时区学说吃组票费]|老[家是实]|阿[里迪])[小老阿][\u4e00-\u9fff](?=[不没在是有去来说要又也住叫跟和给把])))"
)
# What nothing else cuts: "the shop is in Leith and the van goes in on Fridays".
_CUTS_ANEW = re.compile(
    rf"\s+(?=(?:and|but)\s+(?:the|our|my|his|her|their|[A-Z]\w+)\s+(?:\w+\s+){{0,2}}?(?:{_VERBS}|goes|runs|gets|takes|starts|ends|costs|comes|opens|closes|keeps|sits|stays)\b)"
)
_ENDS = "。.!！?？;； \t\r\n"
_MARKED = re.compile(r"[，。！？；、,.!?;\n]")
_LEANS = re.compile(
    r"\s*(?:(?:which|who|whom|whose|that|it|its|it's|this|these|those|because|so)\b|所以|因为|这|那|它|其中|因此|于是)",
    re.IGNORECASE,
)
_HANGS = re.compile(
    r"\s*(?:(?:where|when|while|since|then|than|as|if|unless|until|till|although|though|after|before|in|on|at|near|with"
    r"|without|for|from|to|by|of|about|into|over|under|around|between|during|within|like|such|including|especially"
    r"|namely|or|nor|there|maybe|perhaps|probably|please|every|each|last|next|not)\b"
    r"|在.{1,3}\W*$|于|位于|离|从|比如|例如|包括|如果|虽然|当|或|就是|也就是|即|是)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\s*(?:the|a|an)\b", re.IGNORECASE)
_VERB = re.compile(rf"\b(?:{_VERBS}|can|may|must|will|should|does|do)\b", re.IGNORECASE)
_JOINED = re.compile(
    r"^(?:(?:and|but|also|plus)\b[\s,]*|(?:而且|并且|但是|不过|另外|还有|同时)[，,]?\s*)+", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_GOING_ON = rf"{_VERBS}|live|work|prefer|own|study|teach|drink|eat|keep|take|go|run"
# Who a sentence is about, and what goes on about them without saying so.
_SUBJECT = re.compile(
    rf"\s*(?P<who>(?:[\w-]+ ){{0,3}}?[\w-]+?)(?:['’](?:m|re|ve|s) |(?= (?:(?:am|is|are|was|were|have|has|do|does) )?(?:also |still |just )?(?:{_GOING_ON})\b))"
    r"|\s*(?P<han>用户|[我他她]们?)(?!们|的|家|妈|爸|爷|奶|姐|妹|哥|弟|儿|女|老|同|外|叔|舅|姨|姑|岳|婆|公|孙|侄|[表堂男前]\w)"
)
_GOES_ON = re.compile(
    rf"(?:{_GOING_ON})\b"
    r"|对|有|喜欢|不(?!过)|爱|用(?!户)|吃|住|养|学|会|每|平时|讨厌|最(?!近)"
)


class Clause(NamedTuple):
    """One statement of a text: all its characters, what it says without the marks around it, and its digest."""

    whole: str
    said: str
    digest: str


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the statements of a text in their order; joined, their `whole` is the text again."""
    if not text.strip() or len(text) > MOST_CHARS or "```" in text or "~~~" in text:
        return (_clause(text),)
    pieces: list[str] = []
    at, hard = 0, True
    cuts = _CUTS if _MARKED.search(text) or _CUTS.search(text) else _CUTS_AT_BLANKS
    for cut in cuts.finditer(text):
        if cut.end() == at:
            continue
        hard = _put(pieces, text[at : cut.end()], hard=hard) and cut["hard"] is not None
        at = cut.end()
    _put(pieces, text[at:], hard=hard)
    if len(pieces) == 1:
        pieces = list(_run_on(text))
    if len(pieces) > 1 and not _stands(pieces[0], hard=False) and not ends_sentence(pieces[0]):
        pieces[:2] = ["".join(pieces[:2])]
    return tuple(map(_clause, pieces)) if len(pieces) <= MOST else (_clause(text),)


def _run_on(text: str) -> Iterator[str]:
    """Yield the clauses of a text that nothing else cuts: of Chinese without a mark, and behind an `and` with a subject of its own."""
    if _MARKED.search(text.rstrip(_ENDS)):
        yield text
        return
    begins = [] if text.isascii() else clauses_begin(text)
    if not begins and ("and" in text or "but" in text):
        begins = [one.end() for one in _CUTS_ANEW.finditer(text)]
    pieces: list[str] = []
    for begin, end in pairwise((0, *begins, len(text))):
        _put(pieces, text[begin:end], hard=False)
    yield from pieces


def rest_of(text: str, covered: Collection[str]) -> str:
    """Return what is left of a text without the statements of these digests: all of it, a part, or ""."""
    parts = clauses(text)
    if len(parts) > 1 and digest_of(text) in covered:
        return ""
    if not any(one.digest in covered for one in parts):
        return text
    runs: list[tuple[str, str]] = []  # each behind the beginning of its sentence, where that is gone
    open_run, head = False, None
    for one in parts:
        head = head or one
        if one.digest in covered:
            open_run = False
        elif open_run:
            runs[-1] = runs[-1][0], runs[-1][1] + one.whole
        else:
            runs.append((head.whole if head.digest in covered else "", one.whole))
            open_run = True
        head = None if ends_sentence(one.whole) else head
    left = ""
    for gone, run in runs:
        trimmed = _JOINED.sub("", run.strip(" \t\r\n\u3000,，;；、")).strip()
        if trimmed:
            left += (_between(left) if left else "") + _with_subject(gone, trimmed)
    return left


def digest_of(text: str) -> str:
    """Return the digest of a text as one statement: what says several was perhaps covered before it was cut."""
    return _clause(text).digest


def _with_subject(gone: str, rest: str) -> str:
    """Return what is left of a sentence with whom it is about, where only the beginning that is gone said that."""
    found = _SUBJECT.match(gone) if gone and _GOES_ON.match(rest) else None
    if found is None:
        return rest
    return f"{found['who']} {rest}" if found["who"] else found["han"] + rest


def _put(pieces: list[str], piece: str, *, hard: bool) -> bool:
    """Add a piece, to the one before it where it cannot stand by itself; tell that the next begins anew."""
    if not piece:
        return True
    before = pieces[-1] if pieces else ""
    fits = _stands(piece, hard=hard) and (hard or ends_sentence(before) or _stands(before, hard=False))
    if pieces and not fits:
        pieces[-1] += piece
    else:
        pieces.append(piece)
    return True


def _stands(piece: str, *, hard: bool) -> bool:
    if _LEANS.match(piece):
        return False
    words = [one for one in _WORD.findall(piece) if not is_cjk(one[0])]
    han = sum(is_cjk(char) for char in piece)
    if hard:
        return len(words) > 1 or han >= LEAST_HAN
    if _HANGS.match(piece) or (_NAMED.match(piece) and not _VERB.search(piece)):
        return False
    return len(words) >= LEAST_WORDS or han >= LEAST_HAN


def ends_sentence(piece: str) -> bool:
    """Tell whether a piece is the end of a sentence or of a line."""
    return piece.endswith("\n") or piece.rstrip()[-1:] in tuple(".!?。！？；;")


def _between(left: str) -> str:
    """Return what stands between two statements whose neighbours are gone."""
    last = left[-1]
    if last in "。！？；":
        return ""
    if last in ".!?;":
        return " "
    return "；" if is_cjk(last) else "; "


def _clause(whole: str) -> Clause:
    said = _JOINED.sub("", whole.strip(_AROUND)).strip(_AROUND) or whole.strip()
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARS]
    return Clause(whole, said, digest)
