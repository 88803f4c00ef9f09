"""Words for the people around somebody, in both languages, and where a text says which name is whose.

A relation is known by a word of its own ("sister"). A narrower one is within a wider (姐姐 and 妹妹 are sisters, a sister need
be neither). What somebody has one of at a time can be meant by the relation alone ("my sister"), where no text speaks of
another; friends and colleagues never can.

Source
    Own lists.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.simplified import simplified


class Relation(NamedTuple):
    """`english` and `chinese` words for it; `within`: the wider relation; `many`: one has several, so the word names nobody."""

    name: str
    english: str
    chinese: str
    within: str = ""
    many: bool = False


RELATIONS = (
    Relation("mother", "mother|mum|mom|mama|mommy|mummy|mam", "妈妈|母亲|老妈|娘亲|妈"),
    Relation("father", "father|dad|daddy|papa", "爸爸|父亲|老爸|爹|爸"),
    Relation("grandmother", "grandmother|grandma|granny|gran|nana", "奶奶|外婆|姥姥|祖母|外祖母"),
    Relation("grandfather", "grandfather|grandpa|granddad|grandad", "爷爷|外公|姥爷|祖父|外祖父"),
    Relation("elder sister", "(?:older|elder|big) sister", "姐姐|大姐|二姐|姐", "sister"),
    Relation("younger sister", "(?:younger|little|kid|baby) sister", "妹妹|小妹|妹", "sister"),
    Relation("sister", "sister|sis", "姐妹"),
    Relation("elder brother", "(?:older|elder|big) brother", "哥哥|大哥|二哥|哥", "brother"),
    Relation("younger brother", "(?:younger|little|kid|baby) brother", "弟弟|小弟|弟", "brother"),
    Relation("brother", "brother|bro", "兄弟"),
    Relation("wife", "wife", "妻子|老婆|太太|媳妇|爱人", "partner"),
    Relation("husband", "husband|hubby", "丈夫|老公|先生|爱人", "partner"),
    Relation("girlfriend", "girlfriend|fianc[eé]e", "女朋友|女友|未婚妻", "partner"),
    Relation("boyfriend", "boyfriend|fianc[eé]", "男朋友|男友|未婚夫", "partner"),
    Relation("partner", "partner|spouse", "伴侣|对象|另一半|爱人"),
    Relation("son", "son", "儿子", "child"),
    Relation("daughter", "daughter", "女儿|闺女", "child"),
    Relation("child", "child|kid|baby|toddler", "孩子|小孩|宝宝"),
    Relation("boss", "boss|manager|supervisor", "老板|上司|领导|主管|经理"),
    Relation("landlord", "landlord|landlady", "房东"),
    Relation("cat", "cat|kitten", "猫咪|小猫|猫"),
    Relation("dog", "dog|puppy", "狗狗|小狗|狗"),
    Relation("uncle", "uncle", "叔叔|舅舅|伯伯|姨父|姑父", many=True),
    Relation("aunt", "aunt|auntie", "阿姨|姑姑|姨妈|舅妈|婶婶", many=True),
    Relation("cousin", "cousin", "表姐|表妹|表哥|表弟|堂姐|堂妹|堂哥|堂弟", many=True),
    Relation("friend", "(?:best |old |close )?friend|mate|buddy", "好?朋友|闺蜜|哥们|死党|发小", many=True),
    Relation("colleague", "colleague|coworker|co-worker|teammate|workmate", "同事|搭档", many=True),
    Relation("flatmate", "flatmate|roommate|housemate", "室友|合租的?人", many=True),
    Relation("neighbour", "neighbou?r", "邻居", many=True),
    Relation("teacher", "teacher|tutor|coach|mentor|professor", "老师|教练|导师|教授", many=True),
    Relation("doctor", "doctor|gp|dentist|therapist", "医生|大夫|牙医|心理医生", many=True),
    Relation("client", "client|customer", "客户", many=True),
)  # fmt: skip
OF_NAME = {one.name: one for one in RELATIONS}
FAMILY = frozenset(
    name for name in OF_NAME if name not in ("boss", "landlord", "cat", "dog") and not OF_NAME[name].many
) | {"uncle", "aunt", "cousin"}
PETS = frozenset(("cat", "dog"))

_ENGLISH = {one.name: re.compile(one.english, re.IGNORECASE) for one in RELATIONS}
_CHINESE = {one.name: re.compile(one.chinese) for one in RELATIONS}
_ALL_EN = "|".join(f"(?:{one.english})" for one in RELATIONS)
_ALL_ZH = "|".join(sorted({word for one in RELATIONS for word in one.chinese.split("|")}, key=len, reverse=True))
_LIKE = r"(?:(?:dear|late|twin|only|own|sweet|lovely|new|dad's|mum's|mom's) )?"
_WHOSE = r"\b(?:my|our|(?:the )?user's) "
_MY = re.compile(rf"{_WHOSE}{_LIKE}(?P<word>{_ALL_EN})(?!['’]s? (?:{_ALL_EN})\b|[\w-])", re.IGNORECASE)
# 我妈 yes, 我妈妈的朋友 is of the friend; 我的室友 yes.
_MY_ZH = re.compile(rf"(?:我们?|咱们?|用户|本人)(?:家|的)?(?:那?[个位只条])?(?P<word>{_ALL_ZH})(?!的?(?:{_ALL_ZH}))")
# "Dad", as his children call him; "her dad" and Tom's are others.
_AS_NAME = re.compile(
    r"(?<![\w'’-])(?<!\bhis )(?<!\bher )(?<!\byour )(?<!\btheir )(?<!['’]s )(?<!\ba )(?<!\bthe )"
    r"(?P<word>dad|daddy|papa|mum|mom|mama|mommy|mummy|mam|grandma|granny|nana|grandpa|granddad|grandad)(?![\w-])",
    re.IGNORECASE,
)
_AS_NAME_ZH = re.compile(
    r"(?<![他她你您的家])(?P<word>妈妈|老妈|爸爸|老爸|爷爷|奶奶|外婆|外公|姥姥|姥爷)(?!们|级|的(?:朋友|同事|同学))"
)
_PLURAL = re.compile(
    rf"\b(?:my|our|(?:the )?user's|two|three|both|one of my|other|another|second) (?:other )?(?P<word>{_ALL_EN})s\b|\b(?:other|another|second|one of my) (?P<one>{_ALL_EN})\b",
    re.IGNORECASE,
)
_PLURAL_ZH = re.compile(rf"(?:两|三|四|几|另一?|第二)[个位只条](?P<word>{_ALL_ZH})")
_MY_BARE = re.compile(rf"(?:(?:my|our|the user's|user's) )?{_LIKE}(?P<word>{_ALL_EN}|family|pets?)", re.IGNORECASE)
_MY_BARE_ZH = re.compile(rf"(?:我们?|咱们?|用户)?(?:家|的)*(?P<word>{_ALL_ZH}|家人|家里人|宠物)")

_NAME_EN = r"(?P<name>[A-Z][\w'-]*[a-z](?: [A-Z][\w'-]*[a-z]){0,2})"
_NAMED = (
    # "my sister Ana", "my sister, Ana,", "my sister is called Ana", "my sister's name is Ana"
    re.compile(rf"(?i:{_WHOSE}{_LIKE}(?P<word>{_ALL_EN})(?:,? |(?: is|'s)(?: called| named)? |'s name is |,? (?:named|called) )){_NAME_EN}(?!['’]s (?i:{_ALL_EN})\b)"),
    # "Ana is my sister", "Ana, my sister"
    re.compile(rf"(?<![\w'-]){_NAME_EN}(?i:(?: is|,) (?:my|our|the user's|user's) {_LIKE}(?P<word>{_ALL_EN})\b)(?![-\w]|['’]s)"),
)  # fmt: skip
_ENDS_ZH = r"(?=[，,。；;、！!\s]|$|今年|在|是|住|她|他|它|很|也|喜|爱|对|上|最|有|要|会|的|和|跟|搬|去|来)"
_HAN_NAME = r"(?P<name>[小阿老][\u4e00-\u9fff]|[A-Z][a-z]+|[\u4e00-\u9fff]{2,3}?)"
_NAMED_ZH = (
    # 我妹妹叫小雨, 我妹妹的名字是小雨, 我妹妹是小雨
    re.compile(rf"(?:我们?|用户)(?:家|的)?(?:那?[只条])?(?P<word>{_ALL_ZH})(?:(?:的?(?:名字|小名|大名|乳名|昵称))?(?:名?叫做?|名字是|是)|的?(?:小名|大名|乳名|昵称)){_HAN_NAME}{_ENDS_ZH}"),
    # 我妹妹小雨
    re.compile(rf"(?:我们?|用户)的?(?P<word>{_ALL_ZH})(?P<name>[小阿老][\u4e00-\u9fff]|[A-Z][a-z]+)"),
    # 小雨是我妹妹
    re.compile(rf"(?:^|[，,。；;、\s]){_HAN_NAME}是(?:我|用户)们?家?的?(?P<word>{_ALL_ZH})(?!的)"),
)  # fmt: skip
_MONTHS_AND_MORE = (
    "I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November"
    " December English Chinese French German Spanish Italian Japanese Korean"
    " 医生 老师 学生 护士 律师 工程师 中国人 北京人 上海人 什么 小学 小姐 小名 老人 小孩"
)
NO_NAMES = frozenset(_MONTHS_AND_MORE.split())
_TELLTALE = re.compile(rf"{_ALL_ZH}|\b(?:{_ALL_EN})", re.IGNORECASE)


class Named(NamedTuple):
    """A text says that a name is the user's relation."""

    relation: str
    name: str


