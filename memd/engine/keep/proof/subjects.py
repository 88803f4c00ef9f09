"""Of whom a statement is: of the speaker only what they say of themselves, of another only what is said of that one, and whose a thing is."""

from __future__ import annotations

from memd.engine.keep.proof.agreement import CAPITAL, tells
from memd.engine.keep.proof.evidence import SELF_HAN
from memd.engine.keep.relation.units import Statement, plain_figures
from memd.text import expressions as re
from memd.text.analysis import stem, words
from memd.text.characters import fold, is_cjk

_BETWEEN = (
    "any some do not no never 不 没 really also just now currently always usually still finally actually recently already often mostly mainly"
    " even myself both all then 也 都 现 在 还 就 刚 已 经 一 直 目 前 平 时 通 常 最 近 其 实 每 天 真 很 挺 非 们 自 己 是 今 年 了"
)
BETWEEN = frozenset(_BETWEEN.split())  # may stand between who does something and what they do
_SELF = re.compile(rf"(?:\A\W*|(?<=[,.;]\s))(?:and |but |so )?(?:I|we)\b|\A\W*{SELF_HAN}")
_I = re.compile(
    rf"\b(?:I|we)\b|{SELF_HAN}",
    re.IGNORECASE,
)
_OWNED = re.compile(r"\b(?:my|our)\s+([\w-]+)", re.IGNORECASE)
_OWNER_HAN = re.compile(r"(?:我|咱)们?的?([\u4e00-\u9fff]{1,12}?)的")
AROUND = " \t\r\n,，;；、.。!！?？"


def subject(said: str, text: str, stated: Statement, other: Statement) -> str:
    """Of whom it is said: of the speaker only what they said of themselves, of another only what stands of that one."""
    wanted = {one for unit in stated.units for one in unit.form.split()} | set(stated.words)
    for unit in other.units:
        if not unit.sense.same.isdisjoint(stated.marks):
            wanted.update(unit.form.split())
    if _SELF.search(said):
        return "" if _said_of_self(text, wanted) else "the turn does not say it of the user"
    head = [one for one in stated.words if tells(one)]
    if not head or head[0] not in other.words:
        return ""
    if _possessed(said, text, head[0]):
        return "it is said of what belongs to another"
    first = other.words.index(head[0])
    rest = [at for at, word in enumerate(other.words) if at > first and len(head) > 1 and word == head[1]]
    gap = other.words[first + 1 : rest[0]] if rest else ()
    names = {stem(fold(one)) for one in CAPITAL.findall(text)} - wanted - {"i"}
    if any(word in ("i", "we", "我", "咱") or word in names for word in gap if word not in wanted):
        return "the turn says it of somebody else"
    return (
        ""
        if _OWNED.search(said) or not _SELF.search(text) or _leads(head[0], text, wanted)
        else "the turn says it of the user"
    )


def _leads(word: str, text: str, wanted: set[str]) -> bool:
    """Tell whether what a statement is about is there more than in passing: the user is part of what it says, or it stands first."""
    pieces = [stem(one) if not is_cjk(one[0]) else one for one in re.findall(r"[\u4e00-\u9fff]|[^\W_]+", fold(text))]
    return bool(wanted & {"i", "we", "my", "our", "我", "咱"}) or "we" in pieces or "my" in pieces or word in pieces


def _said_of_self(text: str, wanted: set[str]) -> bool:
    """Tell whether somewhere the speaker is who it is about: nothing that is not in the statement stands between."""
    starts = [found.end() for found in _I.finditer(text)]
    begins = [0] if not starts or not _I.search(text) else []
    for at in starts + begins:
        for word in words(plain_figures(text[at:])):
            root = word if is_cjk(word[0]) else stem(word)
            if root in BETWEEN or word in BETWEEN:
                continue
            if root in wanted and tells(root):
                return True
            if tells(root) or word in ("he", "she", "they", "it", "他", "她", "它"):
                break
    return False


def _possessed(said: str, text: str, word: str) -> bool:
    """Tell whether a word owns something in the text wherever it stands, and not in the statement."""
    owned = re.compile(rf"\b{re.escape(word)}\w*(?:'s|’s)\s|{re.escape(word)}\w*的" if not is_cjk(word[0]) else rf"{re.escape(word)}[\u4e00-\u9fff]?的", re.IGNORECASE)  # fmt: skip
    stands = re.compile(rf"\b{re.escape(word)}" if not is_cjk(word[0]) else re.escape(word), re.IGNORECASE)
    return not owned.search(said) and len(owned.findall(text)) >= len(stands.findall(text)) > 0


def owner(said: str, text: str, _: Statement, __: Statement) -> str:
    """What is the user's is so there as well, and not what belongs to it."""
    for found in _OWNED.finditer(said):
        root = stem(fold(found[1]))
        between = re.compile(r"\b(?:my|our)\b((?:\s+[\w-]+){0,3}?)\s+([\w-]+)", re.IGNORECASE)
        near = [one for at in range(len(text)) if (one := between.match(text, at)) and stem(fold(one[2])) == root]
        runs = re.findall(r"\b(?:my|our)\s+([^,.;!?]{1,60})", text, re.IGNORECASE)
        if not near and not any(
            root in [stem(fold(word)) for word in run.split()[:4]] and "'s" not in run for run in runs
        ):
            return f"the turn does not say whose {found[1]!r} it is"
    theirs = _OWNER_HAN.search(text)
    if (
        theirs
        and theirs[1] not in ("家", "自己")
        and theirs[1] not in said
        and (said.startswith(("我的", "我家")) or _SELF.search(said))
    ):
        return "it is said of what belongs to another"
    return ""


def subject_of(part: str) -> str:
    """Return the words with which a statement begins, up to what it says of them."""
    if _SELF.search(part):
        return "我" if is_cjk(part.lstrip(AROUND)[0]) else "I"
    found = re.match(r"\W*((?:(?:my|our|the)\s+)?(?:[a-z]+\s+){0,2}?(?:[A-Z][\w’'-]*\s+)*)(?=[a-z])", part)
    if found and found[1].strip():
        return found[1].strip()
    han = re.match(r"((?:我|咱)们?的?[\u4e00-\u9fff]{1,4}?)(?=住|在|是|有|喜|不|会|做|对|叫|上|学|开|养|买|工)", part)
    return han[1] if han else ""


def has_subject(part: str) -> bool:
    """Tell whether a clause says itself what it is about."""
    return bool(_SELF.search(part)) or re.match(r"\W*(?:[A-Z]|my\b|our\b|the\b|我|他|她|它|小|老|[\u4e00-\u9fff]{2,3}(?:是|住|在|有|喜欢))", part) is not None  # fmt: skip


def joined(head: str, part: str) -> str:
    """Return a clause behind what it is about."""
    return f"{head}{part}" if head and is_cjk(head[-1]) else f"{head} {part}".strip()
