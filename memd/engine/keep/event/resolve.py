"""What the time phrases of a text mean when it is written: when its event happened or will, since when and until when it holds.

One sentence after the other is read, the first that tells an event counts. Of a long text only the sentences that name a time,
together at most READ_CHARS. What is a habit, denied, supposed, asked or quoted is no event; `since` and `until` bound what holds.

Units
    aware datetimes in the scene's zone; intervals are half-open. Open phrases (Friday, 5 May, 国庆节) are the last such time where
    the words around them are past, else the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from memd.engine.keep.event import signs
from memd.engine.keep.event.years import is_soon, is_yearly, with_months, with_years
from memd.formats.times import WRITTEN
from memd.text import expressions as re
from memd.text.simplified import simplified
from memd.text.times import Interval, Mention, read_times

COMPARED_CHARS, READ_CHARS = 4000, 240  # of a text that is compared; of its sentences that name a time
LEAST_CHARS = 40  # that a sentence counts for, as reading one has a price of its own
SENTENCE_CHARS = 160  # what goes on longer without a full stop is read in parts
MOST, NEAR = 6, 60  # phrases of a sentence; characters before one that may govern it
# Until what is no longer than SHORT is until its end; until a month or a year is until it begins.
LONGEST, SHORT = timedelta(days=366 * 100), timedelta(days=2)

_SENTENCE = re.compile(
    r"(?:[^.!?。！？\n]|\.(?=\S)|(?<=\b[ap]\.m)\.|(?<=\b(?:Dr|Mr|St|vs))\.|(?<=\b(?:Mrs|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec))\.)+[.!?。！？]*"
)
_NAMES_TIME = re.compile(
    r"days?\b|\b(?:tonight|tomorrow|week|month|year|morning|afternoon|evening|noon|night|ago|moment|quarter|decade|tmrw|weekend|fortnight)"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:spring|summer|autumn|fall|winter)\b|\b(?:19|20)\d\d\b|\d(?:st|nd|rd|th)\b|\d0s\b"
    r"|ties\b|christmas|xmas|easter|hallowe|hogmanay|epiphany|valentine|festival|thanksgiving|\bnew year|\bq[1-4]\b|\bin (?:an?|\d+|\w+) (?:minute|hour)|just now|\bhours? ago"
    r"|[天日周月年季早晚晨午夜春夏秋冬号]|星期|礼拜|小时|分钟|刚才|刚刚|上午|下午|圣诞|国庆|清明|端午|中秋|除夕|元旦|[五六]一|双十一|\d[-/.]\d",
    re.IGNORECASE,
)
# One of these stands in all that the pattern above finds.
_WORDS = (
    *[
        "day",
        "night",
        "tomorrow",
        "tmrw",
        "week",
        "month",
        "year",
        "morning",
        "noon",
        "evening",
        "ago",
        "moment",
        "quarter",
        "decade",
        "jan",
        "feb",
        "mar",
        "apr",
        "may",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
        "spring",
        "summer",
        "autumn",
        "fall",
        "winter",
        "ties",
        "christmas",
        "xmas",
        "easter",
        "halloween",
        "valentine",
        "festival",
        "thanksgiving",
        "hour",
        "minute",
    ],
    "just now",
    *"0123456789",
)
_HAN_TIMES = frozenset("天日周月年季早晚晨午夜春夏秋冬号星期礼拜小时分钟刚圣诞国庆清明端中除夕元旦五六双")
_PAUSE = re.compile(
    r"[;,，；、：—–()（）]|:(?!\d)|\b(?:and|but|so|then|because|while|although|though|which)\b|但是|但|然后|不过|所以|而且|因为|并且|结果|可是|是(?=昨|今|明|周|下|上|\d)|(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|`[^`]*`|《[^》]*》")
# Both begin where a run does, and each star ends at what follows it: long runs of Han or code take time in proportion.
_PLACE = re.compile(
    r"(?<![^\s，。“”\"])[^\s，。“”\"A-Za-z_]*[A-Za-z_][^\s，。/]*/\S*|(?<!\S)[^\s\d]*\d\S*\.[a-z]{2,5}\b"
)
_ASKED = re.compile(r"[?？]\s*\Z|吗\s*[。.]?\s*\Z")
_RANGE = re.compile(r"\s(?:to|until|till|through|and)\s|[-–—~～到至]")
_LATIN = re.compile(r"[A-Za-z]{3}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Told(NamedTuple):
    """What a text says of times: its event, and since when and until when it holds; None where it says nothing."""

    event: Interval | None = None
    since: datetime | None = None
    until: datetime | None = None


class _Phrase(NamedTuple):
    """A phrase that may be the event's: when it is, and the words it stands in, which are a clause or two."""

    interval: Interval
    begin: int
    clause: str


