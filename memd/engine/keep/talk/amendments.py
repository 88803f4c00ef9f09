"""What a person corrects of what they said a moment before: "no wait, it's Thursday" is the older statement with another day.

A value takes the place of the one of its kind: a day of a day, an hour of an hour, a number, a name; of the value that is
denied ("not Wednesday", 不是周三) where it is named. Where the older has none or two of the kind nothing is proved, and what
is new stands by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memd.engine.keep.talk.values import KINDS, kinds_of
from memd.text import expressions as re
from memd.text.characters import is_cjk

REACH = 12  # statements back

_MARK = re.compile(
    r"\W*(?:(?:oh|ah|hmm*|uh|um|no|and|but|so|hey)\W+)*(?P<mark>(?:no[,.]? )?wait(?: no)?(?: a (?:sec|second|minute))?|hang on|hold on|sorry(?=[ ,，]*(?:我?(?:刚才|刚刚)?(?:说|讲|记|写|打|搞)错))|sorry(?=,? (?:(?-i:[A-Z])[\w’'-]*|\d[\d.,:]*|(?:mon|tues|wednes|thurs|fri|satur|sun)day|half \w+|morning|afternoon|evening)[.!]?\Z)|sorry(?=[ ,—–-]+(?:i meant|i mean|it['’]?s|that['’]?s|make|not|\w+ not|\w+day|wrong|my))|correction|scratch that|strike that|make (?:that|it)(?= )|i mean[t]?(?= |,)|i misspoke|i was wrong|or rather|oops|my (?:mistake|bad)|i got that wrong|(?:i(?:['’]ve| have) )?told you wrong(?: (?:earlier|before|there|yesterday|the other day))?|i (?:said|had|read|put)(?: (?:it|that|this))? wrong(?: (?:earlier|before|there|yesterday|the other day))?|typo|(?:no[,.]? )?i tell a lie|actually)\b"
    r"(?:[\s,.:;!—–-]+(?:no|sorry|actually|i mean[t]?|it should be|make that|correction|rather|wait|i was wrong|my mistake|(?:i(?:['’]ve| have) )?(?:told you|got it|got that|read it) wrong)\b)*[\s,.:;!—–-]*"
    r"|\W*(?:[啊哦噢呃嗯哎]+\W*)?(?P<mark_zh>不对|等等|等一下|等下|[说讲]错[了咗]?|(?:短信|通知|单子|日历|日程|票|邮件|消息|微信)?我?(?:刚才|刚刚|昨天|剛剛|剛才)?(?:说|說|讲|講|记|記|写|寫|打|搞|看|弄|说岔|讲岔)(?:错|錯|岔)(?:行|字)?[了咗]?(?=[\s，,。：:！!是应]|\Z)|更正(?:一下)?|纠正(?:一下)?|订正|口误|笔误|抱歉(?=[，,]?(?:是|我|应该|不是))|应该是(?=.)|其实是|准确(?:地)?说(?:是)?)(?:[\s，,。：:！!]*(?:我)?(?:[说讲]错[了咗]?|记错[了咗]?|不对|应该|等等|抱歉))*[\s，,。：:！!]*",
    re.IGNORECASE,
)
_WEAK = re.compile(r"\W*actually\b", re.IGNORECASE)
_OWN_MISTAKE = re.compile(
    r"\W*(?:(?:不对|不是|哦|啊|sorry|唔好意思)[\s，,。!！]*)*(?:我?(?:刚才|刚刚)?(?:说|讲|记|写|打|搞)错(?:了|咗)?(?![话人过字])|我记错)|\W*(?:oh,? |sorry,? )?(?:i misspoke|i was wrong(?! to\b)|my mistake(?! was| is))\b|\W*(?:(?:oh|sorry|no|hang on|hold on|wait)\W+)*i(?:['’]ve| have)? told you wrong\b",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"(?:it['’]?s|its(?= \d)|it is|that['’]?s|that is|(?:he|she)['’]?s|(?:he|she) is|it was|it should be|it['’]?ll be|make it|make that|should be|i mean[t]?)\s+|(?:我的意思是|我是说|我说的是|应该是|应该|其实是|那是|就是|是|系)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"^not (?:on |at |in )?(?P<old>[^,.;—–]{1,40}?)(?:,? but|[,;—–]+\s*(?:it['’]?s)?)\s*(?:on |at |in )?(?P<new>[^,.;]{1,40})$|^(?P<new2>[^,;—–]{1,60}?)[,;—– ]+(?:and )?not (?:on |at |in )?(?P<old2>[^,.;]{1,40})$"
    r"|^不是(?P<old3>[^，,。；]{1,20})[，,；]?\s*(?:而|应该)?是(?P<new3>[^，,。；]{1,20})$|^是?(?P<new4>[^，,。；]{1,20})[，,；]?\s*不是(?P<old4>[^，,。；]{1,20})$"
    r"|^(?P<old5>[^,;]{2,40}?) (?:was|is) (?:only )?(?:last (?:year|week|month|time|term|season)|the (?:old|other|previous) one)[,;—–]+ ?(?:(?:this (?:one|time|year) )?it['’]?s|this (?:one|time|year)['’]?s?(?: it['’]s| is)?) (?P<new5>[^,.;]{1,40})$",
    re.IGNORECASE,
)
# 刚才说的一天150，是我记错了，是200.
_MAKE_IT = re.compile(
    r"\W*(?:(?:ok|so|and|no|please|then|right|actually)\W+)*make (?:it|that) (?:the |on )?", re.IGNORECASE
)
_WHEN_KINDS = ("date", "day", "month", "hour")
_WAS_WRONG = re.compile(
    r"(?:刚才|刚刚|上次|之前|前面)?我?(?:说|讲|写)的?(?P<old>[^，,。；\s]{1,24})[，,\s]*是?我?(?:说|记|写|搞|弄)错了[，,。\s]*(?:应该|其实)?是(?P<new>[^，,。；]{1,16})[。！\s]*\Z"
)
_THAT_IS_RIGHT = re.compile(r"\s*(?:先(?:啱|系)|才(?:对|是))\Z")
# Within one statement: 我血型是A型 不对 是AB型.
_INLINE = re.compile(
    r"(?P<said>.{4,200}?)(?:[\s，,。]*(?<![说讲觉得认为])(?P<mark>不对|[说讲记打]错[了咗]?|哦不|唔系|更正一下)[\s，,。！!是系]+|，(?:不，|应该是)|[,;—–-]+\s*(?:no wait|wait,? no|no,? hang on|no sorry|sorry,? no|sorry(?: i mean(?:t)?)?|er,? no|no|er|correction|or rather|i mean[t]?|i tell a lie)[,\s]+)(?P<new>[^。！？!?]{1,40})",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"(?<![女男])(?:女朋友|男朋友|女友|男友|老板娘|小姑子|小姨子|小舅子|大姑子|姑父|姨父|舅妈|(?:表|堂|大|小|二|三|干)?(?:姐姐|妹妹|哥哥|弟弟|姐夫|妹夫|嫂子|弟媳|[表堂][姐妹哥弟]|[大二三小][姐妹哥弟姨叔舅]|叔叔|婶婶|侄[儿女子]|外甥女?|爸爸|妈妈|爷爷|奶奶|外公|外婆|儿子|女儿|老公|老婆|同事|老板|邻居|室友|同学|朋友))(?![子娘圈们])"
    r"|(?<![\w-])(?:ex-|best |old |late )?(?:(?:half-|step)?(?:sister|brother)|cousin|aunt(?:ie|y)?|uncle|niece|nephew|mother|father|mum|mam|mom|dad|grand(?:mother|father|ma|pa|son|daughter)|son|daughter|wife|husband|partner|girlfriend|boyfriend|boss|manager|colleague|neighbou?r|friend|flatmate|roommate)(?:-in-law)?(?![\w-]| of\b)",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"(?P<head>.*(?:住在?|搬到了?|来自|老家在|在(?![\u4e00-\u9fff]*(?:上班|工作|上学|读|学|做|开|当|教|养|打|实习))|叫做?|姓|是|换成|养了?[一两]?[只条]?|吃|喝|食紧?))(?P<object>[\u4e00-\u9fff]{1,6})"
)
_OBJECT_ALONE = re.compile(r"[\u4e00-\u9fff]{1,6}")
LONGEST_WITHIN = 300
_FIGURES = re.compile(r"\d+(?:[.,]\d+)?")
_OVER = re.compile(r"yesterday|today|昨|今|前", re.IGNORECASE)
_GIVEN = re.compile(
    r"\s*(?:is|was|are|were|had)\b|[块元个]?是", re.IGNORECASE
)  # behind a value that is something else's
_HALF = re.compile(r" and a (?:half|quarter)\b| point \w+", re.IGNORECASE)
_PAUSE = re.compile(r",(?!\d)|[，;；—–]")
_NO_HOUR = re.compile(r"\d+\.[6-9]\d")
_LAST_FIGURE = re.compile(r"\d+(?:\.\d+)?\Z")
# What stands for a value where somebody corrects themselves, beside the kinds that what changes a memory is learned over.
_VALUES = (
    *KINDS,
    ("part of day", re.compile(r"(?:早上|上午|中午|下午|傍晚|晚上|凌晨|睡前|饭前|饭后|早餐后|晚餐后)+|\bin the (?:morning|afternoon|evening)\b|\bat (?:night|bedtime|breakfast|lunch|dinner)\b", re.IGNORECASE)),
)  # fmt: skip
_NAME = re.compile(r"(?<![.!?] )(?<!\A)(?<![\w’'])(?!I\b|I['’])[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*")
_WORD = re.compile(r"[a-z][a-z’'-]{3,}", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]{2,}")
_COMMON_WORDS = (
    "that this with have from they will been were what when where which there their about would could should because into over just like really than then them some more very also"
    " actually sorry wait meant said going need want make made know think wrong mistake"
)
_COMMON = frozenset(_COMMON_WORDS.split())
SHORT_WORDS, SHORT_HAN = 7, 12


class Correction(NamedTuple):
    """What a statement corrects. `text`: without the words of correcting; `old`: the value it denies, "" where it names none;
    `new`: the value it gives, "" where it is a statement of its own; `weak`: the words may mean something else; `own`: it is said to
    be the speaker's own mistake."""

    text: str
    old: str
    new: str
    weak: bool
    own: bool = False


