"""A day that is told anew without what it is the day of: "the tuner's the sixth, not the fourth", 通知来了 排的是30号.

What somebody read again, moved or got wrong is often a day alone. It takes the place of the day of an older statement of the
conversation: of the one whose day it denies or gives to something else; else of the last that shares a word with it, or,
where it names nothing itself, of the last that has one day to come. The month is the older's where the new day names none.

Source
    Own lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from memd.engine.keep.talk.amendments import REACH, words_of
from memd.engine.keep.talk.days import Day, Known, Older, date_of, days_in, known_of
from memd.engine.keep.talk.persons import persons_of
from memd.engine.keep.talk.values import KINDS
from memd.text import expressions as re
from memd.text.characters import is_cjk
from memd.text.times.english_meaning import MONTH_NAMES

READ_CHARS = 400
BLANK = "_"  # where a day stood
MONTHS_BACK = 6  # a month that lies further back is one of the next year
MUCH, MUCH_HAN = 4, 12  # words, characters of Han
LITTLE_HAN = 1  # characters of a clause that names no matter of its own


_OWN = re.compile(
    r"\b(?:i['’]?m|i was|i had (?:it|that)|i(?:['’]ve)? got (?:it|that)|told you|i read (?:it|that)|i said (?:it|that)|i put (?:it|that)) wrong\b|\bmy mistake\b|\bmisread\b|\bmisspoke\b|\bwrong (?:day|date)\b"
    r"|[看打搞记说讲弄写算][错岔]|更正|订正|不对[，,。！\s啊]",
    re.IGNORECASE,
)
_READ = re.compile(
    r"\b(?:read|looked at|checked|opened|found) (?:the|my|her|his|their|that|it) ?(?:letter|email|text|ticket|booking|calendar|diary|message|card|form|again)\b|\b(?:letter|email|ticket|text|invitation|receptionist|secretary)(?: \w+)? (?:says?|said)\b|\b(?:just|has|have) (?:texted|rung|rang|emailed|phoned|called)\b"
    r"|(?:短信|单子|通知|车票|机票|聊天记录|日历|邮件|请帖|挂号单|行程)[上里]?(?:来了|[写说是排上])|(?:翻|查|看|戴)(?:了|上)?(?:一?下|一眼|眼镜)?.{0,4}(?:短信|单子|聊天记录|日历|邮件|机票|车票|请帖|票)|打电话[来骂说]",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"\b(?:moved|shifted|pushed|put|brought|rescheduled|postponed|changed|switched)(?: (?:it|that|me|us))?(?: back| forward)? to\b"
    r"|改[到成在做]|换到|推迟?到|提前到|挪到?(?=\s?[\d一二三十])|延到|[塞排]到|变(?=[^成得化])|才[去走回来到办开]",
    re.IGNORECASE,
)
_NOT = re.compile(r"[\s,;—–-]+(?:and )?not (?:on )?\Z", re.IGNORECASE)
_SAID = re.compile(r"\bi (?:said|told you|put|wrote|thought)(?: it was)? \Z", re.IGNORECASE)
_THEN = re.compile(
    r"[\s.,;—–-]*(?:but |no,? |actually )*(?:it['’]?s|it is|that['’]?s|make it|should be)\s+(?:on )?\Z", re.IGNORECASE
)
_IS_NOT_ZH = re.compile(r"不是\s*\Z")
_RANGE = re.compile(r"\s*(?:[到至~–—-]|去|to|till|until|through)\s*(?:the )?", re.IGNORECASE)
_OWN_SUBJECT = re.compile(
    r"(?:\A|[.,;!] )(?:and |but |so )?(?:(?:the|my|our|his|her|their|[a-z]+['’]s) [a-z]+(?: [a-z]+)?|(?-i:[A-Z][a-z]+)) (?:is|was|are|will)\b|(?:\A|[.,;!] )(?:and |but |so )?(?:the|my|our|his|her|their) [a-z]+['’]s\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:it|that|they|she|he|we|i)(?:['’](?:s|re|m)| is| are| am| was)\b|\A\W*(?:on )?(?:the )?\w+\W*\Z",
    re.IGNORECASE,
)
_FILLS = re.compile(
    r"[是的了给我在就才去来走回到改变为会写说排上啊哦喔嗯呢吧啦那个这就又还有]|应该|其实|[我咱他她]们|俩|周[一二三四五六日天]|星期[一二三四五六日天]|礼拜[一二三四五六日天]|早上|上午|中午|下午|晚上"
)
# Beside Han a Latin word with a capital is a name as well.
_NUMBER_OR_LATIN = re.compile(r"(?<![\d_])\d+(?![\d_])|(?<![A-Za-z’'])[A-Z][a-z]+(?=[ _]*[\u4e00-\u9fff])")
_HOUR = dict(KINDS)["hour"]
_WHOSE = re.compile(r"^(?:my|our|your) |^(?:我|咱|你)们?(?:的|家)?", re.IGNORECASE)
_CLAUSE = re.compile(r"[，,。；;！!\n]|(?<=[\u4e00-\u9fff])(?<![到成至在月]) +(?=\S)|(?<!\d) +(?=[\u4e00-\u9fff])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class Anew(NamedTuple):
    """What a day told anew makes of what was said: which older statement says what now, -1 where none does; and what is told `beside`."""

    place: int
    text: str
    beside: str = ""


NOTHING = Anew(-1, "")


def told_anew(said: str, before: str, older: Sequence[Older]) -> Anew | None:
    """Return what a statement, said behind `before` in its turn, makes of older ones, the newest last; None where it moves no day."""
    said = said[:READ_CHARS]
    around = f"{before[-READ_CHARS:]} {said}"
    own = _OWN.search(around) is not None
    read = own or _READ.search(around) is not None
    days = days_in(said, loose=read)
    if not days:
        return NOTHING if _READ.fullmatch(said.strip()) else None
    denied = _denied(said, days) or _denied_before(before, said, days)
    moved = read or _MOVED.search(_clause_of(said, days)) is not None
    if not (denied or moved or _SAID.search(said[: days[-1].begin])):
        return None
    newest = [*enumerate(older)][::-1]
    if denied:
        new, old = denied
        target = next((one for one in known_of(newest) if one.has(old)), None)
        before_it = _sentences_before(said, min(one.begin for one in denied if one in days))
        return target and _moved(target, [new], before_it, old)
    known = [*known_of(newest[:REACH])]
    if any(one.has(day) for one in known for day in days):
        return _by_old_day(said, days, known, read=read)
    return _by_matter(said, days, known, own=own, read=read)


def _by_old_day(said: str, days: list[Day], known: list[Known], *, read: bool) -> Anew | None:
    """Let the day that stands beside an older one's take its place; what the older day is given to is told beside.

    `read`: it was told wrong, or read again; else something was moved, which must be the same, or not named.
    """
    for target in known:
        old = next((one for one in days if target.has(one)), None)
        siblings = [one for one in known if one.place == target.place]
        if old is None:
            continue
        if _SAID.search(said[: old.begin]) and not said[old.stop :].strip(" .,"):
            return NOTHING  # what is so comes behind it
        new = _from_to(said, days) or [
            one for one in days if not one.bare and not any(each.has(one) for each in siblings)
        ]
        given = _is_given_away(said, old)
        if new and not given and not _has_all(target.text, _names_of(said, new)):
            return None
        if new and (read or _is_little(said, new) or _is_of_one_matter(said, new, target)):
            beside = _with_months(said, days, target) if given else _behind(said, days, new, target)
            return _moved(target, new, beside, old)
        if read and not new and not old.bare and not old.month and given:
            return Anew(-1, "", _with_months(said, days, target))
        return None
    return None


def _by_matter(said: str, days: list[Day], known: list[Known], *, own: bool, read: bool) -> Anew | None:
    """Let a day take the place of the one of the older statement that is of the same, or of the last where nothing else is named."""
    new = [one for one in days if not one.bare]
    if not new or len(new) > 2:
        return None
    names = _names_of(said, new)
    alone = [one for one in known if sum(each.place == one.place for each in known) == 1 and _has_all(one.text, names)]
    words, little = words_of(said), _is_little(said, new)
    of_one = (one for one in alone if (read and words & words_of(one.text)) or _is_of_one_matter(said, new, one))
    target = next(of_one, None)
    if target is None and (little or (own and _POINTS.search(_clause_of(said, new)))) and not _OWN_SUBJECT.search(said):
        day = (one for one in alone if one.first == one.last or len(new) > 1)
        target = next((one for one in day if not _is_past(one)), None)
    return target and _moved(target, new, "")


def _is_of_one_matter(said: str, days: list[Day], known: Known) -> bool:
    """Tell whether most of what the clauses that name days say beside them stands in an older statement."""
    words = words_of(_MOVED.sub(" ", _without(said, days)))
    return len(words & words_of(known.text)) > len(words) / 2


def _names_of(said: str, days: list[Day]) -> list[list[str]]:
    """Return the persons, and the numbers of something, that the clauses name which name days: each in the words it may be known by."""
    rest = _HOUR.sub(" ", _without(said, days))
    persons = [_WHOSE.sub("", one.name.casefold()).split() for one in persons_of(rest, 0)]
    return [*persons, *([one.casefold()] for one in _NUMBER_OR_LATIN.findall(rest))]


def _has_all(known: str, names: list[list[str]]) -> bool:
    """Tell whether a statement names all of these."""
    return all(any(word in known.casefold() for word in words) for words in names)


def _is_past(one: Known) -> bool:
    return (
        re.search(r"yesterday|last |ago|today|tonight|now|[昨前上今]", one.text[one.begin : one.stop], re.IGNORECASE)
        is not None
    )


def _is_little(said: str, days: list[Day]) -> bool:
    """Tell whether the clauses that name days name no matter beside them."""
    rest = _without(said, days)
    rest = _MOVED.sub("", _READ.sub("", _OWN.sub("", rest)))
    if any(map(is_cjk, rest)) or any(map(is_cjk, said[days[0].begin : days[0].stop])):
        return sum(map(is_cjk, _FILLS.sub("", rest))) <= LITTLE_HAN
    return len(words_of(rest)) == 0


def _without(said: str, days: list[Day]) -> str:
    """Return the clauses that name days, less the days."""
    blank = (BLANK if any(one.begin <= at < one.stop for one in days) else char for at, char in enumerate(said))
    return _clause_of("".join(blank), days)


def _from_to(said: str, days: list[Day]) -> list[Day]:
    """Return the first days of a text that stand from one to another: 3到7, 二号去四号回."""
    pairs = pairwise([one for one in days if not one.bare])
    return next(([one, other] for one, other in pairs if _RANGE.fullmatch(said[one.stop : other.begin])), [])


def _clause_of(said: str, days: list[Day]) -> str:
    """Return the clauses from the one that names the first day to the one that names the last."""
    begin = max((one.end() for one in _CLAUSE.finditer(said) if one.end() <= days[0].begin), default=0)
    stop = min((one.start() for one in _CLAUSE.finditer(said) if one.start() >= days[-1].stop), default=len(said))
    return said[begin:stop]


def _denied(said: str, days: list[Day]) -> tuple[Day, Day] | None:
    """Return the new day and the one that is denied: "the 15th, not the 8th", "I said the 7th. It's the 17th", 是13号 不是3号."""
    for one, other in pairwise(days):
        between, before = said[one.stop : other.begin], said[: one.begin]
        if _NOT.fullmatch(between) or re.fullmatch(r"[\s，,]*(?:而?不是)\s*", between):
            return one, other
        if (_SAID.search(before) and _THEN.fullmatch(between)) or (
            _IS_NOT_ZH.search(before) and re.fullmatch(r"[\s，,]*(?:而|应该)?是\s*", between)
        ):
            return other, one
    return None


def _denied_before(before: str, said: str, days: list[Day]) -> tuple[Day, Day] | None:
    """Return the new day and the one that was denied right before: "I said the 7th." "It's the 17th"."""
    was = days_in(before)
    if not was or before[was[-1].stop :].strip(" .,;") or not _SAID.search(before[: was[-1].begin]):
        return None
    return (days[0], was[-1]) if _THEN.fullmatch(said[: days[0].begin]) else None


def _is_given_away(said: str, old: Day) -> bool:
    """Tell whether a day is said to be something else's: 6号是货车那台, "the 2nd is the survey"."""
    return (
        re.match(
            r"\s*(?:is|was|['’]s)\s+(?!not\b|wrong\b|when\b)\w|是(?![不错])[\u4e00-\u9fffA-Za-z]|\s*(?=我|[她他](?!们?[去来])|咱|人家)",
            said[old.stop :],
            re.IGNORECASE,
        )
        is not None
    )