def relations_of(word: str) -> frozenset[str]:
    """Return the relations that a word is for: 妹妹 is a younger sister, "sister" a sister of any age."""
    found = {name for name, form in _ENGLISH.items() if form.fullmatch(word)}
    found |= {name for name, form in _CHINESE.items() if form.fullmatch(word)}
    return frozenset(found | {one.name for one in RELATIONS if one.within in found})


def relation_meant(subject: str) -> frozenset[str]:
    """Return the relations that somebody is named by, as "my sister" and 我妈妈 are; none where it is a name."""
    found = _MY_BARE.fullmatch(subject) or _MY_BARE_ZH.fullmatch(subject)
    if not found:
        return frozenset()
    word = simplified(found["word"].casefold())
    if word in ("family", "家人", "家里人"):
        return FAMILY
    return PETS if word in ("pet", "pets", "宠物") else relations_of(word)


@lru_cache(maxsize=32_768)
def relations_in(text: str) -> frozenset[str]:
    """Return the user's relations that a text speaks of by their word: of "my sister" that of a sister, not of a younger one; of a
    word that is used as a name ("Dad has a walker", 带妈妈去复查) as well."""
    if not _TELLTALE.search(text):
        return frozenset()
    forms = _MY, _MY_ZH, _AS_NAME, _AS_NAME_ZH
    words = [found["word"] for form in forms for found in form.finditer(text)]
    return frozenset(name for word in words for name in _closest(word))


