"""A user's short answer joined with the agent's question into one statement, in both languages.

Units
    An answer is short up to SHORT_WORDS words, or SHORT_HAN characters of Han; what is longer, or has a subject of its own, is a
    statement by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memd.engine.keep.talk.amendments import correction_of, with_value
from memd.engine.keep.talk.passing import is_passing, proposes
from memd.engine.keep.talk.questions.chinese_questions import answered_chinese, as_user_zh, read_chinese
from memd.engine.keep.talk.questions.english_questions import answered_english, as_user, read_english
from memd.engine.keep.talk.questions.question import Asked, Kind
from memd.engine.keep.talk.supposed import is_supposed
from memd.engine.keep.talk.values import kinds_of
from memd.text import expressions as re
from memd.text.borders import asks, is_polite, requests
from memd.text.characters import is_cjk
from memd.text.simplified import simplified
from memd.text.statement_words import ANEW
from memd.text.statements import Statement, statements

SHORT_WORDS, SHORT_HAN = 11, 22
LONG_WORDS, LONG_HAN = 18, 32  # of a reply that speaks of what was asked about
MOST_WORDS, MOST_HAN = 16, 28  # of a question that is put behind it
LEAST_WORDS, LEAST_HAN = 3, 4
MOST_ASKED = 3  # questions of one message that are kept for an answer
MOST_CONFIRMED = 2  # statements of a message that a yes confirms: more of them, and it is not clear which

_YES = re.compile(
    r"\W*(?:(?:oh|ah|haha|ok|okay|um|well)\W+)*(?:yes|yeah|yep|yup|ye|yea|aye|correct|right|exactly|precisely|indeed|true|that['’]s (?:right|correct|it|true)|that is (?:right|correct)|sure am|sure do|sure is|absolutely|definitely|of course|affirmative|spot on|bingo|i (?:do|am|did|have|will)(?=\W*$|[,.!;])|(?:it|she|he) (?:is|does|has|will|was|did)(?=\W*$|[,.!;])|they (?:are|do|have|will)(?=\W*$|[,.!;])|we (?:are|do|have|will|did)(?=\W*$|[,.!;]))\b(?!['’-])(?:,? (?:please|exactly|correct|right|indeed|that['’]s (?:right|correct|it)|(?:i|it|she|he|they|we) (?:do|am|is|does|has|are|did|have|was|will)(?=\W*$|[,.!;])))*[\s,.!;—–-]*"
    r"|\W*(?:是的?呀?|对的?|对对+|没错|嗯+|恩|正确|确实|当然|是啊|对啊|是呀|就是|可不是|没问题)(?=[\s，,。！!；～~、]|$)(?:[\s，,。！!；～~、]*(?:是的?|对的?|没错|嗯+)(?=[\s，,。！!；～~、]|$))*[\s，,。！!；～~、]*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:(?:oh|ah|haha|um|well|actually|sorry)\W+)*(?:no|nope|nah|not really|not (?:any ?more|yet|quite)|wrong|incorrect|i (?:don['’]t|do not|didn['’]t|am not|haven['’]t|won['’]t)(?=\W*$|[,.!;])|i['’]m not(?=\W*$|[,.!;])|(?:it|she|he) (?:isn['’]t|doesn['’]t|hasn['’]t|didn['’]t|wasn['’]t|won['’]t)(?=\W*$|[,.!;])|(?:it|she|he)['’]s not(?=\W*$|[,.!;]))\b(?!['’-])(?! (?:idea|clue|wait|preference|worries|problem|matter|need))(?:,? (?:i|it|she|he|they|we) (?:don['’]t|doesn['’]t|isn['’]t|didn['’]t|am not|haven['’]t|hasn['’]t|aren['’]t|wasn['’]t)(?=\W*$|[,.!;]))?[\s,.!;—–-]*"
    r"|\W*(?:不是的?|不对|不|没有|没|错了?|并不是?|不用|不会|不行)(?=[\s，,。！!；～~、]|$)[\s，,。！!；～~、]*",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\W*(?:(?:i['’]m |i am |honestly |tbh )?not (?:sure|certain|decided)|no (?:idea|clue|preference)|dunno|i don['’]?t (?:know|remember|mind|care)|idk|doesn['’]?t matter|whatever|up to you|either(?: (?:one|is fine|works))?\W*$|any(?: of them| is fine)\W*$|later\W*$|never ?mind|depends|tbd|tba|haven['’]?t decided|we['’]ll see|you (?:decide|choose|pick)|why\b|thanks|thank you|hm+\W*$|skip|pass\W*$|let me (?:check|see|think)|rather not|none of your)"
    r"|\W*(?:不知道|不清楚|不确定|不记得|不好说|不一定|随便|都行|都可以|再说|还没(?:定|想|决定)|没想好|你定|你决定|你看着|看情况|忘了|无所谓|到时候|待定|不告诉|保密|等(?:我|会))",
    re.IGNORECASE,
)
_IT = re.compile(r"(?:it|they|he|she|that)(?P<is>['’](?:s|re|ll))?\s+(?P<rest>\S.*)", re.IGNORECASE | re.DOTALL)
_THING = re.compile(r"(?:it|they)(?P<is>['’](?:s|re|ll))?\s+(?P<rest>\S.*)", re.IGNORECASE | re.DOTALL)
_COPULA = re.compile(
    r"(?:it['’]?s|it is|that['’]?s|that is|it was|it['’]ll be|it will be|that would be|that['’]d be|they['’]re|they are|he['’]s|she['’]s|the answer is)\s+",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(
    r"(?:got |been |was |is |has been )?(?:moved|pushed|postponed|cancelled|canceled|delayed|brought forward|rescheduled|shifted|changed|starts?|ends?|closes?|opens?|finishes|works?|lives?|needs?|got|has|had|will|won['’]t|can['’]t|doesn['’]t|didn['’]t|isn['’]t|still|just|already|should be|belongs|expires?|is|was|passed|arrives?|arrived|leaves?|left)\b",
    re.IGNORECASE,
)
_TIMELY = re.compile(
    r"\d|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:today|tomorrow|tonight|yesterday|soon|now|noon|midnight|midday|morning|afternoon|evening|night|week|weekend|month|year|day|spring|summer|autumn|fall|winter|christmas|easter|half|quarter|never|always|every|daily|weekly|monthly|o['’]clock)s?\b"
    r"|[点周号月年天早晚午夜季末底初]|星期|礼拜|刚|马上|国庆|春节|中秋|元旦|小时|分钟",
    re.IGNORECASE,
)
_WHERE_NOT = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b\d{1,2}(?::\d\d)? ?[ap]m\b", re.IGNORECASE)
_OF_USER = re.compile(r"\b(?:you|your|yours|our)\b|[你您]|我们|咱", re.IGNORECASE)
_NAMED_FIRST = re.compile(r"(?P<first>[^，,。！？\s]{1,6})[，,](?=(?:我|他|她|它|咱))")
_LEANS_ZH = re.compile(r"(?!我|你|他|她|我们|咱)[\u4e00-\u9fff\d]")
_NAME = re.compile(r"\b(?!I\b)[A-Z]\w+")
_ECHO = re.compile(
    r"\W*(?P<no>不|没(?:有)?)?(?P<verb>[\u4e00-\u9fff]{1,3}?)(?:的|啊|呀|呢|了)?(?=[\s，,。！!；～~]|$)[\s，,。！!；～~]*"
)


# A question about anybody, as tests have it: "A runner collapses; what do you check first?"
_OF_ANYBODY = re.compile(
    r"\W*an? [a-z]+(?: [a-z]+)? (?!of yours|you)[^.?!]*[;:,]\s*(?:what|which|how|who|where)\b|(?:某|患者|病人|一[名位](?:患者|病人|员工|客户|学生|司机))[^。？]*(?:什么|怎么|如何|哪)",
    re.IGNORECASE,
)
# The number of a question in a row of them.
_NUMBERED = re.compile(
    r"\W*(?:(?:q|question|问题|题目)\s*\.?\s*)?(?:\d{1,2}\s*[).、）．]\s*|\d{1,2}\s*[:：](?!\d)\s*|第\s?[\d一二三四五六七八九十]{1,3}\s?[题題][:：，,、]?\s*)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"(?:[Ii]t|[Tt]hey)\b|(?:[Tt]his|[Tt]hat|[Tt]hese|[Tt]hose)\s+(?:is|are|was|were|does|did|has|have|had|will|would|can)\b|它|[这那](?:个)?(?:是|不是)"
)
_SPEAKERS_OWN = re.compile(r"\b(?:I|me|my|mine|we|us|our|ours)\b|我|咱", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\S))+[.!?。！？]*")
_ENDS = ".!?。！？…\n"


class Joined(NamedTuple):
    """A question and its answer. `text`: the statement they make, "" where the answer says nothing; `rest`: what of the message
    stands behind the answer; `extends`: it says more of what the user said before the question, which it replaces;
    `denies`: what the agent took for so is not."""

    text: str
    rest: str
    extends: bool = False
    denies: bool = False


def read_question(sentence: str) -> Asked | None:
    """Return an agent's question in the user's words; None where an answer to it would tell nothing."""
    return read_chinese(sentence) if any(map(is_cjk, sentence)) else read_english(sentence)


def confirmable(sentence: str) -> Asked | None:
    """Return what an agent states of the user or the matter at hand as something that the user may confirm."""
    if not _OF_USER.search(sentence):
        return None  # how things are anywhere, or what the agent did: to agree with that is to tell nothing
    found = read_question(sentence)
    return found._replace(kind=Kind.TOLD) if found and found.kind in (Kind.TOLD, Kind.YES_NO) and found.form else None


def only_question(text: str) -> str:
    """Return the question with which an agent's message ends, "" where it has none or another one, or offers something."""
    asked = [one for one in statements(text) if one.question and not one.handed]
    begin = max(text.rfind(mark, 0, asked[0].begin) for mark in _ENDS) + 1 if len(asked) == 1 else 0
    found = text[begin : asked[0].end].strip() if len(asked) == 1 else ""  # with "your insurance," before "still AOK?"
    if not found or proposes(found) or is_supposed(found) or not text.rstrip().endswith(found):
        return ""
    found = found[_begin_of(found) :]
    return "" if _OF_ANYBODY.match(found) else found


