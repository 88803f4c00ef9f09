"""What a memory's `supersedes` and `covers` become when it takes a place, and when that is taken back; and its conflicts.

Who takes the place of a memory also takes the place of those whose place that one had: so forgetting the middle of a
chain does not bring back its oldest. Without `covers` all that is named is meant whole; with it, only statements of
those digests, so one who is meant whole beside one who is not is named with all its statements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.model.memory import doubts_of
from memd.text import expressions as re
from memd.text.characters import is_cjk
from memd.text.clauses import Clause, clauses, ends_sentence

if TYPE_CHECKING:
    from memd.model.memory import Memory

MOST = 16  # memories that one names; those further back are named by these


class Taken(NamedTuple):
    """The ids whose place is taken, and the digests of the statements; none: all of them."""

    supersedes: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()

    def put_into(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record that says so; what is empty is left out."""
        result = dict(record)
        for key, value in zip(("supersedes", "covers"), self, strict=True):
            if value:
                result[key] = list(value)
            else:
                result.pop(key, None)
        return result


def taken_by(memory: Memory) -> Taken:
    """Return what a memory has taken the place of."""
    return Taken(memory.supersedes, memory.covers)


def taking(older: Memory, covers: Collection[str], memories: Mapping[str, Memory]) -> Taken:
    """Return what taking the place of a memory, or of some of its statements, comes to."""
    if covers:
        return Taken((older.id,), tuple(covers))
    return _joined(Taken((older.id,)), taken_by(older), memories)


def also_taking(memory: Memory, older: Memory, memories: Mapping[str, Memory], covers: Collection[str] = ()) -> Taken:
    """Return what a memory has taken the place of when it takes another's place too, or that of some of its statements."""
    before = taken_by(memory)
    if not before.supersedes:
        return taking(older, covers, memories)
    if older.id in before.supersedes and not before.covers:
        return before
    return _joined(taking(older, covers, memories), before, memories)


def without(memory: Memory, given_back: Collection[str], memories: Mapping[str, Memory]) -> Taken:
    """Return what is left of what a memory has taken, when some get their place back."""
    left = tuple(one for one in memory.supersedes if one not in given_back)
    if not left or not memory.covers:
        return Taken(left)
    own = {one: digests_of(memories[one]) for one in memory.supersedes if one in memories}
    kept = {digest for one in left for digest in own.get(one, ())}
    freed = {digest for one in given_back for digest in own.get(one, ())} - kept
    covers = tuple(one for one in memory.covers if one not in freed)
    return Taken(left, covers) if covers else Taken()


_TIME_ALONE = re.compile(
    r"\W*(?:(?:on|at|from|till|until|to|in|the|of|and|every|each|half|quarter|past|about|around|a|an|\d{1,2}(?:[:.]\d\d)?(?:st|nd|rd|th)?|[ap]\.?m\.?|o['’]clock|noon|midnight"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|times?|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings?|afternoons?|evenings?|nights?|weekends?)\b\W*)+"
    r"|[\s，。、每周星期礼拜一二三四五六日天早中晚上下午点半\d:到至和个月号]+",
    re.IGNORECASE,
)
_FEELING = re.compile(
    r"\W*(?:(?:and|but|so)\s+)?(?:i['’]?m|i am|i was) (?:so |very |really |just |quite |not )*(?:happy|glad|sad|angry|raging|furious|delighted|thrilled|upset|annoyed|tired|relieved|worried|sorry|excited|nervous)\W*"
    r"|\W*(?:我|人|心里|我心里)?(?:还是|真的?|都|快要?|好|很|太|有点|简直)*(?:气(?:惨|死|坏|炸|哭)?|高兴|开心|难过|伤心|烦(?:死)?|累(?:死|惨)?|急(?:死)?|愁(?:死)?|生气|郁闷|欢喜|安逸|舍不得|后悔|担心|放心|激动|紧张)(?:得很|坏了|死了|惨了|极了|了|啊|哦|得不行)*\W*",
    re.IGNORECASE,
)


# What hangs on the clause before it: "flying from Shannon", "sixteen years old" of a car, and of who is gone all that "she" is.
_HANGS_ON = re.compile(
    r"\W*(?:and |but )?(?!(?:during|nothing|something|anything|everything|spring|morning|evening|king|ring|thing)\b)[a-z]{3,}ing\b(?![^,.;]*\b(?:is|are|was|were|has|have|keeps?|suits?|starts?|ends?|becomes?|became|helps?|makes?)\b)"
)
_ON_IT = re.compile(
    r"[^,.;]*\b(?:on|in|under|inside) it\W*", re.IGNORECASE
)  # of a car: "two hundred thousand miles on it"
_ITS_AGE = re.compile(r"\W*(?:about |nearly |only )?[\w-]+ (?:years?|months?|weeks?) old\W*", re.IGNORECASE)
_HAS_ONE = re.compile(
    r"\b(?:have|has|had|drives?|driving|owns?|keeps?|got|bought|rides?|riding|adopted)\b[^.]*\b(?:an?|the)\s",
    re.IGNORECASE,
)
_OF_THE_SAME = re.compile(
    r"\W*(?:and |but )?(?:he|she|it|is|lives?|works?|has|goes|likes?|loves?|keeps?|plays?|sleeps?|takes)\b|(?:也|还|现在|平时|今年)*(?:[他她它](?!们|的|[爸妈哥姐弟妹])|住|爱|喜欢|在|有|会|每|身体|\d)",
    re.IGNORECASE,
)