def _moved(target: Known, new: Sequence[Day], beside: str, old: Day | None = None) -> Anew | None:
    """Return an older statement with another day, or with other days from one to another; None where there is no such day.

    `old`: of days from one to another, the one that is another.
    """
    wide = target.last > target.first
    first, last = new[0], new[-1]
    if wide and len(new) == 1 and old is not None:
        ends = old.day == target.last.day and old.day != target.first.day
        first = Day(0, 0, target.first.day) if ends else first
        last = last if ends else Day(0, 0, target.last.day, target.last.month)
    han = any(map(is_cjk, target.text[target.begin : target.stop]))
    spans = wide and first != last
    days = [_dated(target, one) for one in ((first, last) if spans else (first,))]
    if None in days:
        return None
    words = _words_for([one for one in days if one], han=han, month=target.names_month)
    kept = (
        "the " if not han and not target.names_month and target.text[target.begin :].lower().startswith("the ") else ""
    )
    return Anew(target.place, f"{target.text[: target.begin]}{kept}{words}{target.text[target.stop :]}", beside)


def _words_for(days: Sequence[date], *, han: bool, month: bool = True) -> str:
    """Return a day, or days from one to another, as somebody writes them, with their dates behind them."""
    if han:
        written = "到".join(f"{one.month}月{one.day}号" if month else f"{one.day}号" for one in days)
        return f"{written}（{' 至 '.join(map(date.isoformat, days))}）"
    named = [f"{one.day} {MONTH_NAMES[one.month - 1].capitalize()}" if month else _ordinal(one.day) for one in days]
    return f"{' to '.join(named)} ({' to '.join(map(date.isoformat, days))})"


