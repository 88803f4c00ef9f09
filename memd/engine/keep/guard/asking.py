"""Does a message ask that something be remembered, and what?

An instruction is a clause that begins with words of asking and a verb of keeping; what it is about follows it, stands
between them, or came before. Questions of memory ("do you remember", 还记得吗), refusals ("no need to remember"),
errands ("don't forget to run the tests"), quoted words and other senses (a memo, 内存) are none.
"""

from __future__ import annotations

from memd.engine.keep.cues import find_cues
from memd.engine.keep.guard.asking_words import (
    ASK_EN,
    ASK_ZH,
    ASKS,
    CLOSING,
    COURTESY,
    ENDS,
    ERRAND,
    FURTHER,
    HEAD,
    HERE,
    NOT_EN,
    NOT_ZH,
    POINTER,
    SAYS,
    SIMPLER,
    STANDING,
    TAG,
    TO_EN,
    VERB_EN,
    VERB_ZH,
)
from memd.text import expressions as re
from memd.text.characters import fold
from memd.text.slices import matches_in

_LEADING = (
    (
        re.compile(
            rf"(?:^\W{{0,40}}+|[.!?;:,，。！？；：\n—–-]\s*+|\band\s|[”\"])(?:{ASK_EN})(?:{VERB_EN})", re.IGNORECASE
        ),
        NOT_EN,
    ),
    (
        re.compile(
            rf"(?:^\W{{0,40}}+|[。！？；：，,.!?;:、\n\s“\"(（](?![，,\s]))(?:{ASK_ZH})(?:{VERB_ZH})", re.IGNORECASE
        ),
        NOT_ZH,
    ),
)
_TRAILING = (
    (
        re.compile(
            rf"(?P<said>[\s\S]{{6,}}?)[.!;,。，！；—–-]{{1,3}}\s*(?:{ASK_EN})(?:{TO_EN})(?P<more>[^.!?。！？，]{{0,24}})[.!?…\s]*$",
            re.IGNORECASE,
        ),
        NOT_EN,
    ),
    (
        re.compile(
            rf"(?P<said>[\s\S]{{4,}}?)[，,。；;！!、\s]{{1,3}}(?:{ASK_ZH})(?:{VERB_ZH})(?P<more>[^。！!？?，,]{{0,8}})[。！!？?~～…\s]*$",
            re.IGNORECASE,
        ),
        NOT_ZH,
    ),
)
_ENDED = re.compile(r"[。！？!?](?=[^。！？!?]*\w)|\.\s(?=.*\w)")
_SENTENCE = re.compile(r"(?<=[。！？])(?=.)|(?<=[.!?])\s+")
_QUOTES = {"“": "”", "「": "」", '"': '"'}
LEAST_CHARS, LEAST_SAID = 2, 4
LONGEST = 4000  # characters of a message that are read
TRAILING = 240  # of its end, where an instruction may stand behind what it is about
SLICE_REACH = 800
Span = tuple[int, int]


def asked_to_remember(message: str) -> str:
    """Return what a message asks to have remembered, or "" where it asks for nothing.

    It is a piece of the message, blanks aside. What belongs to the instruction is left out, never what belongs to its clause.
    """
    text = " ".join(message[:LONGEST].split())
    plain = text.translate(SIMPLER)
    closed, trailing = _trailing(plain)
    found = trailing if closed else _leading(plain) or trailing
    return _unquoted(text[found[0] : found[1]]) if found else ""


def asked_at_once(line: str) -> str:
    """Return what a line that begins with an instruction asks to have remembered, "" where it begins with anything else."""
    text = " ".join(line[:LONGEST].split())
    found = _leading(text.translate(SIMPLER), at_once=True)
    return _unquoted(text[found[0] : found[1]]) if found else ""


def _trailing(text: str) -> tuple[bool, Span | None]:
    """Return what an instruction at the end is about, and whether nothing but courtesy stands behind its verb."""
    begin = max(0, len(text) - TRAILING)
    for pattern, doubt in _TRAILING:
        match = pattern.match(text, begin)
        if not match or doubt.search(text[match.end("said") :]) or _is_quoted(text, match.end("said")):
            continue
        closed = CLOSING.fullmatch(match["more"]) is not None
        found = _before(text, match.end("said"))
        if found and (closed or not _is_errand(text, match.start("more")) or _is_worth_it(text, found)):
            return closed, found
    return False, None