def resolve(text: str, now: datetime) -> Told:
    """Return what a text's own phrases of time mean; `now` is aware, in the scene's zone."""
    since = until = None
    for sentence in _sentences(text):
        event, first, last = _Sentence(sentence, now).told()
        since, until = since or first, until or last
        if event is not None:
            return Told(_whole_seconds(event), since, until)
    return Told(None, since, until)


def dating(text: str, now: datetime) -> list[Mention]:
    """Return the times by which a text dates what it tells, in order: none of a habit, a taste, or what is supposed or asked."""
    found: list[Mention] = []
    for sentence in _SENTENCE.finditer(text[:COMPARED_CHARS]):
        if not _NAMES_TIME.search(sentence[0]):
            continue
        for at in range(sentence.start(), sentence.end(), SENTENCE_CHARS):
            part = _Sentence(text[at : min(sentence.end(), at + SENTENCE_CHARS)], now)
            found += [one._replace(begin=one.begin + at, stop=one.stop + at) for one in part.dating()]
    return found


def names_time(text: str) -> bool:
    """Tell whether a text may name a time at all. A few microseconds where it does not."""
    lowered = text.lower()
    if not any(word in lowered for word in _WORDS) and _HAN_TIMES.isdisjoint(simplified(text)):
        return False
    return _NAMES_TIME.search(text) is not None


def phrases(text: str, now: datetime) -> tuple[str, ...]:
    """Return the words of a text that name times: an edit that leaves them alone tells no other time."""
    found = ((one, mention) for one in _sentences(text[:COMPARED_CHARS]) for mention in read_times(one, now))
    return tuple(one[mention.begin : mention.stop].casefold() for one, mention in found)


def is_errand(text: str) -> bool:
    """Tell whether a text is nothing but a call, a meeting, a deadline: of no further worth when its day is long over."""
    text = WRITTEN.sub("", text).strip()  # what memd writes behind words of time divides nothing
    bare = len(text) <= SENTENCE_CHARS and len(list(_SENTENCE.finditer(text))) == 1
    return bare and signs.ERRAND.search(text) is not None and len(_PAUSE.findall(text)) <= 1


def corrects(text: str) -> bool:
    """Tell whether a text has words by which it corrects what was told, or tells that something was moved."""
    return signs.CORRECTION.search(text) is not None


