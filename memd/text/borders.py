"""Where sentences end within a line, and where a clause begins anew: with a subject of its own, a question, a request.

Units
    Places are characters of a line. Of what stands before a border the first HEAD and the last TAIL characters are looked
    at, of what stands behind it the first HEAD, so that the work grows with the length alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from memd.text import expressions as re
from memd.text import statement_words as words
from memd.text.acts import orders
from memd.text.characters import CJK, is_cjk
from memd.text.expressions import matches_in
from memd.text.standing import is_standing

HEAD, TAIL = 200, 64
QUOTE_CHARS, COURTESY_CHARS = 400, 90
LONG_CHARS = 70  # of a sentence without a comma, from which it is dictation even with a full stop

_OPENS = re.compile(r"[\"“「『《（(`]")
_CLOSES = {"“": "”", "「": "」", "『": "』", "《": "》", "（": "）", "(": ")"}
_AFTER = '"”’」』）)'
_EMOJI = "\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d"
_END = re.compile(
    rf"(?:[。！？]++|[!?]++(?=[\s\u2e80-\uffff\"”’)」』{_EMOJI}]|\Z)|\.(?=[\s\"”’)]|[{CJK}]|\Z))[{_AFTER}]*+\s*+"
)
_SHORT = re.compile(
    r"(?:^|[\s(（])(?:e\.g|i\.e|dr|mrs?|ms|prof|st|vs|no|nr|fig|ver|approx|ca|cf|jr|sr|inc|ltd|etc|[ap]\.m|u\.s|resp|incl|max|min|tel"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|\d{1,3}|(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)
_STARTS = (
    r"i|i['’]m|i['’]ve|i['’]d|i['’]ll|im|ive|we|we['’]re|we['’]ve|my|our|both|the user|user|and|but|also|plus|so|um+|uh+|oh|btw|by the way|anyway|what|where"
    r"|when|why|how|what['’]s|where['’]s|can|could|would|will|do|did|should|any|please|pls|help|tell|remind|suggest|recommend|thanks|thank you|thx|cheers"
)
_SOFT = re.compile(
    rf"(?P<mark>，\s*+|,(?!\d)\s*+|；\s*+|;\s++|\s+[-–—]+\s+|—{{2,}}|…++\s*+|\.{{2,}}\s*+|[~～]++\s*+|[{_EMOJI}]++\s*+|(?<=[{CJK}])[ \u3000\t]++(?=[{CJK}]))"
    r"|(?P<item>\s++(?=[（(]?\d{1,2}[)）][ \t]?\S))|(?P<number>\S(?=[（(]\d{1,2}[)）]|[①-⑳]))"
    rf"|(?P<word>\s++(?=(?:{_STARTS})\b))"
    rf"|(?P<han>[{CJK}](?<![喊叫让请找陪替帮接等求跟和给对向被把是])(?=我|用户|你能|你可以|你帮|能不能|可不可以|帮我|请|有什么|该|怎么|能吃|吃什么|但是|而且|不过|另外|还有|对了|谢谢|多谢))",
    re.IGNORECASE,
)
_LETTER = rf"[^\W_{CJK}]"
# Two words of a spaced script, or three characters of Han: what has as much can stand by itself.
_STANDS = re.compile(
    rf"(?<!{_LETTER}){_LETTER}(?:{_LETTER}|['’-])*+(?:(?!{_LETTER})[\s\S])++{_LETTER}|(?:[{CJK}][^{CJK}]*+){{3}}"
)
_WORD = re.compile(r"[^\W_]")
_SEGMENT = re.compile(rf"(?:(?!\s[{CJK}])[^,，;；。！？!?\n])*+[!?！？]?")
_AROUND = " \t\r\n\u3000,，;；、—–~～"
_BLANK = re.compile(rf"[{re.escape(_AROUND)}]++")
_ASKED = re.compile(rf"[?？][!！?？{_AFTER}{_EMOJI}\s.。~～]*$")


class _Verdict(Enum):
    CUT = "a statement ends here"
    STAYS = "what follows belongs to it"
    PASSED = "what follows is the main clause of what stands before"


class _Sides(NamedTuple):
    """What stands at a border: the beginning and the end of what is before it, and what begins behind it.

    `mark`: of punctuation; `free`: a clause may begin here without a mark; `passed`: a main clause has begun before.
    """

    left: str
    tail: str
    gap: str
    right: str
    mark: bool
    free: bool
    passed: bool
    short: bool  # all of the left is seen


def bare(content: str, begin: int, end: int) -> tuple[int, int]:
    """Return where the words of a piece begin and end, without marks, a list's mark and words of going on around it."""
    while end > begin and content[end - 1] in _AROUND:
        end -= 1
    at = -1
    while at != begin:
        at = begin
        blank = _BLANK.match(content, begin, min(end, begin + HEAD))
        begin = blank.end() if blank else begin
        window = content[begin : min(end, begin + HEAD)]
        for mark in (words.MARKER.match(window), words.LEAD.match(window)):
            if mark and begin + mark.end() < end:
                begin += mark.end()
                break
    return begin, end