def questions_of(text: str) -> list[Asked]:
    """Return the questions of an agent's message, the last MOST_ASKED; where it has none, what a yes would confirm."""
    own_words = "".join(text[one.begin : one.end] for one in statements(text) if not one.handed)
    sentences = [one[0].strip() for one in _SENTENCE.finditer(own_words)]
    # A tag or a mark of asking makes a question of what is told.
    asked = [one for one in sentences if (one.endswith(("?", "？")) or asks(one)) and not is_supposed(one)]
    told = [one.rstrip(".。!！") for one in sentences if one not in asked and not is_polite(one)]
    if asked:
        found = (read_question(one[_begin_of(one) :]) for one in asked[-MOST_ASKED:])
        return [one for one in found if one is not None]
    stated = [one for one in map(confirmable, told[:MOST_CONFIRMED]) if one is not None]
    return stated[-1:] if len(stated) == len(told) == 1 else []


def points_at_nothing(text: str) -> bool:
    """Tell whether a statement is about something that it does not name: "It does not fire" tells nobody anything afterwards."""
    return _POINTS.match(text) is not None and _SPEAKERS_OWN.search(text) is None


def _begin_of(question: str) -> int:
    """Return where a question begins behind its number."""
    numbered = _NUMBERED.match(question)
    return numbered.end() if numbered else 0