def correction_of(said: str) -> Correction | None:
    """Return what a statement, with the words before it, corrects; None where it does not say that it does."""
    mark = _MARK.match(said)
    if mark and (mark["mark"] or mark["mark_zh"]):
        text = said[mark.end() :].strip()
        weak = _WEAK.match(said) is not None and "wait" not in mark[0].lower()
    else:
        text, weak = said.strip(), True
    if wrong := _WAS_WRONG.match(said.strip()):
        old, new = wrong["old"].strip(), wrong["new"].strip()
        return Correction(
            text, old, _LAST_FIGURE.sub(new, old) if new.isdigit() else with_value(old, new) or new, weak=False
        )
    bare = _THAT_IS_RIGHT.sub("", text.rstrip(" .!。！"))
    it_is = _IT_IS.match(bare)
    value = bare[it_is.end() :] if it_is else bare
    if parted := _NOT_BUT.match(value) or _NOT_BUT.match(bare):
        groups = parted.groupdict()
        old = next(groups[one] for one in ("old", "old2", "old3", "old4", "old5") if groups[one])
        new = next(groups[one] for one in ("new", "new2", "new3", "new4", "new5") if groups[one])
        if groups["old5"] and not mark:
            return None  # "the match was last week, it's raining" corrects nothing
        return Correction(text, old.strip(), new.strip(), weak=weak and mark is None)
    if not mark:
        return None
    new = value if _is_short(value) and (it_is or not _has_clause(value)) else _value_first(value)
    return Correction(text, "", new, weak, is_own(said))