def stands(said: str) -> bool:
    """Tell whether a piece has as many words as one that stands by itself."""
    return _STANDS.search(said, 0, HEAD) is not None


def tells(said: str) -> bool:
    """Tell whether a piece says something of somebody: it has a verb, and is not only a time or a place."""
    window = said[:HEAD]
    if not stands(window) or words.TIME_ALONE.match(window):
        return False
    return bool(words.ANEW.match(window) or words.VERBS.search(window) or words.PREDICATE_ZH.search(window))


def has_words(said: str) -> bool:
    """Tell whether a piece has a letter or a digit."""
    return _WORD.search(said) is not None


def is_polite(said: str) -> bool:
    """Tell whether a piece is a greeting, thanks, an interjection, or no words at all."""
    if len(said) > COURTESY_CHARS:
        return False
    return words.COURTESY.fullmatch(said) is not None or (bool(said) and not has_words(said))


def asks(said: str) -> bool:
    """Tell whether a sentence is a question."""
    tail = said[-TAIL:]
    if tag := words.TAG.search(tail):
        said = said[: len(said) - len(tail) + tag.start()]
    elif _ASKED.search(tail) or words.TAG_ASKS.search(tail):
        return True
    head = said[:HEAD]
    if words.NOT_ASKING.match(head):
        return False
    if words.ASKS_EN.match(head):
        return not (words.RELATIVE_WH.match(head) and tag)
    found = words.ASKS_ZH.search(head) is not None
    return found and words.INDEFINITE.search(head) is None and words.HABIT.search(head) is None


def requests(said: str) -> bool:
    """Tell whether a sentence orders something to be done once: not how things are to be done from now on."""
    head = said[:HEAD]
    if words.BARE_REMEMBER.fullmatch(head):
        return True
    if words.HABIT.search(head) or words.NAMED_THING.match(head) or is_standing(head):
        return False
    if words.REQUEST.match(head):
        return True
    return not is_cjk(head[:1] or " ") and not any(map(is_cjk, head)) and orders(head)


def leans(piece: str) -> bool:
    """Tell whether a sentence cannot be understood without the one before it."""
    window = piece[: 2 * HEAD].lstrip(_AROUND)
    lead = words.LEAD.match(window)
    body = window[lead.end() :] if lead else window
    if words.LEANS.match(body) or _points_back(body):
        return True
    if _is_rule(body):
        return False
    if lead is None or words.ANEW.match(body) or words.LISTED.match(window):
        return False
    return words.JOINS.match(window) is not None


def _is_rule(body: str) -> bool:
    """Tell whether a clause says how things are to be done from now on: it needs nothing before it."""
    return words.RULE.match(body) is not None or is_standing(body)


def _points_back(body: str) -> bool:
    """Tell whether a clause of one's own speaks of somebody or something by a word that points to what was named before."""
    if not words.SAME.match(body):
        return False
    pointing = words.POINTS.search(body)
    return pointing is not None and not words.NAMED.search(body, 0, pointing.start())