def join(questions: Sequence[Asked], reply: str, before: str) -> Joined | None:
    """Return what a message answers; None where it answers nothing. `before`: what the user said last before the questions."""
    reply = reply.strip()
    if not questions or not reply:
        return None
    if _NO_ANSWER.match(reply):
        return None
    whether = [one for one in questions if one.kind in (Kind.YES_NO, Kind.TOLD)]
    yes, no = _YES.match(reply), _NO.match(reply)
    if yes or no:
        if len(whether) != 1 or (len(questions) > 1 and whether[0] is not questions[-1]):
            return None
        return _affirmed(whether[0], reply[yes.end() :]) if yes else _denied(whether[0], reply[no.end() if no else 0 :])
    if len(whether) == len(questions) == 1 and (echoed := _echoed(whether[0], reply)):
        return echoed
    first, rest = _first(reply)
    if first is None or not _is_short(first):
        return _of_pronoun(questions, first, rest)
    fitting = [one for one in questions if _fits(one, first)]
    if len(fitting) != 1:
        return None
    asked = fitting[0]
    if asked.bare or simplified(asked.subject.casefold()) in ("it", "that", "this", "它", "这", "那"):
        return Joined(_extended(before, first), rest, extends=True) if before else None
    text = _answered(asked, first)
    return Joined(text, rest) if text else None


