"""Does a message ask that something be remembered, and what?

An instruction is a clause that begins with words of asking and a verb of keeping; what it is about follows it, stands
between them, or came before. Questions of memory ("do you remember", 还记得吗), refusals ("no need to remember"),
errands ("don't forget to run the tests"), quoted words and other senses (a memo, 内存) are none.
"""

from __future__ import annotations

import re

from memd.engine.keep.guard.asking_words import (
    ASK_EN,
    ASK_ZH,
    ERRAND,
    HEAD,
    HERE,
    NOT_EN,
    NOT_ZH,
    POINTER,
    SIMPLER,
    STANDING,
    TAIL,
    TO_EN,
    VERB_EN,
    VERB_ZH,
)

_LEADING = (
    (
        re.compile(
            rf"(?:^\W*|[.!?;:,，。！？；：\n—–-]\s*|\band\s|[”\"])(?:{ASK_EN})(?:{VERB_EN})(?P<rest>[\s\S]*)",
            re.IGNORECASE,
        ),
        NOT_EN,
    ),
    (
        re.compile(
            rf"(?:^\W*|[。！？；：，,.!?;:、\n\s“\"(（])(?:{ASK_ZH})(?:{VERB_ZH})(?P<rest>[\s\S]*)", re.IGNORECASE
        ),
        NOT_ZH,
    ),
)
_TRAILING = (
    (
        re.compile(
            rf"(?P<said>[\s\S]{{6,}}?)[.!;,。，！；—–-]{{1,3}}\s*(?:{ASK_EN})(?:{TO_EN})[^.!?。！？，]{{0,24}}[.!?…\s]*$",
            re.IGNORECASE,
        ),
        NOT_EN,
    ),
    (
        re.compile(
            rf"(?P<said>[\s\S]{{4,}}?)[，,。；;！!、\s]{{1,3}}(?:{ASK_ZH})(?:{VERB_ZH})[^。！!？?，,]{{0,8}}[。！!？?~～…\s]*$",
            re.IGNORECASE,
        ),
        NOT_ZH,
    ),
)
_ENDED = re.compile(r"[。！？!?](?=[^。！？!?]*\w)|\.\s(?=.*\w)")
LEAST_CHARS = 2
LONGEST = 4000  # characters of a message that are read
TRAILING = 240  # of its end, where an instruction may stand behind what it is about


def asked_to_remember(message: str) -> str:
    """Return what a message asks to have remembered, or "" where it asks for nothing."""
    text = " ".join(message[:LONGEST].split())
    plain = text.translate(SIMPLER)
    found = _trailing(plain) or _leading(plain)
    return text[found[0] : found[1]].strip('“”"「」 ') if found else ""


def _trailing(text: str) -> tuple[int, int] | None:
    begin = max(0, len(text) - TRAILING)
    for pattern, doubt in _TRAILING:
        match = pattern.match(text, begin)
        if not match or doubt.search(text[match.end("said") :]) or _is_quoted(text, match.end("said")):
            continue
        start, stop = _trimmed(text, 0, match.end("said"))
        if stop - start >= LEAST_CHARS and not text[: match.end("said")].rstrip().endswith(("?", "？")):
            return start, stop
    return None


def _leading(text: str) -> tuple[int, int] | None:
    for pattern, doubt in _LEADING:
        for match in pattern.finditer(text):
            inner = match.groupdict().get("inner") or ""
            within = bool(inner) and not POINTER.fullmatch(inner.strip())
            span = match.span("inner") if within else match.span("rest")
            start, stop = _trimmed(text, *span)
            head = _ENDED.split(text[: match.start("rest")])[-1]  # what was asked before is another matter
            if stop - start < LEAST_CHARS or doubt.search(head + text[match.start("rest") : match.start("rest") + 16]):
                continue
            if not _is_quoted(text, match.start()) and not _is_errand(text, match.start("rest")):
                return start, stop
    return None


def _is_errand(text: str, at: int) -> bool:
    """Something to be done once is no memory; something to be done from now on is."""
    if STANDING.search(text):
        return False
    once = re.search(r"记得$|忘了?$", text[:at]) is not None
    return bool(ERRAND.match(text, at)) or (once and HERE.match(text, at) is not None)


def _is_quoted(text: str, at: int) -> bool:
    """Tell whether a place stands inside quotation marks that hold the words of somebody else."""
    before = text[: at + 1]
    opened = any(before.count(left) > before.count(right) for left, right in ("“”", "「」", "『』", "《》"))
    return opened or before.count('"') % 2 == 1 or bool(re.search(r"(?:^|[\s,:])'[^']*$", before))


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    while (match := HEAD.match(text, start, stop)) and match.end() > start:
        start = match.end()
    before = -1
    while before != stop:
        before = stop
        match = TAIL.search(text, start, stop)
        stop = match.start() if match else stop
    return start, max(start, stop)
