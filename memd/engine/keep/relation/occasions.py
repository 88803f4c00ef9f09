"""What single occasions end, and what they do not: a death what somebody is said to be and to do now, a visit to a doctor nothing,
one day nothing that comes again.

Of a death only what is proved: it is told as a fact, of a person or an animal by what they are to the speaker, or by their name
where they were buried, and the statement that ends has the same as its subject and a verb of the present. What they were, and
what is theirs, stays.

Source
    Own lists.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.text import expressions as re

READ_CHARS = 300
_KIN = (
    r"(?:great-|grand|step)*(?:mother|father|mum|mam|mom|dad|son|daughter)(?:-in-law)?|gran|granny|nan|nana|grandad|sister-in-law|brother-in-law|sister|brother"
    r"|cousin|aunt|auntie|aunty|uncle|niece|nephew|wife|husband|partner|friend|neighbou?r|boss|teacher|colleague|dog|cat|horse|pony|rabbit|hamster|parrot|budgie|goat|tortoise"
)
_NAME = r"(?-i:[A-Z][\w’'-]*[\w])"
_DIED = (
    r"(?:(?:has|have|had|just|sadly|suddenly|finally|peacefully|also) )*(?:died(?! (?:on (?:me|us)|laughing|inside|down|out|again|her hair|his hair|of (?:laughter|embarrassment|boredom|shame)))"
    r"|passed away|passed on(?! (?:the|her|his|my|our|it|a|an|to|that|what)\b)|is dead(?! (?:tired|set|sure|serious|keen|on|right|wrong|against|slow|easy))|was put (?:down|to sleep))\b"
)
_TOLD_EN = re.compile(
    rf"\b(?:my|our) (?:late |poor |dear |lovely |old )*(?P<kin>{_KIN})\b(?: (?P<name>{_NAME}))?,? {_DIED}"
    rf"|\b(?:my|our) (?:late |poor |dear |old )*(?P<alone>{_NAME}) {_DIED}"
    rf"|\bwe (?:buried|cremated) (?:my |our )?(?:poor |late |dear |old )*(?:(?P<of>{_KIN})\b ?)?(?P<buried>{_NAME})?(?! in\b)",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\b(?:if|thought|dreamt|dreamed|dream|nearly|almost|wish|film|movie|book|novel|show|game|story|imagine|suppose)\b|\?",
    re.IGNORECASE,
)
_KIN_ZH = "外婆|外公|奶奶|爷爷|姥姥|姥爷|爸爸|爸|妈妈|妈|父亲|母亲|岳父|岳母|公公|婆婆|老公|老婆|丈夫|妻子|哥哥|弟弟|姐姐|妹妹|舅舅|姨妈|姑妈|叔叔|伯伯|师父|狗|猫"
_WHEN_ZH = r"(?:已经|也|都|就|突然|前[天年]|去年|昨[天晚]|今[天早年]|刚(?:刚|才)?|上(?:周|个?月|个?星期|个?礼拜)|[一二三四五六七八九十\d]+[年月日号天]前?|年前|前不久|最近|不久前|走了)*"
_TOLD_ZH = re.compile(
    rf"(?:我们?|咱们?)(?:的|家)?(?P<kin>{_KIN_ZH}){_WHEN_ZH}(?:去世|过世|离世|病故|病逝|咽气|不在了|被?安乐死)(?:了|啦)?(?![的前时那])"
)
_NOT_SO_ZH = re.compile(r"如果|要是|梦|以为|差点|故事|电影|小说|[吗?？]")
_NOW = re.compile(
    r"\s*(?:(?:also|still|now|always|usually|often|never) )*(?:is|are|lives?|works?|has|goes|comes|plays?|takes|stays?|teaches|runs|drives|visits|likes?|loves?|hates?|eats|drinks|keeps?|sleeps|calls|rings|rents|owns|studies|looks|needs|wants|can|['’]s (?:in|on|at|an?|very|still|not|living|working|only|nearly|\d+|ill|sick|well|retired|married|single))\b(?![^.]*\b(?:dead|died|buried|grave|gone|cemetery)\b)",
    re.IGNORECASE,
)
_THEN_ZH = re.compile(r"生前|去世|过世|以前|曾经?|当年|小时候|忌日|坟|遗|骨灰")
_SUBJECT = re.compile(
    rf"(?:and |but )?(?:(?:my|our|the user['’]s|user['’]s) )?(?:(?:poor|old|dear|late) )*(?:(?P<kin>{_KIN})\b(?!-) ?)?(?P<name>{_NAME})?",
    re.IGNORECASE,
)


_AGAIN = re.compile(
    r"\b(?:every|each|daily|weekly|fortnightly|monthly|yearly|annually|alternate|(?:once|twice|times) (?:an?|every|per)|(?:mon|tues|wednes|thurs|fri|satur|sun)days(?!['’])|weekends)\b|每|逢|天天|年年|周周",
    re.IGNORECASE,
)
_MONTHS = r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_ONCE = re.compile(
    rf"\b(?:just|only) (?:for )?(?:this|the) once\b|\b(?:today|tomorrow|tonight|yesterday|(?:this|next|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day|this (?:week|time))\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}\b|\b{_MONTHS} \d{{1,2}}\b"
    r"|[今明昨后前][天晚日早]|[这下上]个?(?:周|星期|礼拜)[一二三四五六日天末]|[这今]次|就这一?[次回]|[\d一二三四五六七八九十]+月[\d一二三四五六七八九十]+[日号]?|（\d{4}-\d\d-\d\d[^）]*）|\(\d{4}-\d\d-\d\d[^)]*\)",
    re.IGNORECASE,
)
_FROM_ON = re.compile(
    r"\b(?:from|since|starting|starts?|as of|now|these days|any ?more|no longer|no more|never|for good|until|till|instead of|stopp\w+|quit|gave up|given up|finish\w*|over|done with|left|dropped|cancel\w*)\b"
    r"|[一二三四五六日天]了|以后|今后|往后|开始|起|现在|如今|改成|改为|改到|不再|不用再|不[去上干做来]了|停了|取消|退了|换|没了|算了|为止|結束|结束|到期",
    re.IGNORECASE,
)


class Death(NamedTuple):
    """Who died: what they are to the speaker, and their name; "" where that is not said."""

    kin: str
    name: str


def death_in(text: str) -> Death | None:
    """Return whose death a text tells; None where it tells none, or not as a fact."""
    head = text[:READ_CHARS]
    if found := _TOLD_ZH.search(head):
        return None if _NOT_SO_ZH.search(head) else Death(found["kin"], "")
    found = _TOLD_EN.search(head)
    if found is None or _NOT_SO.search(head):
        return None
    kin, name = found["kin"] or found["of"] or "", found["name"] or found["alone"] or found["buried"] or ""
    return Death(kin.lower(), name) if kin or name else None


def ends_with(death: Death, statement: str) -> bool:
    """Tell whether a statement says what who died is or does now."""
    if death.kin and not death.kin.isascii():
        who = re.match(
            rf"(?:而且|还有|但是?)?(?:我们?|咱们?|用户)?(?:的|家)?{death.kin}(?![们妈爸家]|[爸妈哥弟姐妹]?的)",
            statement,
        )
        return who is not None and _THEN_ZH.search(statement) is None
    found = _SUBJECT.match(statement)
    if found is None or not (found["kin"] or found["name"]):
        return False
    named = (found["name"] or "").removesuffix("'s").removesuffix("’s")
    same = named == death.name if named or death.name else (found["kin"] or "").lower() == death.kin
    owns = len(found["name"] or "") - len(named)
    return same and _NOW.match(statement, found.end() - owns) is not None


# "The doctor added X to the metformin" ends no metformin.
_ADDS = re.compile(
    r"\b(?:added|adds|adding) (?:[\w-]+ ){1,4}(?:to|on top of|alongside|beside|besides) (?:(?:the|my|our|his|her|their) )?(?P<beside>\w[\w-]{2,})"
    r"|(?:在|除了?)(?P<beside_zh>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:之外|以外|的基础上|外|基础上)(?:又|再|还|另)?[加添]",
    re.IGNORECASE,
)


def only_adds(known: str, told: str) -> bool:
    """Tell whether a text tells only of something that was added to what a statement names: that goes on."""
    found = _ADDS.search(told[:READ_CHARS])
    beside = (found["beside"] or found["beside_zh"]) if found else ""
    return bool(beside) and beside.casefold() in known[:READ_CHARS].casefold() and _FROM_ON.search(told) is None


_OWNED = re.compile(r"(?<![\w’'])(?P<owner>[A-Z]\w+)['’]s (?P<thing>[a-z]\w+)")


def of_another(known: str, told: str) -> bool:
    """Tell whether a text is of what one person has, and a statement of the same that another has: Tom's exam, Ana's exam."""
    has = {one["thing"]: one["owner"] for one in _OWNED.finditer(known[:READ_CHARS])}
    others = [one for one in _OWNED.finditer(told[:READ_CHARS]) if one["thing"] in has]
    return bool(others) and all(has[one["thing"]] not in told and one["owner"] not in known for one in others)


# Who will see a doctor is told nothing by that of where they live and how old they are.
_VISIT = re.compile(
    r"\b(?:appointment|check-?up|seeing (?:the|my|a) (?:doctor|gp|dentist|consultant|specialist|physio)|taking (?:my|her|him|our) (?:\w+ )?to (?:the|see|hospital))\b"
    r"|(?:要|得|准备|打算|约了)(?:带|陪)?[^，。]{0,6}(?:去|到)[^，。]{0,10}(?:医院|诊所|看(?:病|医生|牙|眼|膝盖|腰|中医|白内障)|体检|复查)",
    re.IGNORECASE,
)

_MOVES = re.compile(
    r"\b(?:moved|moving|now|no longer|changed|switched|left|new)\b|上班|工作|搬|不再|现在|换|辞|改|当(?:护|医)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\d{1,2}[:.]\d\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:today|tomorrow|next \w+|january|february|march|april|june|july|august|september|october|november|december)\b|[周月]|星期|礼拜|[今明后]天|[号日点]",
    re.IGNORECASE,
)


def only_once(known: str, told: str) -> bool:
    """Tell whether a text tells of a single day, and a statement of what comes again: that goes on, unless the text says from when not."""
    known, told = known[:READ_CHARS], told[:READ_CHARS]
    again = _AGAIN.search(known) is not None and _AGAIN.search(_ONCE.sub(" ", told)) is None
    return again and _ONCE.search(told) is not None and _FROM_ON.search(told) is None


def only_a_visit(known: str, told: str) -> bool:
    """Tell whether a text tells only that somebody will see a doctor, which changes no statement that has no day."""
    if _VISIT.search(told) is None or _MOVES.search(told):
        return False
    return _DATED.search(known) is None and _VISIT.search(known) is None
