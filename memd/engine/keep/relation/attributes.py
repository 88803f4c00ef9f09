"""Attributes that a statement gives and nothing else, as an age, an allergy or a birthday: only what speaks of them ends it.

"Josie's eleven" is not ended by "Josie's playing striker", nor "I can't eat shellfish" by a pill: what both share is only whose
they are. A statement that says more than its attribute ("she's 32 and designs shoes") is left to the judge.

Source
    Own lists.
"""

from __future__ import annotations

from functools import lru_cache

from memd.text import expressions as re
from memd.text.characters import is_cjk

READ_CHARS = 200
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
    said = text.strip()[:READ_CHARS]
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
    said = told[:READ_CHARS]
    return bool(given) and not any(
        _GIVEN[one].search(said) or (one in _SPEAKS and _SPEAKS[one].search(said)) for one in given
    )