def _value_first(said: str) -> str:
    """Return the value that a text begins with, where nothing else stands before its first pause: "23.95, they put me up"."""
    head = _PAUSE.split(said, maxsplit=1)[0].strip()
    return head if any(pattern.fullmatch(head) for _, pattern in _VALUES) else ""


def sets_anew(said: str) -> bool:
    """Tell whether a statement gives another value of something as an order would: "make it the 18th"."""
    return _MAKE_IT.match(said) is not None and not kinds_of(said).isdisjoint(_WHEN_KINDS)


def is_mark_alone(said: str) -> bool:
    """Tell whether a statement is nothing but words of correcting: "no wait"."""
    mark = _MARK.match(said)
    return mark is not None and not said[mark.end() :].strip(" .!,。！，…")


def amended(correction: Correction, older: Sequence[str], *, just_said: bool = False) -> tuple[int, str] | None:
    """Return which of the older statements, the newest last, is corrected, and what it says now; None where none is proved.

    `just_said`: the newest was told in this turn or the speaker's last.
    """
    recent = [*enumerate(older)][-REACH:][::-1]
    if correction.old:
        for n, text in recent:
            at = text.casefold().find(correction.old.casefold())
            if at >= 0 and len(text.casefold()) == len(text):
                new = correction.new if _is_short(correction.new) else correction.text
                rest = text[at + len(correction.old) :]
                return n, text[:at] + _joined(_bare(new), rest) if _is_value(correction.new) else correction.text
    if correction.old and correction.weak:
        return None  # what it denies was not said here
    if correction.new:
        for n, text in recent:
            if said := with_value(text, correction.new) or _with_kin(text, correction.new):
                return n, said
        said = _with_object(recent[0][1], correction.new) if recent and just_said and correction.own else ""
        return (recent[0][0], said) if said else None
    for n, text in recent:
        if said := _with_the_other(text, correction.text):
            return n, said
    words = words_of(correction.text)
    for n, text in recent:
        shared = words & words_of(text)
        if len(shared) > 1 or (shared and kinds_of(text) & kinds_of(correction.text)):
            return n, correction.text
    return None