def in_context(question: str, reply: str) -> Joined | None:
    """Return a reply that needs the question before it, with that behind it in brackets; None where it needs none, or says nothing.

    For what `join` proves no form: "six, Omar joined (still five players)". `question`: of one sentence, and no offer.
    """
    reply = reply.strip()
    bare = _bare_question(question)
    if not bare or _NO_ANSWER.match(reply):
        return None
    yes_or_no = _YES.match(reply) or _NO.match(reply)
    if yes_or_no and not re.search(r"\w", reply[yes_or_no.end() :]):
        return None
    first, rest = _first(reply[yes_or_no.end() :] if yes_or_no else reply)
    if first is None or not _needs_question(first) or is_supposed(first):
        return None
    comma = "，" if is_cjk(first[0]) else ", "
    said = first if not yes_or_no else f"{reply[: yes_or_no.end()].strip(' ,.!，。！')}{comma}{first}"
    if is_passing(said):
        return None
    return Joined(f"{said}（{bare}）" if any(map(is_cjk, said)) else f"{said} ({bare})", rest)


_ASKS_ZH = re.compile(r"(?:吗|呢|么|嘛)$")


def _bare_question(question: str) -> str:
    """Return a question in the user's words without its mark, "" where it is too long or has nothing to lean on."""
    han = any(map(is_cjk, question))
    bare = question.strip(" ?？.。!！…")
    bare = as_user_zh(_ASKS_ZH.sub("", bare)) if han else as_user(bare)
    long = sum(map(is_cjk, bare)) > MOST_HAN or len(bare.split()) > MOST_WORDS
    enough = sum(map(is_cjk, bare)) >= LEAST_HAN or len(bare.split()) >= LEAST_WORDS
    return bare[:1].lower() + bare[1:] if enough and not long else ""


def _needs_question(text: str) -> bool:
    """Tell whether a reply cannot stand by itself: it is short and has no subject, or speaks of what was asked about."""
    words, han = len(text.split()), sum(map(is_cjk, text))
    if words > LONG_WORDS or han > LONG_HAN or asks(text) or requests(text) or is_polite(text):
        return False
    leans = _is_short(text) or _THING.match(text) is not None or _LEANS_ZH.match(text) is not None
    return leans and (
        words >= LEAST_WORDS or han > LEAST_HAN or _TIMELY.search(text) is not None or _NAME.search(text) is not None
    )


def _first(reply: str) -> tuple[str | None, str]:
    """Return the first statement of a reply and what stands behind it."""
    parts = statements(reply)
    at = next((n for n, one in enumerate(parts) if one.text and not one.courtesy), None)
    if at is None or not _is_telling(parts[at]):
        return None, reply
    text = parts[at].text.strip(" .!。！")
    alone = _NAMED_FIRST.match(text)
    if alone:  # 我姐，我那周在出差
        return alone["first"], text[alone.end() :] + reply[parts[at].end :]
    return text, reply[parts[at].end :]


def _is_telling(one: Statement) -> bool:
    return one.tells and not one.request


_SUBJECT_ZH = re.compile(r"我|咱|他|她|它|这|那")
_KIN_ALONE_ZH = re.compile(r"我(?:妈|爸|姐|妹|哥|弟|老公|老婆|爷|奶|儿|女|自己|家|同事|老板|们?一?个?人)?.{0,2}$")


def _is_short(text: str) -> bool:
    """Tell whether a text is an answer that needs its question: it is short and has no subject of its own."""
    han = sum(map(is_cjk, text))
    if han > SHORT_HAN or len(text.split()) > SHORT_WORDS or asks(text) or requests(text) or is_polite(text):
        return False
    if han and _SUBJECT_ZH.match(text):
        return _KIN_ALONE_ZH.match(text) is not None
    if _COPULA.match(text):
        return True
    kin = re.match(r"(?:my|our) (?:\w+ ){0,2}\w+$", text, re.IGNORECASE)
    return bool(kin) or not (
        ANEW.match(text) or _IT.match(text) or re.match(r"(?:we|you|there|this)\b", text, re.IGNORECASE)
    )


def _fits(asked: Asked, answer: str) -> bool:
    timely = _TIMELY.search(answer) is not None
    if asked.kind is Kind.WHEN:
        return timely
    if asked.kind is Kind.WHO:
        return not re.search(r"\d", answer) and not kinds_of(answer)
    if asked.kind is Kind.WHERE:
        return not _WHERE_NOT.search(answer)
    return asked.kind is Kind.WHAT