def signs_of(text: str, phrases: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Return what the words around phrases say of their times: past, ahead, or ""."""
    return {one: said(*one) for said in (_Sentence(text, None).sign,) for one in phrases}


def _sentences(text: str) -> Iterator[str]:
    left = READ_CHARS
    for found in _SENTENCE.finditer(text.strip()):
        sentence = found[0]
        if left <= 0:
            return
        for at in range(0, len(sentence), SENTENCE_CHARS):
            part = sentence[at : at + SENTENCE_CHARS]
            if left > 0 and _NAMES_TIME.search(part):
                left -= max(len(part), LEAST_CHARS)
                yield part


def _whole_seconds(interval: Interval) -> Interval:
    return interval._replace(
        start=interval.start.replace(microsecond=0), end=interval.end.replace(microsecond=0), turns=""
    )


def _unquoted(sentence: str) -> str:
    """Return a sentence with what it quotes, and names of files, as blanks; what is quoted as a whole is its own word."""
    bare = sentence.strip()
    if bare[:1] in '"“「' and bare.rstrip(".。!！")[-1:] in '"”」':
        return sentence
    for pattern in (_QUOTED, _PLACE):
        for found in pattern.finditer(sentence):
            sentence = sentence[: found.start()] + " " * len(found[0]) + sentence[found.end() :]
    return sentence


class _Sentence:
    """One sentence, and what its phrases are."""

    def __init__(self, text: str, now: datetime | None) -> None:
        self.text, self.now = _unquoted(text), now
        self._pauses = [one.span() for one in _PAUSE.finditer(self.text)]

    def told(self) -> tuple[Interval | None, datetime | None, datetime | None]:
        """Return its event, since when and until when it holds."""
        if self.now is None:
            return None, None, None
        asked = _ASKED.search(self.text) is not None
        since = until = None
        found: list[_Phrase] = []
        for one in self._mentions(self.now):
            if asked and self._bounds(one.begin, one.stop)[1] >= len(self.text):
                continue
            if (first := self._since(one)) is not None:
                since = since or first
            elif (last := self._until(one)) is not None:
                until = until or last
            elif self._is_event(one):
                found.append(_Phrase(one.interval, one.begin, self._clause(one.begin, one.stop)))
        return self._chosen(found), since, until

    def dating(self) -> list[Mention]:
        """Return the times that are its event's, or that bound what holds."""
        found = self._mentions(self.now) if self.now is not None and not _ASKED.search(self.text) else []
        return [one for one in found if self._since(one) or self._until(one) or self._is_event(one)]

    def _mentions(self, now: datetime) -> list[Mention]:
        """Return the times it names, each with the year that another of them names for it."""
        found = with_months(self.text, read_times(self.text, now, self.is_ahead)[:MOST], now)
        return with_years(self.text, found, now, self._bounds, self.sign) if len(found) > 1 else found

    def is_ahead(self, begin: int, stop: int) -> bool:
        """Tell whether a phrase that comes again means the next time."""
        return self.sign(begin, stop) != "past" or is_soon(self.text, begin, stop, self.now)

    def sign(self, begin: int, stop: int) -> str:
        """Return what the words around a phrase say of its time: past, ahead, or ""."""
        before = self.text[max(0, begin - NEAR) : begin]
        first, last = self._bounds(begin, stop)
        if signs.TOWARDS.search(before) and signs.ARRANGED.search(before):
            return "ahead"
        if signs.HAN_MOVED.search(before):
            return "ahead"  # 改到周四了: that it was moved is past, its day is not
        if signs.HAN_EVER.search(before) or (signs.SINCE.search(before) and not signs.STARTING.search(before)):
            return "past"
        han = _HAN.search(self.text[begin:stop]) or (_HAN.search(self.text) and not _LATIN.search(before))
        sign = self._sign(first, begin, stop, last, han=bool(han))
        if signs.HAN_FROM.search(before) and signs.HAN_FROM_NOW.match(self.text, stop, last):
            return "ahead"
        if not sign:
            if self.text[first - 1 : first] == "是" and self.text[last - 1 : last] != "的":
                return "ahead"  # 新车是20号提，销售已经确认了
            wider = self._wider(first, last)
            if signs.HAN_SHIFTED.search(self.text[wider[0] : first].rstrip("，, ")):
                return "ahead"
            sign = self._sign(wider[0], begin, stop, wider[1], han=bool(han))
        began = not sign and "月" in self.text[begin:stop] and signs.HAN_BEGAN.match(self.text[stop:])
        return "past" if began else sign

    def _sign(self, first: int, begin: int, stop: int, last: int, *, han: bool) -> str:
        """Return the sign that governs a phrase: of English the nearest before it, of Chinese the nearest behind it."""
        pattern = signs.CHINESE if han else signs.ENGLISH
        behind = (one.lastgroup or "" for one in pattern.finditer(self.text, stop, last))
        if han and (nearest := next(behind, None)) is not None:
            return nearest
        before = [one.lastgroup or "" for one in pattern.finditer(self.text, first, begin)]
        return before[-1] if before else next(behind, "")

    def _bounds(self, begin: int, stop: int) -> tuple[int, int]:
        """Return where the clause around some characters begins and ends."""
        first = max((end for start, end in self._pauses if end <= begin), default=0)
        last = min((start for start, end in self._pauses if start >= stop), default=len(self.text))
        return first, last

    def _wider(self, first: int, last: int) -> tuple[int, int]:
        """Return the bounds with the clause behind, or at the end of the sentence the one before."""
        behind = next((one for one in self._pauses if one[0] >= last), None)
        if behind is not None and self.text[behind[1] :].strip():
            return first, self._bounds(behind[1], behind[1])[1]
        before = next((one for one in reversed(self._pauses) if one[1] <= first), None)
        return (self._bounds(before[0], before[0])[0], last) if before else (first, last)

    def _clause(self, begin: int, stop: int) -> str:
        """Return the words that a phrase stands in: where its own clause has no verb that is known, with the next."""
        first, last = self._bounds(begin, stop)
        own = self.text[first:last]
        if not (signs.ENGLISH.search(own) or signs.CHINESE.search(own)):
            first, last = self._wider(first, last)
        return self.text[first:last]

    def _own_or_next(self, first: int, last: int) -> str:
        """Return a clause; where it has no verb that is known and another follows, with that: "on Friday, I did not go"."""
        own = self.text[first:last]
        if signs.ENGLISH.search(own) or signs.CHINESE.search(own) or self._wider(first, last)[0] != first:
            return own
        return self.text[first : self._wider(first, last)[1]]

    def _since(self, one: Mention) -> datetime | None:
        before, behind = self.text[max(0, one.begin - NEAR) : one.begin], self.text[one.stop :]
        words = self.text[one.begin : one.stop]
        if signs.SINCE.search(before):
            return one.interval.start
        source = None if _RANGE.search(words) else signs.FROM.search(before)
        if source and (signs.ONWARDS.match(behind) or source["first"] is not None):
            return one.interval.start
        ahead = source and self.now and one.interval.start > self.now and signs.FROM_AHEAD.search(before)
        if ahead and not (signs.FROM_NOUN.search(before) or _RANGE.match(behind)):
            return one.interval.start
        han = signs.HAN_FROM.search(before) and not _RANGE.search(words) and not signs.HAN_FROM_NOT.match(behind)
        if han or signs.HAN_SINCE.match(behind):
            return one.interval.start
        if one.interval.turns == "year" and signs.HAN_BEGAN.match(behind) and self.sign(one.begin, one.stop) == "past":
            return one.interval.start
        still = signs.LATELY.match(words) and signs.STILL.search(self._clause(one.begin, one.stop))
        return one.interval.start if still else None

    def _until(self, one: Mention) -> datetime | None:
        before, behind = self.text[max(0, one.begin - NEAR) : one.begin], self.text[one.stop :]
        if signs.MOVED.search(before) or signs.NOT_UNTIL.search(before):
            return None
        found = signs.UNTIL.search(before)
        if found:
            short = one.interval.end - one.interval.start <= SHORT
            whole = short or found["whole"] or signs.END_OF.match(self.text[one.begin : one.stop])
            return one.interval.end if whole else one.interval.start
        if signs.HAN_UNTIL.search(before) or (signs.HAN_TO.search(before) and signs.HAN_ENDS.match(behind)):
            return one.interval.end
        return None

    def _is_event(self, one: Mention) -> bool:
        """Tell whether a phrase tells when something happened or will: no habit, no taste, not denied and not supposed."""
        (first, last), clause = self._bounds(one.begin, one.stop), self._clause(one.begin, one.stop)
        before = self.text[max(0, one.begin - NEAR) : one.begin]
        if one.interval.end - one.interval.start > LONGEST or signs.HABIT_BEFORE.search(before):
            return False
        if signs.SUPPOSED.search(self.text[first:last]):
            return False
        exempt = signs.FORGET.search(clause) or signs.NOT_UNTIL.search(before)
        if signs.DENIES.search(before) and not exempt:
            return False
        turns = one.interval.turns
        if not turns:  # what did not happen last week is told of last week
            return not (self.text.startswith(("刚", "方才"), one.begin) and signs.OF_WORDS.match(self.text, one.stop))
        if signs.DENIED.search(self._own_or_next(first, last)) and not exempt:
            return False
        if signs.HABIT.search(signs.FOR_SO_LONG.sub(" ", clause)) or signs.COMES_AGAIN.search(clause):
            return False
        if self._is_general(one, clause):
            return False
        told = self._bounds(first - 1, first)[0] if self.text[first - 1 : first] == "是" else first
        yearly = f"{self.text[told:first]}{clause}"  # 我的生日是|5月3号
        if is_yearly(one.interval) and signs.YEARLY.search(yearly) and not signs.ONCE.search(clause):
            return False
        return not (signs.TASTE.search(clause) and self.is_ahead(one.begin, one.stop))

    def _is_general(self, one: Mention, clause: str) -> bool:
        """Tell whether a phrase tells of any such time: office hours from Monday to Friday, what is so in winter."""
        words = self.text[one.begin : one.stop]
        if self.sign(one.begin, one.stop) == "past":
            return False
        if signs.SEASON.match(words):
            return signs.INTENDED.search(clause) is None
        if one.interval.turns == "week" and (signs.OF_EVERY_WEEK.search(clause) or signs.IN_A_ROW.search(self.text)):
            return True
        return bool(_RANGE.search(words) and signs.WEEKDAYS.search(words) and signs.HOURS.search(clause))

    def _chosen(self, found: list[_Phrase]) -> Interval | None:
        """Return the event's time of several: the first, but what was decided or moved there, or a narrower time in it."""
        if not found or self.now is None:
            return None
        first, rest = found[0], found[1:]
        moved = signs.MOVED.search(self.text) and self._is_goal(found[-1])
        for other in rest:
            if moved or (
                first.interval.start <= self.now < other.interval.end
                and other.interval.start > self.now
                and signs.TELLING.search(first.clause)
            ):
                return found[-1].interval if moved else other.interval
            wide, narrow = first.interval, other.interval
            if wide.start <= narrow.start and narrow.end <= wide.end and narrow[:2] != wide[:2]:
                return narrow
        return first.interval

    def _is_goal(self, one: _Phrase) -> bool:
        """Tell whether a phrase tells where something was moved to: "I moved here in May, and on Friday" does not."""
        before = self.text[max(0, one.begin - NEAR) : one.begin]
        return bool(_HAN.search(self.text) or signs.TOWARDS.search(before))