def _with_the_other(text: str, said: str) -> str:
    """Return a statement with another amount, where its only one is given to something else: "超过三百块…", 我是五百，三百是他的."""
    numbers = dict(KINDS)["number"]
    own = [one for one in numbers.finditer(text) if one[0].casefold() in said.casefold()]
    both = list(numbers.finditer(said))
    if len(own) != 1 or len(both) != 2:
        return ""
    other = [one for one in both if one[0].casefold() != own[0][0].casefold()]
    if len(other) != 1 or other[0][0] in text or not _GIVEN.match(said[both[both.index(other[0]) - 1].end() :]):
        return ""
    behind = _HALF.match(said, other[0].end())
    value = other[0][0] + (behind[0] if behind else "")
    return text[: own[0].start()] + value + text[own[0].end() :]


def with_value(text: str, value: str) -> str:
    """Return a statement with a value in the place of its only one of that kind; "" where it has none, or two."""
    replaced = text
    done = timed = False
    for kind, pattern in _VALUES:
        found = pattern.search(value)
        if not found or ((done or timed) and kind in ("number", "year", "month")):
            continue
        if kind == "hour" and _NO_HOUR.fullmatch(found[0]):
            continue
        timed = timed or kind in _WHEN_KINDS  # its figure is a time's: "3am" is no 3
        others = list(pattern.finditer(replaced))
        if not others and kind == "date":
            others = [one for one in KINDS[1][1].finditer(replaced) if not _OVER.match(one[0])]  # the 5th for Thursday
        elif not others and kind == "day":
            others = list(KINDS[0][1].finditer(replaced))
        if len(others) > 1 and kind == "number":
            others = [one for one in others if _shape(one[0]) == _shape(found[0])]  # 23.95 for 23.15, not for 5
        if len(others) != 1:
            continue
        if others[0][0].casefold() == found[0].casefold():
            continue
        replaced = replaced[: others[0].start()] + found[0] + replaced[others[0].end() :]
        done = True
    if done:
        return replaced
    return _with_name(text, value)


def _shape(number: str) -> str:
    return re.sub(r"\d", "0", number.lstrip("$€£¥"))


def corrected_within(said: str) -> str:
    """Return a statement that corrects itself as it was meant: 我血型是A型 不对 是AB型 says 我血型是AB型; "" where it does not, or nothing is proved."""
    said = said.strip()
    found = _INLINE.fullmatch(said.rstrip(" .。")) if len(said) <= LONGEST_WITHIN else None
    if found is None:
        return ""
    before, value = found["said"].strip(" ，,"), _IT_IS.sub("", found["new"].strip(), count=1)
    if not _is_short(value):
        return ""
    if text := _with_kind_first(before, value) or _with_kin(before, value) or _with_object(before, value):
        return text
    if not is_cjk(value[0]):
        at = max(before.rfind("是"), before.rfind("叫"))
        return before[: at + 1] + value if at > 0 else _with_name(before, value)
    at = before.rfind(value[:2])
    return before[:at] + value if at > 0 and len(value) > 2 else ""


