"""What ends by what, and what does not, where two statements show it: by a death what somebody is said to be and to do now, by a
visit to a doctor nothing, by one day nothing that comes again, an attribute only by what speaks of it.

Of a death only what is proved: it is told as a fact, of a person or an animal by what they are to the speaker, or by their name
where they were buried, and the statement that ends has the same as its subject and a verb of the present. What they were, and
what is theirs, stays. "Josie's eleven" is not ended by "Josie's playing striker", nor "I can't eat shellfish" by a pill: what both
share is only whose they are. A statement that says more than its attribute ("she's 32 and designs shoes") is left to the judge.

Source
    Own lists.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.characters import is_cjk

READ_CHARS = 300
TOLD = 256  # texts of which what they are is kept
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
    r"\b(?:every|each|daily|weekly|fortnightly|monthly|yearly|annually|alternate|(?:once|twice|times) (?:an?|every|per)|(?:mon|tues|wednes|thurs|fri|satur|sun)days(?!['’])|on an? (?:mon|tues|wednes|thurs|fri|satur|sun)day|weekends)\b|每|逢|天天|年年|周周",
    re.IGNORECASE,
)
_MONTHS = r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_ONCE = re.compile(
    rf"\b(?:just|only) (?:for )?(?:this|the) once\b|\b(?:today|tomorrow|tonight|yesterday|(?:this|next|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day|this (?:week|time))\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}\b|\b{_MONTHS} \d{{1,2}}\b"
    r"|[今明昨后前][天晚日早]|[这下上]个?(?:周|星期|礼拜)[一二三四五六日天末]|[这今]次|就这一?[次回]|[\d一二三四五六七八九十]+月[\d一二三四五六七八九十]+[日号]?|（\d{4}-\d\d-\d\d[^）]*）|\(\d{4}-\d\d-\d\d[^)]*\)",
    re.IGNORECASE,
)
_FROM_ON = re.compile(
    r"\b(?:from|since|starting|starts?|as of|now|these days|any ?more|no longer|no more|never|for good|until|till|instead of|stopp\w+|quit|gave up|given up|finish\w*|over|done with|(?<!the )(?<!my )(?<!his )(?<!her )left|dropped|cancel\w*)\b"
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


_INSTEAD_ZH = re.compile("停了|停掉|换|換|改|不[吃用打开]|代替|取代")
# What holds only once something else has come, which nobody knows the day of: "nuts are back in the kitchen once Sam's gone".
_NOT_YET = re.compile(
    r"\b(?:once|as soon as|when|after) (?:(?:my|our|his|her|their|the) )?\w+(?:(?:['’]s| is| are| has| have|['’]ve)(?: been)? (?:left|finished|sold|fixed|retired|moved(?: out)?|gone|out|done|over|back|ready)|s (?:gone|out|done|over|back|ready))\b"
    r"|(?<![平一二三同优中高初上下相头何])等[^，。]{1,12}(?:走|回来|结束|搬走|毕业|退休|修好)了?(?:以后|之后|再|就)(?![^，。]*(?:的|过)(?:[，。]|\Z))",
    re.IGNORECASE,
)


def not_yet(known: str, told: str) -> bool:
    """Tell whether a text says what will be so once something has happened, and a statement does not: that holds till then."""
    return _waits(told[:READ_CHARS]) and not _waits(known[:READ_CHARS])


# Added to whatever there is: 医生又给他加了一种药, "they've put her on an inhaler as well".
_ADDS_MORE = re.compile(
    r"(?:又|还|另外|再)(?:给[^，。]{1,6}?)?(?:多)?(?:加|添|开|配)[了上咗](?![起灯])"
    r"|\b(?:added|adds|prescribed|(?:has|have|['’]ve|['’]s) (?:put|got) (?:me|him|her|us|them) on|put (?:me|him|her|us|them) on) [^.;,]{2,40} (?:as well|too|on top|besides)\b",
    re.IGNORECASE,
)


def only_adds(known: str, told: str) -> bool:
    """Tell whether a text tells only of something that was added to what a statement names, or to whatever there is: that goes on."""
    more, beside = _added(told[:READ_CHARS])
    return more or (bool(beside) and beside in known[:READ_CHARS].casefold())


# What a text is beside whatever statement: many are looked at beside each.


@lru_cache(maxsize=TOLD)
def _added(told: str) -> tuple[bool, str]:
    """Tell whether something was added to whatever there is, and to what; "" where that is not said."""
    if _FROM_ON.search(told) or _INSTEAD_ZH.search(told):
        return False, ""
    found = _ADDS.search(told)
    beside = (found["beside"] or found["beside_zh"]) if found else ""
    return _ADDS_MORE.search(told) is not None, beside.casefold()


@lru_cache(maxsize=TOLD)
def _waits(told: str) -> bool:
    return _NOT_YET.search(told) is not None


@lru_cache(maxsize=TOLD)
def _is_of_a_day(told: str) -> bool:
    once = _ONCE.search(told) is not None and _AGAIN.search(_ONCE.sub(" ", told)) is None
    return once and _FROM_ON.search(told) is None


@lru_cache(maxsize=TOLD)
def _visits(told: str) -> bool:
    return _VISIT.search(told) is not None and _MOVES.search(told) is None


_OWNED = re.compile(r"(?<![\w’'])(?P<owner>[A-Z]\w+)['’]s (?P<thing>[a-z]\w+)")


def of_another(known: str, told: str) -> bool:
    """Tell whether a text is of what one person has, and a statement of the same that another has: Tom's exam, Ana's exam."""
    has = {one["thing"]: one["owner"] for one in _OWNED.finditer(known[:READ_CHARS])}
    others = [one for one in _OWNED.finditer(told[:READ_CHARS]) if one["thing"] in has]
    return bool(others) and all(has[one["thing"]] not in told and one["owner"] not in known for one in others)


# Who will see a doctor is told nothing by that of where they live and how old they are.
_VISIT = re.compile(
    r"\b(?:physio|scan|dentist|hygienist|optician|vet|hairdresser|barber|gp|midwife|chiropractor|blood test) (?:(?:at|on|in|for) (?:the )?\w|tomorrow|today|this |next )|\b(?:appointment|check-?up|seeing (?:the|my|a) (?:doctor|gp|dentist|consultant|specialist|physio)|taking (?:my|her|him|our) (?:\w+ )?to (?:the|see|hospital))\b"
    r"|(?:要|得|准备|打算|约了)(?:带|陪)?[^，。]{0,6}(?:去|到)[^，。]{0,10}(?:医院|诊所|看(?:病|医生|牙|眼|膝盖|腰|中医|白内障)|体检|复查)",
    re.IGNORECASE,
)

_MOVES = re.compile(
    r"\b(?:moved|moving|now|no longer|changed|switched|(?<!the )(?<!my )(?<!his )(?<!her )left|new)\b|上班|工作|搬|不再|现在|换|辞|改|当(?:护|医)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\d{1,2}[:.]\d\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:today|tomorrow|next \w+|january|february|march|april|june|july|august|september|october|november|december)\b|[周月]|星期|礼拜|[今明后]天|[号日点]",
    re.IGNORECASE,
)


def only_once(known: str, told: str) -> bool:
    """Tell whether a text tells of a single day, and a statement of what comes again: that goes on, unless the text says from when not."""
    return _is_of_a_day(told[:READ_CHARS]) and _AGAIN.search(known[:READ_CHARS]) is not None


def only_a_visit(known: str, told: str) -> bool:
    """Tell whether a text tells only that somebody will see a doctor, which changes no statement that has no day."""
    return _visits(told) and _DATED.search(known) is None and _VISIT.search(known) is None


GIVEN_CHARS = 200  # of a statement that gives attributes
MOST_WORDS, MOST_HAN = 4, 6  # that stand beside an attribute in a statement that gives nothing else

_NUMBER = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    r"|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_WHO = r"(?:(?:my|our|the|the user['’]s) )?(?:i|he|she|user|(?:oldest|eldest|youngest|son|daughter|kid|mother|father|mum|mom|dad|wife|husband|brother|sister|boy|girl|dog|cat|gran|grandma|grandad|nephew|niece)(?: (?-i:[A-Z])[\w’]+)?|(?-i:(?!(?:The|It|That|This|There|Rent)\b)[A-Z])[\w-]+)"
_FOOD = r"(?:shellfish|seafood|fish|shrimps?|prawns?|crab|dairy|milk|lactose|cheese|eggs?|gluten|wheat|bread|nuts?|peanuts?|walnuts?|almonds?|cashews?|soya?|sesame|mushrooms?|pork|beef|red meat|meat|alcohol|caffeine|coffee|sugar|spicy|penicillin|aspirin|ibuprofen)"
# What each attribute is where it is given, and what else speaks of it.
_GIVEN = {
    "age": re.compile(
        rf"^(?:and |but )?{_WHO}(?:['’](?:s|m)| is| am| turned| turns) (?:almost |nearly |only |now |just |about )*{_NUMBER}(?: (?:years?|yrs?|months?) old)?(?= now\b| today\b|\W*\Z)"
        r"|[\d一二三四五六七八九十]+(?:周)?岁(?:半)?|今年[\d一二三四五六七八九十]{1,3}(?=[，。,.]|\Z)",
        re.IGNORECASE,
    ),
    "grade": re.compile(
        r"\b(?:(?:in|into|starts|started) )?(?:(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th)) grade|year \d{1,2}|kindergarten|preschool)\b"
        r"|上?[一二三四五六七八九]年级|上?[初高大]中?[一二三四](?![\d点号])|(?:幼儿园)?[大中小托]班",
        re.IGNORECASE,
    ),
    "birthday": re.compile(
        r"\b(?:birthday|born|anniversary)\b|生日|出生|纪念日|周年|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]", re.IGNORECASE
    ),
    "size": re.compile(
        r"\b(?:(?:shoe|ring|clothes|dress|shirt|trouser|hat|glove) size|(?:wears?|takes?) (?:an? )?(?:size )?(?:\d+|small|medium|large|x{1,3}[sl])(?= shoe| dress|\W*\Z))|穿\d+(?:码|号)?的?|[鞋尺]码|身高\d*",
        re.IGNORECASE,
    ),
    "blood type": re.compile(r"\bblood (?:type|group)\b|血型", re.IGNORECASE),
    "allergy": re.compile(
        rf"\b(?:allerg\w+|intoleran\w+|co?eliac|anaphyla\w+)\b|\b(?:can(?:['’]?t|not| not)|mustn['’]?t|must not) (?:\w+ )?(?:(?:eat|stomach|digest|tolerate)\b|(?:do|have|take) {_FOOD}\b)"
        r"|过敏|不耐|(?:不能|不可以|不敢)(?:吃|碰|沾|喝)|忌口",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"^(?:(?:hi|hello|hey|and|so)\W+)*(?:my name(?:['’]s| is)|(?:i['’]?m|i am) (?-i:[A-Z][\w’-]+ [A-Z][\w’-]*(?<!an|ic)(?<!ish|ese|ist)(?![\w’-]))\W*\Z)|^我(?:的名字)?叫[^，。]{2,4}\W*\Z",
        re.IGNORECASE,
    ),
}
_SPEAKS = {
    "age": re.compile(
        r"\b(?:turn(?:s|ed|ing)|birthday|years?|age[ds]?|old(?:er)?|born)\b|岁|生日|周岁|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]", re.IGNORECASE
    ),
    "grade": re.compile(
        r"\b(?:grad\w+|schools?|class|college|universit\w+|uni|moves? up|year)\b|年级|毕业|升|上学|学校|小学|初中|高中|大学|幼儿园|学前|班",
        re.IGNORECASE,
    ),
    "birthday": re.compile(r"\b(?:birthdays?|party)\b|生日|过生", re.IGNORECASE),
    "size": re.compile(r"\b(?:sizes?|wears?|wearing|fits?|grew|grown|shoes?)\b|穿|码|长高|长大|厘米|公分|\d+cm", re.IGNORECASE),
    "allergy": re.compile(
        r"\b(?:allerg\w+|outgr\w+|grown out|grew out|tests? (?:came|says?)|toler\w+|can (?:eat|have|do)|eats?|eating|food|diets?|vegan|vegetarian|meat|reaction)\b|过敏|脱敏|能吃|可以吃|吃|喝|忌|复查|医生说",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"\b(?:called|call me|names?|married|goes by)\b|叫我|名字|改名|称呼|^我叫", re.IGNORECASE
    ),
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z][\w’'-]*")


@lru_cache(maxsize=2048)
def only_gives(text: str) -> frozenset[str]:
    """Return the attributes that a statement gives, none where it says anything beside them."""
    said = text.strip()[:GIVEN_CHARS]
    given = {name: found for name, pattern in _GIVEN.items() if (found := list(pattern.finditer(said)))}
    left = said
    for begin, end in sorted((one.span() for all_of in given.values() for one in all_of), reverse=True):
        left = left[:begin] + " " + left[end:]
    if len(_WORD.findall(left)) > MOST_WORDS or sum(map(is_cjk, left)) > MOST_HAN:
        return frozenset()
    return frozenset(given)


def leaves_standing(known: str, told: str) -> bool:
    """Tell whether a statement gives nothing but attributes of which a text says nothing: it does not end there."""
    given = only_gives(known)
    said = told[:GIVEN_CHARS]
    return bool(given) and not any(
        _GIVEN[one].search(said) or (one in _SPEAKS and _SPEAKS[one].search(said)) for one in given
    )