# --- within a line


def closed_in(line: str) -> list[tuple[int, int]]:
    """Return the places of what is quoted, in brackets, or code within a line."""
    found: list[tuple[int, int]] = []
    for match in matches_in(_OPENS, line):
        at = match.start()
        if found and at < found[-1][1]:
            continue
        closing = line.find(_CLOSES.get(match[0], match[0]), at + 1, at + QUOTE_CHARS)
        if closing > at and not (match[0] in "(（" and line[at - 1 : at] in (":", ";")):
            found.append((at, closing + 1))
    return found


def _is_in(at: int, closed: list[tuple[int, int]]) -> bool:
    n = bisect_right(closed, (at,)) - 1
    return n >= 0 and closed[n][0] < at < closed[n][1]


def ends(line: str, closed: list[tuple[int, int]]) -> Iterator[int]:
    """Yield where the sentences of a line end."""
    marker = words.MARKER.match(line, 0, TAIL)
    for mark in matches_in(_END, line):
        at = mark.end()
        if at >= len(line):
            break
        if marker and at <= marker.end():
            continue
        before = line[max(0, mark.start() - 12) : mark.start() + 1]
        if mark[0][0] == "." and _SHORT.search(before) and not words.OWN_START.match(line, at, at + TAIL):
            continue
        if _is_in(mark.start(), closed) and (_is_in(at, closed) or not (line[at].isupper() and mark[0][-1].isspace())):
            continue
        yield at
    if line:
        yield len(line)