def _with_kind_first(text: str, value: str) -> str:
    """Return a text with a value that is one of its only one of a kind, or begins with it where the text ends with its own."""
    for _, pattern in _VALUES:
        found, others = pattern.match(value), list(pattern.finditer(text))
        if found and len(others) == 1:
            whole = found.end() == len(value.rstrip(" .。"))
            if whole or others[0].end() == len(text):
                return text[: others[0].start()] + value + text[others[0].end() :]
    figures = list(_FIGURES.finditer(text))
    if _FIGURES.fullmatch(value) and len(figures) == 1:
        return text[: figures[0].start()] + value + text[figures[0].end() :]
    return ""


def _with_name(text: str, value: str) -> str:
    names = list(_NAME.finditer(text))
    own = re.fullmatch(r"(?:in |at |with |to |from )?(?P<name>[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*)", value.strip(" .!"))
    if not own or len(names) != 1 or kinds_of(value):
        return ""
    return text[: names[0].start()] + own["name"] + text[names[0].end() :]


def _with_object(text: str, value: str) -> str:
    """Return a Chinese statement with another word at its end for the one that its verb has: 我住在杭州, 苏州."""
    found = _OBJECT.fullmatch(text.rstrip(" 。！"))
    if not found or not _OBJECT_ALONE.fullmatch(value) or value == found["object"]:
        return ""
    return f"{found['head']}{value}"


def points_at(said: str) -> bool:
    """Tell whether a text gives the value of something that stood before: "it's Rex", 其实是狗."""
    return _IT_IS.match(said) is not None and not _has_clause(_IT_IS.sub("", said, count=1))


def is_own(said: str) -> bool:
    """Tell whether somebody corrects themselves, and answers nothing: 不对 我说错了."""
    return _OWN_MISTAKE.match(said) is not None


def _with_kin(text: str, value: str) -> str:
    """Return a statement of another person of one's own: of 我妹妹搬到绵阳去了 and 我表妹; "" where it has none, or two."""
    new = _KIN.fullmatch(
        re.sub(r"^(?:我的?|my |the )|[ ,]+i mean[t]?$", "", value.strip(" .!。！"), flags=re.IGNORECASE)
    )
    found = list(_KIN.finditer(text))
    if not new or len(found) != 1 or found[0][0] == new[0]:
        return ""
    return text[: found[0].start()] + new[0] + text[found[0].end() :]


def _joined(value: str, rest: str) -> str:
    """Return a value and what stands behind it; what both say at their border is said once."""
    for size in range(min(len(value), 4), 0, -1):
        if is_cjk(value[-1]) and rest.startswith(value[-size:]):
            return value + rest[size:]
    return value + rest


def _is_value(new: str) -> bool:
    return _is_short(new) and not _has_clause(new)


def _is_short(value: str) -> bool:
    han = sum(map(is_cjk, value))
    return len(value.strip()) > 0 and han <= SHORT_HAN and len(value.split()) <= SHORT_WORDS


def _has_clause(value: str) -> bool:
    return re.search(
        r"\b(?:is|are|was|were|am|has|have|will|works?|lives?|starts?|moved|goes)\b|\w['’](?:s|m|re)\b",
        value,
        re.IGNORECASE,
    ) is not None or (sum(map(is_cjk, value)) > 6 and re.search(r"[是在有住叫]", value) is not None)


def _bare(value: str) -> str:
    return re.sub(r"^(?:on|at|in) ", "", value.strip(), flags=re.IGNORECASE)


def words_of(text: str) -> set[str]:
    """Return the words by which two statements may be of one matter: long ones in English, each two characters of Han, and no value."""
    found = {
        one.casefold().removesuffix("'s").removesuffix("’s").removesuffix("s") for one in _WORD.findall(text)
    } - _COMMON
    values = {
        word.casefold().removesuffix("s")
        for _, pattern in _VALUES
        for match in pattern.finditer(text)
        for word in match[0].split()
    }
    han = {run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1)}
    return (found - values) | {one for one in han if not any(pattern.search(one) for _, pattern in _VALUES)}
