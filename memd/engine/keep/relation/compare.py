"""Two statements side by side: what they share, what stands in the place of what, what is new.

Everything the judgement rests on is a named amount, so that it can be shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from memd.engine.keep.relation.amounts import parting
from memd.engine.keep.relation.topic import topics
from memd.engine.keep.relation.units import Statement, Unit, denies, row
from memd.text import expressions as re

_CHANGE = re.compile(
    r"\b(?:now(?! and (?:then|again)\b)|no longer|any ?more|moved|switched|changed|instead|became|replaced|quit|stopped|started|gave up|dropped|used to|back to|renamed|left|sold|cancel\w*|postponed|brought forward|taken over|took over|new|since|from now on|ended|closed|was|turned)\b"
    r"|改|换|不再|已经?|现在|搬|辞|戒|停|取消|推迟|提前|变|转|新|升|降|卖|退|开始|撤|下线|关闭|原来|以前|如今|目前|了[。，]?$|了(?=，)"
)
_CORRECTS = re.compile(
    r"\b(?:actually|correction|i meant|i misspoke|my mistake|sorry,|wrong|typo|scratch that|not \S+(?: \S+)?[,;] (?:but|it's|it is)|rather than)\b|, not \S+"
    r"|说错|记错|搞错|写错|更正|纠正|其实|准确说|不是.{1,12}(?:是|而是)|应该是"
)
_ENDS = re.compile(
    r"\b(?:no longer|not .{0,20}any ?more|any ?more\b|quit|stopped|gave up|given up|sold|broke up|divorced|died|passed away|cancel\w*|ended|closed|finished|dropped|left|retired|got rid|threw out|deleted|decommissioned)\b"
    r"|不再|戒了?|停了?|卖了|退了|退休|分手|离婚|去世|走了|取消|关了|没了|辞了?职?|扔了|下线|废弃"
)
_AS_WELL = re.compile(
    r"\b(?:also|too|as well|another|second|both|besides|additionally|other)\b|也|还有?|另外|另一|再加|同时|又"
)
_PAST = re.compile(
    r"\b(?:went|visited|was|were|had|did|ago|last (?:week|month|year|night|spring|summer|autumn|winter|weekend|time)|yesterday|once|back in|as a (?:kid|child)|used to)\b"
    r"|去年|前年|上[个次周]?(?:月|周|星期)?|昨天|前天|那[时年次]|曾经?|以前|小时候|过[了。]"
)
_PLAN = re.compile(
    r"\b(?:going to|gonna|plan\w*|want to|wants to|hop(?:e|es|ing) to|thinking (?:of|about)|might|maybe|will|'ll|intend\w*|consider\w*|next (?:week|month|year|spring|summer|autumn|winter)|tomorrow|soon|would like)\b"
    r"|打算|准备|想[去要换买学考养搬]|计划|考虑|也许|可能|明[天年]|下[个周月]|将|要[去来]"
)
_HABIT = re.compile(
    r"\b(?:every|each|always|usually|weekly|daily|monthly|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|most (?:days|mornings|evenings|weekends)|never|regularly|often)\b"
    r"|每|总是|一直|经常|通常|天天|平时|一向|从来|常"
)
_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend|month|once|time)|just this|temporar\w+|for now|last (?:night|week|month)|(?:on|borrowed|hired|visiting) loan|exception)\b"
    r"|今[天晚早]|昨[天晚]|明[天晚]|这[次回周]|本周|临时|暂时|借|破例|上周|周末"
)
# Who stands in which words; a word that may be one of several persons has all of them, and parts from none of these.
_PERSONS = {
    "mother": "mother mum mom mam mama mummy mommy|妈妈 老妈 母亲 妈",
    "father": "father dad da daddy papa|爸爸 老爸 父亲 爸 爹",
    "wife": "wife missus|老婆 妻子 太太 媳妇 内人",
    "husband": "husband hubby|老公 丈夫",
    "girlfriend": "girlfriend|女朋友 女友",
    "boyfriend": "boyfriend|男朋友 男友",
    "son": "son|儿子 小子 犬子",
    "daughter": "daughter|女儿 闺女 姑娘 丫头",
    "brother": "brother bro|哥哥 哥 弟弟 弟",
    "sister": "sister sis|姐姐 姐 妹妹 妹",
    "grandmother": "grandmother grandma granny gran nan nana|奶奶 外婆 姥姥 祖母 外祖母",
    "grandfather": "grandfather grandpa grandad granddad|爷爷 外公 姥爷 祖父 外祖父",
    "grandson": "grandson|孙子 外孙",
    "granddaughter": "granddaughter|孙女 外孙女",
    "mother-in-law": "mother-in-law|婆婆 岳母 丈母娘",
    "father-in-law": "father-in-law|公公 岳父 老丈人",
    "aunt": "aunt auntie|姑姑 姑妈 姨妈 阿姨 舅妈 婶婶",
    "uncle": "uncle|舅舅 叔叔 伯伯 姑父 姨父",
    "cousin": "cousin|表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹",
    "niece": "niece|侄女 外甥女",
    "nephew": "nephew|侄子 外甥",
    "boss": "boss manager supervisor|老板 领导 经理 上司 主管",
    "colleague": "colleague coworker co-worker workmate|同事",
    "flatmate": "flatmate roommate housemate|室友 舍友",
    "landlord": "landlord landlady|房东",
    "neighbour": "neighbour neighbor|邻居",
    "friend": "friend mate pal bestie|朋友 闺蜜 哥们",
    "teacher": "teacher tutor coach|老师 导师 教练",
    "dog": "dog puppy|小狗 狗狗 狗",
    "cat": "cat kitten|小猫 猫咪 猫",
    "ex": "ex|前妻 前夫 前任",
}
_SEVERAL = {
    "mother father": "parent folks|父母 爸妈 双亲 爹妈",
    "wife husband girlfriend boyfriend": "partner spouse fiance fiancee|爱人 对象 伴侣 另一半 未婚妻 未婚夫",
    "son daughter": "kid child children baby toddler twin teenager|孩子 宝宝 娃儿 娃 小孩",
    "brother sister": "sibling twin|兄弟 姐妹 兄妹 姐弟",
    "grandson granddaughter": "grandchild grandchildren grandkid",
    "grandmother grandfather": "grandparent",
    "mother-in-law father-in-law": "in-law",
}


def _persons() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for persons, told in (*_PERSONS.items(), *_SEVERAL.items()):
        english, _, chinese = told.partition("|")
        for word in (*english.split(), *chinese.split()):
            found[word] = found.get(word, frozenset()) | frozenset(persons.split())
    return found


_WHO = _persons()
_WHOSE = re.compile(
    rf"\b({'|'.join(sorted((one for one in _WHO if one.isascii()), key=len, reverse=True))})s?\b"
    rf"|({'|'.join(sorted((one for one in _WHO if not one.isascii()), key=len, reverse=True))})"
)
_MORE = re.compile(
    r"\b(?:because|except|unless|which|who|with|also|and|after|before|every|since|until|so that|in order|especially|including|for|at|by|on)\b|因为|除了|其中|并且|而且|每|包括|尤其|由|以及|还|也|，|,|;|；"
)
_VERBS = frozenset(
    [
        "is", "are", "was", "were", "be", "has", "have", "had", "will", "must", "can", "may", "should", "need", "use", "run", "wrote", "write", "add", "belong", "start", "end", "take", "cost", "say", "go", "come", "get", "cover", "hold", "contain", "deal", "close", "open", "cancel", "是", "有", "在", "为", "要", "由", "做", "用", "会", "已", "改", "被", "定", "归", "需", "写", "属", "取", "开", "叫", "讲", "管",
    ]
)  # fmt: skip
_SIGNS = {
    "corrects": _CORRECTS, "ends": _ENDS, "as well": _AS_WELL, "past": _PAST, "plan": _PLAN, "habit": _HABIT, "once": _ONCE,
}  # fmt: skip
HALF = 0.5
HEAD = 0.34  # of a statement is its subject, more or less
MOST = 3.0
BEHIND = 4  # words behind a denial that it may be about


class _Signs(NamedTuple):
    """How often a statement has words of change and of more, which of _SIGNS it has (0 or 1), and whom it speaks of."""

    changes: int
    more: int
    found: tuple[float, ...]
    whose: frozenset[frozenset[str]]


def compare(old: Statement, new: Statement) -> dict[str, float]:
    """Return named amounts, each about 0 to 1, on how a new statement stands to an old one."""
    pairs = _matched(old, new)
    rest_old = [unit for unit in old.units if id(unit) not in pairs]
    matched = {id(unit) for unit in pairs.values()}
    rest_new = [unit for unit in new.units if id(unit) not in matched]
    amounts = _shares(old, new, pairs, rest_old, rest_new)
    amounts.update(parting(old.figures, new.figures))
    if amounts.get("figures differ"):
        amounts["another number of its kind"] = _numbers_another(old, new)
    amounts.update(_sets("names", _missing(old, new, rest_old), _missing(new, old, rest_new), both=bool(old.names)))
    amounts.update(_swaps(rest_old, rest_new))
    amounts.update(_where(rest_old, rest_new))
    if amounts.get("names differ"):
        amounts["another name, subject"], amounts["another name, value"] = _names_where(old, new)
    amounts.update(_opposed(old, new))
    amounts["denies, did not"] = float(not old.denials and _denied(new, rest_new))
    amounts["denied, does not"] = float(not new.denials and _denied(old, rest_old))
    was, now = _signs(old.folded), _signs(new.folded)
    amounts["words of change"] = min(1.0, max(0, now.changes - was.changes) / 2)
    amounts["words of more"] = min(1.0, max(0, now.more - was.more) / 3)
    for name, before, after in zip(_SIGNS, was.found, now.found, strict=True):
        amounts[name], amounts[f"was {name}"] = after, before
    amounts.update(_owners(was.whose, now.whose))
    amounts.update(_denying(old, new, pairs))
    amounts.update(topics(old, new, pairs))
    _together(amounts)
    return {name: amount for name, amount in amounts.items() if amount}


def _matched(old: Statement, new: Statement) -> dict[int, Unit]:
    """Return for units of the old statement, by identity, the unit of the new one that says the same."""
    pairs: dict[int, Unit] = {}
    forms: dict[str, list[Unit]] = {}
    for other in new.units:
        forms.setdefault(other.form, []).append(other)
    for unit in old.units:
        if fits := forms.get(unit.form):
            pairs[id(unit)] = _taken(unit, fits, fits)
    free = [other for fits in forms.values() for other in fits if other.sense.same]
    free.sort(key=lambda other: other.place)
    for unit in old.units:
        if unit.sense.same and id(unit) not in pairs and (fits := [one for one in free if _means_same(unit, one)]):
            pairs[id(unit)] = _taken(unit, fits, free)
    return pairs


def _taken(unit: Unit, fits: list[Unit], free: list[Unit]) -> Unit:
    """Return the nearest of those that fit, the first of equals, which is free no more."""
    best = min(fits, key=lambda other: abs(other.place - unit.place)) if len(fits) > 1 else fits[0]
    free.remove(best)
    return best


def _means_same(one: Unit, other: Unit) -> bool:
    return not one.sense.same.isdisjoint(other.sense.same)


def _shares(
    old: Statement, new: Statement, pairs: dict[int, Unit], rest_old: list[Unit], rest_new: list[Unit]
) -> dict[str, float]:
    weight_old, weight_new = _mass(old.units), _mass(new.units)
    kept_old = 1 - _mass(rest_old) / weight_old if weight_old else 0.0
    kept_new = 1 - _mass(rest_new) / weight_new if weight_new else 0.0
    synonyms = sum(1 for unit in old.units if id(unit) in pairs and pairs[id(unit)].form != unit.form)
    head_old = [unit for unit in old.units if unit.place < HEAD]
    head_new = [unit for unit in new.units if unit.place < HEAD]
    last_old, last_new = old.units[-1:], new.units[-1:]
    lost, gained = {id(unit) for unit in rest_old}, {id(unit) for unit in rest_new}
    ratio = math.log((weight_new + 1) / (weight_old + 1))
    return {
        "old in new": kept_old,
        "new in old": kept_new,
        "less of both": min(kept_old, kept_new),
        "more of both": max(kept_old, kept_new),
        "all of old": float(kept_old > 0.99),
        "all of new": float(kept_new > 0.99),
        "nothing shared": float(kept_old < 0.01),
        "in other words": min(1.0, synonyms / 3),
        "lost": min(MOST, _mass(rest_old)) / MOST,
        "gained": min(6.0, _mass(rest_new)) / 6,
        "longer": min(1.0, max(0.0, ratio)),
        "shorter": min(1.0, max(0.0, -ratio)),
        "subject kept": _kept(head_old, lost),
        "subject of new known": _kept(head_new, gained),
        "end kept": float(bool(last_old) and id(last_old[0]) not in lost),
        "end of new known": float(bool(last_new) and id(last_new[0]) not in gained),
        "begins alike": float(bool(old.words and new.words) and old.words[0] == new.words[0]),
    }


def _kept(units: list[Unit], gone: set[int]) -> float:
    return 1 - _mass(unit for unit in units if id(unit) in gone) / _mass(units) if units else 0.5


def _mass(units: Iterable[Unit]) -> float:
    return sum(unit.weight for unit in units)


@lru_cache(maxsize=2048)
def _signs(folded: str) -> _Signs:
    """Return the signs of a statement; a memory is compared again and again."""
    return _Signs(
        len(_CHANGE.findall(folded)),
        len(_MORE.findall(folded)),
        tuple(float(bool(pattern.search(folded))) for pattern in _SIGNS.values()),
        frozenset(_WHO[max(found)] for found in _WHOSE.findall(folded)),
    )


def _owners(old: frozenset[frozenset[str]], new: frozenset[frozenset[str]]) -> dict[str, float]:
    """Whom the statements speak of: a person of one is a person of the other where some reading is the same."""
    gone = {one for one in old if all(one.isdisjoint(other) for other in new)}
    come = {one for one in new if all(one.isdisjoint(other) for other in old)}
    kept = frozenset(["kept"] if len(gone) < len(old) else [])
    return _sets(
        "whose", kept | {f"gone {n}" for n in range(len(gone))}, kept | {f"come {n}" for n in range(len(come))}
    )


def _denying(old: Statement, new: Statement, pairs: dict[int, Unit]) -> dict[str, float]:
    """Whether what a statement denies is what the other says, or something of which the other says nothing."""
    denied_old, denied_new = _denied_units(old), _denied_units(new)
    said_old = {id(unit): other for unit in old.units if (other := pairs.get(id(unit)))}
    from_new = {id(other): unit for unit in old.units if (other := pairs.get(id(unit)))}
    amounts = {}
    for what, ours, theirs, across in (
        ("denies", denied_new, denied_old, from_new), ("denied", denied_old, denied_new, said_old),
    ):  # fmt: skip
        held = [across[one] for one in ours if one in across]
        amounts[f"{what} what stands"] = float(any(id(one) not in theirs for one in held))
        amounts[f"{what} what is denied"] = float(any(id(one) in theirs for one in held))
        amounts[f"{what} what is not told"] = float(bool(ours) and not held)
    return amounts


def _denied_units(one: Statement) -> frozenset[int]:
    """Return the units, by identity, right behind a denial; of 吃不得 also what stands before it."""
    count = max(1, len(one.words))
    places = [at for at in range(len(one.words)) if denies(one.words, at)]
    return frozenset(
        id(unit)
        for unit in one.units
        for at in places
        if 0 < round(unit.place * count) - at <= BEHIND
        or (round(unit.place * count) == at - 1 and one.words[at + 1 : at + 2] in (("得",), ("了",), ("到",)))
    )


def _missing(one: Statement, other: Statement, rest: list[Unit]) -> frozenset[str]:
    """Return the names of a statement that the other has in no form."""
    lone = {unit.form for unit in rest}
    return frozenset(name for name in one.names if name not in other.folded and any(word in lone for word in row(name)))


def _sets(what: str, old: frozenset[str], new: frozenset[str], *, both: bool = False) -> dict[str, float]:
    if not old and not new:
        return {f"{what} equal": 1.0} if both else {f"no {what}": 1.0}
    if old == new:
        return {f"{what} equal": 1.0}
    if not old:
        return {f"{what} added": 1.0}
    if not new:
        return {f"{what} gone": 1.0}
    if old < new:
        return {f"{what} more": 1.0}
    if new < old:
        return {f"{what} fewer": 1.0}
    return {f"{what} differ": 1.0, f"{what} in part": float(bool(old & new))}


def _numbers_another(old: Statement, new: Statement) -> float:
    """Tell whether the figures that differ number the subjects (sprint 31, invoice 2041), not what is said of them."""
    return float(bool(ours := _subject_figures(old)) and bool(theirs := _subject_figures(new)) and ours != theirs)


def _subject_figures(one: Statement) -> frozenset[str]:
    """Return the figures before the verb, where there is a verb of which that can be told."""
    at = next((n for n, word in enumerate(one.words) if word in _VERBS), 0)
    before = set(one.words[:at])
    return frozenset(figure.said for figure in one.figures if figure.said in before)


def _denied(one: Statement, rest: list[Unit]) -> bool:
    """Tell whether a statement denies something by itself, or in a phrase that the other has in no form."""
    phrases = (unit.form.split() for unit in rest if " " in unit.form)
    return one.lone_denials > 0 or any(denies(words, at) for words in phrases for at in range(len(words)))


def _swaps(rest_old: list[Unit], rest_new: list[Unit]) -> dict[str, float]:
    """What of one kind stands in the place of what, in the subject and in what is said of it."""
    amounts = {"another of its kind, subject": 0.0, "another of its kind, value": 0.0, "another of its kind": 0.0}
    taken: set[int] = set()
    others = [other for other in rest_new if other.sense.kinds]
    for unit in rest_old:
        for other in others:
            if id(other) not in taken and not unit.sense.kinds.isdisjoint(other.sense.kinds):
                taken.add(id(other))
                place = "subject" if max(unit.place, other.place) < HEAD else "value"
                amounts[f"another of its kind, {place}"] = 1.0
                amounts["another of its kind"] = 1.0
                break
    return amounts


def _where(rest_old: list[Unit], rest_new: list[Unit]) -> dict[str, float]:
    """Whether statements part only at their ends, or only at their beginnings."""
    if not rest_old or not rest_new:
        return {}
    first = min(rest_old[0].place, rest_new[0].place)
    last = max(rest_old[-1].place, rest_new[-1].place)
    one_each = float(len(rest_old) == len(rest_new) == 1)
    return {
        "part at the end": float(first >= HALF),
        "part at the beginning": float(last < HALF),
        "one word for one": one_each,
        "one word for one, at the end": one_each * float(first >= HALF),
    }


def _names_where(old: Statement, new: Statement) -> tuple[float, float]:
    """Whether the names that differ stand in the subject, or in what is said of it."""
    places = []
    for one, other in ((old, new), (new, old)):
        words = {word for name in one.names if name not in other.folded for word in row(name)}
        places.append(next((n for n, word in enumerate(one.words) if word in words), 0) / max(1, len(one.words)))
    return float(max(places) < HEAD), float(min(places) >= HEAD)


def _opposed(old: Statement, new: Statement) -> dict[str, float]:
    """Words that exclude each other, one in each; not where both statements have both."""
    forms_old, forms_new = {unit.form for unit in old.units}, {unit.form for unit in new.units}
    others = [other for other in new.units if other.sense.opposed and other.form not in forms_old]
    for unit in old.units if others else ():
        if not unit.sense.opposed or unit.form in forms_new:
            continue
        if any(not unit.sense.opposed.isdisjoint(one.sense.opposed) and not _means_same(unit, one) for one in others):
            return {"opposites": 1.0}
    return {}


def _together(amounts: dict[str, float]) -> None:
    """Products of those that mean more together."""
    near = amounts["less of both"]
    subject = amounts["subject kept"]
    for name in (
        "figures differ", "another number of its kind", "figures added", "figures gone", "names differ", "names added", "opposites", "denies, did not", "denied, does not",
        "words of change", "another of its kind, value", "another of its kind, subject", "another name, value", "corrects", "ends", "as well", "past", "whose differ", "whose added", "whose gone", "plan", "once",
        "denies what stands", "denied what stands", "denies what is not told",
        "another topic", "names no topic", "part at the end", "one word for one, at the end", "all of old", "longer", "gained", "in other words",
    ):  # fmt: skip
        amount = amounts.get(name, 0.0)
        if amount:
            amounts[f"{name} × alike"] = amount * near
            amounts[f"{name} × same subject"] = amount * subject
    for name in ("figures differ", "words of change", "another of its kind, value"):
        if amounts.get("another topic") and amounts.get(name):
            amounts[f"{name} × another topic"] = amounts[name]
    changed = max(
        amounts.get(name, 0.0) for name in ("opposites", "denies, did not", "denied, does not", "figures differ")
    )
    amounts["nothing changed × alike"] = (1 - changed) * near
    amounts["nothing changed × kept"] = (1 - changed) * amounts["old in new"]
