"""Two statements side by side: what they share, what stands in the place of what, what is new.

Everything the judgement rests on is a named amount, so that it can be shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from memd.engine.keep.relation.units import Statement, Unit, denies
from memd.engine.keep.relation.words import row
from memd.text import expressions as re

_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|moved|switched|changed|instead|became|replaced|quit|stopped|started|gave up|dropped|used to|back to|renamed|left|sold|cancel\w*|postponed|brought forward|taken over|took over|new|since|from now on|ended|closed|was|turned)\b"
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
_WHOSE = re.compile(
    r"\b(wife|husband|partner|girlfriend|boyfriend|fianc\w+|son|daughter|kids?|child|children|baby|sister|brother|mother|mum|mom|father|dad|parents|grand\w+|granny|grandma|grandpa|aunt|uncle|cousin|niece|nephew|friend|flatmate|roommate|neighbou?r|boss|manager|colleague|coworker|landlord|teacher|tutor|dog|cat|ex|in-laws?)\b"
    r"|(老婆|老公|妻子|丈夫|爱人|对象|男友|女友|男朋友|女朋友|儿子|女儿|孩子|宝宝|闺女|妈妈?|爸爸?|父亲|母亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥?|姐姐?|弟弟?|妹妹?|表[哥姐弟妹]|堂[哥姐弟妹]|舅舅?|姑姑?|姨妈?|叔叔?|侄[子女]|外甥女?|岳[父母]|婆婆|公公|室友|朋友|闺蜜|邻居|老板|领导|经理|同事|房东|老师|导师|[小大]?狗|[小大]?猫)"
)
_MORE = re.compile(
    r"\b(?:because|except|unless|which|who|with|also|and|after|before|every|since|until|so that|in order|especially|including|for|at|by|on)\b|因为|除了|其中|并且|而且|每|包括|尤其|由|以及|还|也|，|,|;|；"
)
_VERBS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "has",
        "have",
        "had",
        "will",
        "must",
        "can",
        "may",
        "should",
        "need",
        "use",
        "run",
        "wrote",
        "write",
        "add",
        "belong",
        "start",
        "end",
        "take",
        "cost",
        "say",
        "go",
        "come",
        "get",
        "cover",
        "hold",
        "contain",
        "deal",
        "close",
        "open",
        "cancel",
        "是",
        "有",
        "在",
        "为",
        "要",
        "由",
        "做",
        "用",
        "会",
        "已",
        "改",
        "被",
        "定",
        "归",
        "需",
        "写",
        "属",
        "取",
        "开",
        "叫",
        "讲",
        "管",
    ]
)
_SIGNS = {"corrects": _CORRECTS, "ends": _ENDS, "as well": _AS_WELL, "past": _PAST}
HALF = 0.5
HEAD = 0.34  # of a statement is its subject, more or less
MOST = 3.0


class _Signs(NamedTuple):
    """How often a statement has words of change and of more, which of _SIGNS it has (0 or 1), and whom it speaks of."""

    changes: int
    more: int
    found: tuple[float, ...]
    whose: frozenset[str]


def compare(old: Statement, new: Statement) -> dict[str, float]:
    """Return named amounts, each about 0 to 1, on how a new statement stands to an old one."""
    pairs = _matched(old, new)
    rest_old = [unit for unit in old.units if id(unit) not in pairs]
    matched = {id(unit) for unit in pairs.values()}
    rest_new = [unit for unit in new.units if id(unit) not in matched]
    amounts = _shares(old, new, pairs, rest_old, rest_new)
    amounts.update(_sets("figures", old.figures, new.figures))
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
    amounts.update(_sets("whose", was.whose, now.whose))
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
        frozenset(max(found) for found in _WHOSE.findall(folded)),
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
    return one.figures & set(one.words[:at])


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
        "words of change", "another of its kind, value", "another of its kind, subject", "another name, value", "corrects", "ends", "as well", "past", "whose differ",
        "part at the end", "one word for one, at the end", "all of old", "longer", "gained", "in other words",
    ):  # fmt: skip
        amount = amounts.get(name, 0.0)
        if amount:
            amounts[f"{name} × alike"] = amount * near
            amounts[f"{name} × same subject"] = amount * subject
    changed = max(
        amounts.get(name, 0.0) for name in ("opposites", "denies, did not", "denied, does not", "figures differ")
    )
    amounts["nothing changed × alike"] = (1 - changed) * near
    amounts["nothing changed × kept"] = (1 - changed) * amounts["old in new"]