def _answered(asked: Asked, answer: str) -> str:
    if _is_han(asked):
        return answered_chinese(asked, answer)
    copula = _COPULA.match(answer)
    answer = answer[copula.end() :] if copula else answer
    named = asked.subject and asked.subject not in ("I", "it", "that", "this")
    if named and not copula and _VERB_FIRST.match(answer) and asked.kind is not Kind.WHO:
        return f"{asked.subject[:1].upper()}{asked.subject[1:]} {answer}"
    return answered_english(asked, answer)


def _is_han(asked: Asked) -> bool:
    return any(map(is_cjk, asked.form + asked.beside))


def _of_pronoun(questions: Sequence[Asked], first: str | None, rest: str) -> Joined | None:
    """Return a reply that is a sentence about what the only question is about: it starts at nine."""
    if first is None or len(questions) != 1:
        return None
    asked = questions[0]
    found = _THING.match(first)
    if not found or not asked.subject or asked.subject in ("I", "it", "that", "this", "there", "we"):
        return None
    subject = asked.subject[:1].upper() + asked.subject[1:]
    verb = {"s": " is", "re": " are", "ll": " will"}.get((found["is"] or "")[1:], "")
    return Joined(f"{subject}{verb} {found['rest']}", rest)


def _affirmed(asked: Asked, rest: str) -> Joined | None:
    text = asked.form or (f"{asked.beside[:1].upper()}{asked.beside[1:]}: yes" if asked.beside else "")
    if not text:
        return None
    first, behind = _first(rest)
    text = re.sub(r"[吗嘛](?=[，,])", "", text)
    last = re.split(r"[，,]", text)[-1].strip()
    if first and is_cjk(last[:1] or " ") and len(last) > 2 and first.startswith(last):
        first = first[len(last) :].strip(" ，,")  # said again: 还是五点半
    if first and _is_short(first) and not _COPULA.match(first) and re.search(r"\w", first):
        comma = "，" if is_cjk(text[-1]) else ", "
        return Joined(f"{text}{comma}{first}", behind)
    return Joined(text, rest)


_IS_ZH = re.compile(r"^(?:其实|应该)?是")


def _denied(asked: Asked, rest: str) -> Joined | None:
    correction = correction_of(rest.strip()) if rest.strip() else None
    first, behind = _first(rest)
    value = correction.new if correction and correction.new else first
    if value and _is_short(value) and asked.form:
        value = _IS_ZH.sub("", _COPULA.sub("", value, count=1))
        if said := with_value(asked.form, value):
            return Joined(said, behind, denies=True)
    return Joined(asked.denied, rest, denies=True)


def _echoed(asked: Asked, reply: str) -> Joined | None:
    """Return what a reply affirms or denies by the verb of the question: 有, 不会."""
    found = _ECHO.match(reply)
    if not found or not asked.form or found["verb"] not in asked.form:
        return None
    if not found["no"]:
        return _affirmed(asked, reply[found.end() :])
    said = asked.denied or asked.form.replace(found["verb"], found["no"] + found["verb"], 1)
    return Joined(said, reply[found.end() :])


_DAY_ZH = re.compile(
    r"(?:[上下这]个?)*(?:周|星期|礼拜)[一二三四五六日天]|[今明后]天|\d{1,2}月\d{1,2}[号日]|\d{1,2}[号日]"
)


def _extended(before: str, answer: str) -> str:
    """Return what was said before with one thing more: an hour stands behind its day, the rest at the end."""
    han = is_cjk(before[-1])
    if "hour" in kinds_of(answer) and not han:
        answer = (
            answer if re.match(r"(?:at|around|about|from|by|after|before)\b", answer, re.IGNORECASE) else f"at {answer}"
        )
        return f"{before.rstrip('.!')} {answer}"
    if han and (found := _DAY_ZH.search(before)) and "hour" in kinds_of(answer):
        return before[: found.end()] + answer + before[found.end() :]
    return f"{before.rstrip('。！')}，{answer}" if han else f"{before.rstrip('.!')}, {answer}"


def as_told_by_agent(text: str) -> str:
    """Return an agent's finding with the user in the third person: your is the user's."""
    text = re.sub(r"\byour\b", "the user's", text, flags=re.IGNORECASE)
    return text.replace("你的", "用户的").replace("您的", "用户的") if re.search("[你您]的", text) else text


__all__ = [
    "Joined",
    "as_told_by_agent",
    "as_user",
    "confirmable",
    "in_context",
    "join",
    "only_question",
    "questions_of",
    "read_question",
]