def _leading(text: str, *, at_once: bool = False) -> Span | None:
    for pattern, doubt in _LEADING:
        for match in matches_in(pattern, text, SLICE_REACH):
            if at_once and match.start():
                break
            inner = match.groupdict().get("inner") or ""
            within = bool(inner) and not POINTER.fullmatch(inner.strip())
            span = match.span("inner") if within else (match.end(), len(text))
            head = _ENDED.split(text[: match.end()])[-1]  # what was asked before is another matter
            if doubt.search(head + text[match.end() : match.end() + 16]) or _is_quoted(text, match.start()):
                continue
            before = _before(text, match.start())
            if _is_errand(text, match.end()):
                if before and _is_worth_it(text, before):
                    return before
                continue
            back = not within and (FURTHER.match(text, match.end()) or CLOSING.fullmatch(text, match.end()))
            if back and before:
                return before
            start, stop = _trimmed(text, *span, can="能" in match[0] or "可以" in match[0])
            if stop - start >= LEAST_CHARS and not (back and not before and FURTHER.match(text, match.end())):
                return start, stop
    return None


def _before(text: str, stop: int) -> Span | None:
    """Return what stands before an instruction and is what it points to: not the questions before that."""
    start = 0
    for match in _SENTENCE.finditer(text, 0, stop):
        if text[: match.start()].rstrip()[-1:] in ("?", "？"):
            start = match.end()
    found = _trimmed(text, start, stop)
    asks = text[:stop].rstrip()[-1:] in ("?", "？")
    return found if found[1] - found[0] >= LEAST_SAID and not asks else None


def _is_worth_it(text: str, span: Span) -> bool:
    """Tell whether what is said beside an errand is a fact about somebody, and not about the errand."""
    speaking_for, against = find_cues(fold(text[span[0] : span[1]]))
    return bool(speaking_for) and not against


def _is_errand(text: str, at: int) -> bool:
    """Something to be done once is no memory; something to be done from now on is."""
    if STANDING.search(text):
        return False
    once = re.search(r"记得$|忘了?$", text[max(0, at - 8) : at]) is not None
    return bool(ERRAND.match(text, at)) or (once and HERE.match(text, at) is not None)


def _is_quoted(text: str, at: int) -> bool:
    """Tell whether a place stands inside quotation marks that hold the words of somebody else."""
    before = text[: at + 1]
    opened = any(before.count(left) > before.count(right) for left, right in ("“”", "「」", "『』", "《》"))
    return opened or before.count('"') % 2 == 1 or bool(re.search(r"(?:^|[\s,:])'[^']*$", before))


def _trimmed(text: str, start: int, stop: int, *, can: bool = False) -> Span:
    """Return a clause without what introduces it, and without courtesy and questions behind it; `can`: it was asked with 能."""
    while (match := HEAD.match(text, start, stop)) and match.end() > start:
        start = match.end()
    stop = max(start, _without_questions(text, start, stop))
    while match := COURTESY.search(text, max(start, stop - 60), stop):
        if _belongs(text, start, match.start()):
            break
        stop = match.start()
    match = TAG.search(text, start, stop)
    if match and match.start() - start >= LEAST_SAID and not SAYS.search(text, start, match.start()):
        stop = match.start()
    stop = _ended(text, start, stop)
    if can and text[start:stop].endswith("吗"):
        stop -= 1
    return start, max(start, stop)


def _without_questions(text: str, start: int, stop: int) -> int:
    """Return where a text ends without the sentences at its end that ask for something else."""
    borders = [start, *(match.end() for match in _SENTENCE.finditer(text, start, stop))]
    while len(borders) > 1:
        last = text[borders[-1] : stop].strip()
        if not (last.endswith(("?", "？")) and ASKS.search(last)) and last:
            break
        if COURTESY.search(text, max(start, borders[-1] - 3), stop):
            break
        stop = borders.pop()
    return stop


def _ended(text: str, start: int, stop: int) -> int:
    match = ENDS.search(text, max(start, stop - 60), stop)
    return match.start() if match else stop


def _belongs(text: str, start: int, at: int) -> bool:
    """Tell whether a word of courtesy is one that somebody says, or the last of a list."""
    clause = text[start:at]
    parts = re.split(r"[,，、;；]", clause)
    listed = len(parts) > 1 and (len(parts[-1].split()) <= 2 and len(parts[-1].strip()) <= 14)
    return SAYS.search(clause) is not None or (
        listed and text[at : at + 1] in (",", "，", "、") and bool(parts[-1].strip())
    )


def _unquoted(said: str) -> str:
    """Return a text without the quotes around it, and without one whose partner was left out."""
    said = said.strip()
    for left, right in _QUOTES.items():
        if (
            said[:1] == left
            and said[-1:] == right
            and len(said) > 2
            and left not in said[1:-1]
            and right not in said[1:-1]
        ):
            return said[1:-1].strip()
        if left != right and said.count(right) > said.count(left) and said[-1:] == right:
            return said[:-1].strip()
    if said.count('"') == 1:
        return said.strip('"').strip()
    return said