@lru_cache(maxsize=32_768)
def several_in(text: str) -> frozenset[str]:
    """Return the relations of whom a text says that there are several."""
    words = [found["word"] or found["one"] for found in _PLURAL.finditer(text)]
    words += [found["word"] for found in _PLURAL_ZH.finditer(text)]
    return frozenset(name for word in words for name in relations_of(word))


@lru_cache(maxsize=32_768)
def introductions(text: str) -> tuple[Named, ...]:
    """Return who a text says is the user's sister, mother, friend …, by name."""
    if not _TELLTALE.search(text):
        return ()
    plain = text.replace("’", "'")
    named = (found for form in (*_NAMED, *_NAMED_ZH) for found in form.finditer(plain))
    sound = (one for one in named if one["name"] not in NO_NAMES and not _TELLTALE.fullmatch(one["name"]))
    return tuple(Named(relation, one["name"]) for one in sound for relation in _closest(one["word"]))


def _closest(word: str) -> list[str]:
    """Return the relations that a word itself is for, without the narrower ones."""
    return [name for name in OF_NAME if _ENGLISH[name].fullmatch(word) or _CHINESE[name].fullmatch(word)]


_OWN = re.compile(r"\b(?:i|i'm|i've|my|me|mine|user|user's)\b|我|咱|用户|本人", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"(?!(?:User|The|I|My|We|It|This|That)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:lives|works|likes|loves|hates|prefers|enjoys|speaks|studies|wants|plans|plays|moved|is allergic|is \d|was born|turned \d)\b"
    r"|[小阿老][\u4e00-\u9fff](?:喜欢|在|是|住|爱|今年|对|想|打算|不|有|要|会|去|和|也)"
)


def is_of_another(text: str) -> bool:
    """Tell whether a text tells of somebody by a name, and nothing of the user."""
    return _SOMEBODY.match(text) is not None and not speaks_of_user(text)


def speaks_of_user(text: str) -> bool:
    """Tell whether a text speaks of the user."""
    return _OWN.search(text) is not None


def is_family(text: str) -> bool:
    """Tell whether a text speaks of somebody around the user by what they are to them."""
    return bool(_TELLTALE.search(text)) and bool(_MY.search(text) or _MY_ZH.search(text))