def with_what_hangs_on(memory: Memory, covers: Collection[str], *, gone: bool = False) -> list[str]:
    """Return digests of statements that end, with those of the same sentence that hang on one of them; `gone`: who they are about is no more."""
    found, before, ended = set(covers), "", True
    parts = clauses(memory.content)
    for one in parts:
        hangs = before and (
            (not ended and (_HANGS_ON.match(one.said) or (_of_it(one.said) and _HAS_ONE.search(before))))
            or (gone and _OF_THE_SAME.match(one.said))
        )
        if hangs:
            found.add(one.digest)
        before, ended = one.said if one.digest in found else "", ends_sentence(one.whole)
    return [one.digest for one in parts if one.digest in found]


def _of_it(said: str) -> bool:
    """Tell whether a statement says how old a thing is, or what is on or in it."""
    return _ITS_AGE.fullmatch(said) is not None or _ON_IT.fullmatch(said) is not None


def says_nothing_alone(left: str) -> bool:
    """Tell whether what is left of a memory says nothing that lasts: only a time ("Wednesdays at half seven."), or how one felt."""
    return _TIME_ALONE.fullmatch(left) is not None or _FEELING.fullmatch(left) is not None


def holding(memory: Memory) -> list[Clause]:
    """Return the statements of a memory of which nobody took the place."""
    return [one for one in clauses(memory.content) if one.digest not in memory.covered]


def ended(memory: Memory) -> str:
    """Return what a memory says, such that its last statement stays one when another follows."""
    said = memory.content.rstrip()
    if not memory.holds or said[-1:] in tuple(".!?。！？；;"):
        return said
    return said + ("。" if is_cjk(said[-1]) else ".")


def digests_of(memory: Memory) -> tuple[str, ...]:
    """Return the digests of all statements of a memory."""
    return tuple(dict.fromkeys(one.digest for one in clauses(memory.content)))


def doubting(record: Mapping[str, Any], older_id: str, why: str, sure: float) -> dict[str, Any]:
    """Return a newer record that says otherwise than an older one, where nobody is sure: both stay, and a person settles it.

    Only the newer says so. What a person said to hold beside the older is not asked again.
    """
    result = dict(record)
    known = doubts_of(record.get("conflictsWith"))
    if older_id in known or older_id in _beside_of(record):
        return result
    told = {"id": older_id, **({"why": why} if why else {}), "sure": round(sure, 3)}
    result["conflictsWith"] = [*known.values(), told][-MOST:]
    return result


def both_holding(record: Mapping[str, Any], other_id: str, at: int | str) -> dict[str, Any]:
    """Return a record that holds beside another, as a person said at a time: that they conflict is not asked again."""
    doubts = doubts_of(record.get("conflictsWith"))
    was = {key: value for key, value in doubts.pop(other_id, {}).items() if key != "id"}
    result = {**record, "bothHold": {**_beside_of(record), other_id: {"at": at, **was}}}
    return _with_doubts(result, list(doubts.values()))


def asked_again(record: Mapping[str, Any], other_id: str) -> dict[str, Any]:
    """Return a record of which it is not said any more that it holds beside another: where they conflicted, they do again."""
    left = _beside_of(record)
    was = left.pop(other_id, None)
    result = {key: value for key, value in record.items() if key != "bothHold"}
    if left:
        result["bothHold"] = left
    told = {key: value for key, value in was.items() if key != "at"} if isinstance(was, dict) else {}
    if not told:  # two took the place of the same: that they conflict is in what they say already
        return result
    return _with_doubts(result, [*doubts_of(result.get("conflictsWith")).values(), {"id": other_id, **told}])


def said_beside(record: Mapping[str, Any], other_id: str) -> Any:
    """Return when a person said that a record holds beside another, as it stands there; None where nobody did."""
    told = _beside_of(record).get(other_id)
    return told.get("at") if isinstance(told, dict) else None


def _beside_of(record: Mapping[str, Any]) -> dict[str, Any]:
    told = record.get("bothHold")
    return dict(told) if isinstance(told, dict) else {}


def _with_doubts(record: dict[str, Any], doubts: list[dict[str, Any]]) -> dict[str, Any]:
    if doubts:
        record["conflictsWith"] = doubts
    else:
        record.pop("conflictsWith", None)
    return record


def _joined(first: Taken, second: Taken, memories: Mapping[str, Memory]) -> Taken:
    named = tuple(dict.fromkeys((*first.supersedes, *second.supersedes)))[:MOST]
    if not first.covers and not second.covers:
        return Taken(named)
    return Taken(named, tuple(dict.fromkeys((*_explicit(first, memories), *_explicit(second, memories)))))


def _explicit(taken: Taken, memories: Mapping[str, Memory]) -> Iterable[str]:
    if taken.covers:
        return taken.covers
    return (digest for one in taken.supersedes if one in memories for digest in digests_of(memories[one]))