def _ordinal(day: int) -> str:
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _dated(target: Known, day: Day) -> date | None:
    """Return a day in the month of an older statement's where it names none; None where there is no such day."""
    month = day.month or target.first.month
    return date_of(target.first.year + (month < target.first.month - MONTHS_BACK), month, day.day)


def _with_months(said: str, days: list[Day], target: Known) -> str:
    """Return a statement of which each day names its month."""
    for one in reversed([each for each in days if not each.bare]):
        if not one.month and (found := _dated(target, one)):
            han = any(map(is_cjk, said[one.begin : one.stop]))
            said = said[: one.begin] + _words_for([found], han=han) + said[one.stop :]
    mistake = _OWN.search(said)
    return (
        said[mistake.end() :].lstrip(" ，,。：:了行字！!")
        if mistake and days and mistake.end() < days[0].begin
        else said
    )


def _behind(said: str, days: list[Day], new: Sequence[Day], target: Known) -> str:
    """Return what is told behind the clause of a new day, where that is much: 应该是2到6，后面三天去爬山，9号才回."""
    border = next((one for one in _CLAUSE.finditer(said) if one.start() >= new[-1].stop), None)
    if border is None:
        return ""
    rest = said[border.end() :]
    moved = [
        one._replace(begin=one.begin - border.end(), stop=one.stop - border.end())
        for one in days
        if one.begin >= border.end()
    ]
    han = sum(map(is_cjk, rest))
    much = han >= MUCH_HAN if han else len(words_of(rest)) >= MUCH
    return _with_months(rest, moved, target) if much else ""


def _sentences_before(said: str, at: int) -> str:
    """Return the whole sentences that stand before a place."""
    ends = [one.start() for one in _SENTENCE.finditer(said) if one.end() <= at]
    return said[: ends[-1]].strip() if ends and not _OWN.search(said[: ends[-1]]) else ""