def cuts(line: str, begin: int, end: int, closed: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield where the clauses of a sentence end that stand by themselves, and where the words of each begin."""
    sentence = line[begin:end]
    last = sentence.rstrip()[-1:]
    marked = max(sentence.rfind(mark) for mark in ",，;；") + begin
    stopped = bool(last) and last in ".!。！" and end - max(begin, marked) < LONG_CHARS
    start, passed = begin, False
    said = bare(line, begin, min(end, begin + HEAD))[0]
    listed = words.MARKER.match(line, 0, TAIL) is not None
    for border in matches_in(_SOFT, sentence):
        at, on = border.start() + begin, border.end() + begin
        at = on if border["han"] or border["number"] else at
        if on >= end or at <= max(start, said) or _is_in(at, closed) or _is_in(border.start() + begin, closed):
            continue
        own = bare(line, start, min(at, start + HEAD))[0]
        left = line[own : min(at, own + HEAD)]
        if not has_words(left):
            continue
        sides = _Sides(
            left,
            line[max(start, at - TAIL) : at],
            line[at:on],
            line[on : min(end, on + HEAD)],
            mark=border["mark"] is not None,
            free=not (stopped and at > marked) and not (last in ("?", "？") and asks(left)),
            passed=passed,
            short=at - own <= HEAD,
        )
        item = border["item"] is not None or (
            listed and words.NUMBERED.match(line, on, min(end, on + TAIL)) is not None
        )
        verdict = _Verdict.CUT if item and stands(left) else _judged(sides)
        passed = passed or verdict is _Verdict.PASSED
        if verdict is _Verdict.CUT:
            cause = words.CAUSE.match(line, own, min(at, own + TAIL))
            yield on, cause.end() if cause and not passed else start
            start, passed = on, False
    yield end, start


def _judged(sides: _Sides) -> _Verdict:
    """Return whether a statement ends at a border within a sentence."""
    lead = words.LEAD.match(sides.right)
    body = sides.right[lead.end() :] if lead else sides.right
    said = sides.left.strip(_AROUND)
    polite = (is_polite(sides.right) and (sides.mark or words.GREETS.match(body) is not None)) or _greets(sides, body)
    onward = words.LEAD.match(f"{sides.left}{sides.gap}{sides.right}")
    if onward and onward.end() >= len(sides.left):
        return _Verdict.STAYS
    if sides.short and is_polite(sides.left.strip()):
        return _Verdict.STAYS if polite or not _begins(sides, body) else _Verdict.CUT
    if words.TAG.fullmatch(sides.right) or words.TAG_ASKS.fullmatch(sides.right):
        return _Verdict.STAYS
    if not stands(said) or words.SAYS.search(sides.tail):
        return _Verdict.STAYS
    joined = sides.mark or (lead is not None and words.ONWARD.match(sides.right) is not None)
    if not joined and words.HOLDS.search(sides.tail):
        return _Verdict.STAYS
    if polite:
        return _Verdict.CUT
    if _asks_anew(sides, body, joined=joined):
        caused = words.CAUSE.match(said) is not None
        governed = not caused and not sides.passed and (words.FORWARD.match(said) or words.HANGS.match(said))
        told = not is_cjk(said[0]) or (words.PREDICATE_ZH.search(said) and (sides.mark or words.ANEW.match(said)))
        return _Verdict.CUT if told and not governed else _Verdict.STAYS
    return _told_anew(sides, said, body, joined=joined)


def _greets(sides: _Sides, body: str) -> bool:
    """Tell whether thanks or a greeting stand behind a border, and then something else."""
    greeting = words.GREETS.match(body)
    if not greeting:
        return False
    rest = body[greeting.end() :]
    follows = rest.lstrip(_AROUND)
    lead = words.LEAD.match(follows)
    said = follows[lead.end() :] if lead else follows
    return (
        rest[:1] in tuple(",，.!。！;；") or words.ANEW.match(said) is not None or _asks_anew(sides, said, joined=True)
    )


def _begins(sides: _Sides, body: str) -> bool:
    """Tell whether something is said behind a greeting."""
    if sides.mark:
        return stands(body)
    return words.ANEW.match(body) is not None or _asks_anew(sides, body, joined=True)


def _asks_anew(sides: _Sides, body: str, *, joined: bool) -> bool:
    """Tell whether a question or a request begins behind a border."""
    segment = (_SEGMENT.match(body) or [""])[0]
    if not stands(segment) or words.TAG.fullmatch(segment) or words.TAG_ASKS.fullmatch(segment):
        return False
    if words.NOT_ASKING.match(sides.right) or words.NOT_ASKING.match(body):
        return False
    if words.REQUEST.match(body):
        return not words.HABIT.search(segment)
    if words.opens_question_zh(segment, mark=joined):
        return True
    if not joined:
        return words.ASKS_BARE.match(body) is not None and sides.free
    found = words.ASKS_EN.match(body)
    doubtful = found is not None and (found["named"] or words.RELATIVE_WH.match(body))
    return found is not None and (not doubtful or segment.endswith(("?", "？")))


def _told_anew(sides: _Sides, said: str, body: str, *, joined: bool) -> _Verdict:
    """Return whether a clause with a subject of its own begins behind a border."""
    anew = words.ANEW.match(body)
    if not anew:
        listed = words.LISTED.match(sides.right) and tells(said) and not words.LEANS.match(body)
        return _Verdict.CUT if listed else _Verdict.STAYS
    if not sides.passed and (words.FORWARD.match(said) or words.HANGS.match(said)):
        return _Verdict.PASSED
    if words.CONDITION.match(said) or words.SO.match(sides.right) or words.ASIDE.match(body) or not tells(said):
        return _Verdict.STAYS
    if _points_back((_SEGMENT.match(body) or [""])[0]):
        return _Verdict.STAYS
    if joined:
        return _Verdict.CUT
    loose = words.LOOSE.search(sides.tail) is not None and not words.STRONGER.match(body)
    loose = loose or (words.MINE.match(body) is not None and words.OBJECT.search(sides.tail) is not None)
    if not sides.free or not words.STRONG.match(body) or words.RELATIVE.search(sides.tail) or loose:
        return _Verdict.STAYS
    return _Verdict.CUT if not is_cjk(body[0]) or words.ANEW.match(said) else _Verdict.STAYS
