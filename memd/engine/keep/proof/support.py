"""Whether turns prove a statement: its words, names, numbers and dates stand in one thing that was said, as it was said.

A statement is proved part by part: each clause by one piece of evidence (evidence.py). Its words must be there, or others that the
thesaurus knows to mean the same; names and figures as they are, and beside the same words; what is denied denied, what is doubted
doubted, what is over over; of whom it was said. Whatever cannot be shown is not proved: there is no measure of how much of it is.

Source
    docs/decisions/0058-a-model-is-believed-as-far-as-the-turns-go.md
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memd.engine.keep.proof.agreement import AGREEMENTS, CALENDAR, CAPITAL, GLUE, tells
from memd.engine.keep.proof.evidence import QUOTED, SELF_HAN, Evidence
from memd.engine.keep.relation.figures import plain_figures
from memd.engine.keep.relation.person import first_person
from memd.engine.keep.relation.units import Statement
from memd.text import expressions as re
from memd.text.analysis import CHINESE_CHARS, ENGLISH, dates_in, stem, words
from memd.text.characters import fold, is_cjk

Read = Callable[[str], Statement]
MOST_PARTS = 8
_PARTS = re.compile(r"[;；，、。！？\n]\s*|,\s+|(?<=[.!?])\s+(?=[A-Z])|\s+(?:and|but|while)\s+|(?<=[\u4e00-\u9fff])(?:而且|并且|但是|不过)(?=[\u4e00-\u9fff])", re.IGNORECASE)  # fmt: skip
_TELLS = (
    "like want need can could must should know many much more most few all every each both always often sometimes only before after above below"
    " under over without up down since until during between around almost again away other another own same made make gave give got get went go"
    " 会 能 可 想 要 最 更 让 给 去 来 做 看 太 再"
)
_TELLING = frozenset(stem(one) for one in _TELLS.split())


class Proof(NamedTuple):
    """`why` it is not proved, "" where it is; the turns that prove it, who said it (agent where an agent did), and what was said."""

    why: str
    turns: tuple[int, ...] = ()
    source: str = "user"
    said: tuple[str, ...] = ()


def prove(text: str, evidence: Sequence[Evidence], read: Read) -> Proof:
    """Return whether evidence proves a statement; `read` gives a text as units (store/keep/learned)."""
    said = _plain(text)
    whole = _best(said, evidence, read)
    if not isinstance(whole, str):
        return Proof("", whole.turns, whole.source, (whole.text,))
    parts = [part.strip(AROUND) for part in _PARTS.split(said)]
    parts = [part for part in parts if part]
    if not 1 < len(parts) <= MOST_PARTS:
        return Proof(whole)
    return _by_parts(parts, evidence, read)


def _by_parts(parts: list[str], evidence: Sequence[Evidence], read: Read) -> Proof:
    """Return the proof of clauses that follow one another; one without a subject of its own is about that of the first."""
    head = subject_of(parts[0])
    used: list[Evidence] = []
    for number, part in enumerate(parts):
        full = part if not number or has_subject(part) else joined(head, part)
        found = _best(full, evidence, read)
        if isinstance(found, str):
            return Proof(f"{part[:60]!r}: {found}")
        used.append(found)
    turns = tuple(sorted({turn for one in used for turn in one.turns}))
    source = "agent" if any(one.source == "agent" for one in used) else "user"
    return Proof("", turns, source, tuple(one.text for one in used))


def _best(said: str, evidence: Sequence[Evidence], read: Read) -> Evidence | str:
    """Return what proves a statement, or why the nearest does not."""
    stated = read(said)
    if not stated.units and not stated.figures:
        return "it says nothing"
    why, nearest = "no turn says it", -1.0
    for one in sorted(evidence, key=lambda some: some.source == "agent"):
        lacking, share = _against(said, stated, one, read)
        if not lacking:
            return one
        if share > nearest:
            why, nearest = lacking, share
    return why


def _against(said: str, stated: Statement, one: Evidence, read: Read) -> tuple[str, float]:
    """Return why a piece of evidence does not prove a statement, "" where it does, and how much of its words it has."""
    text = _plain(_without_quotes(one.text, said))
    other = read(text)
    places, missing = _places(stated, other)
    share = len(places) / (len(places) + len(missing) or 1)
    missing |= _unsaid(stated, other)
    if missing:
        return f"no turn says {', '.join(sorted(missing)[:3])!r}", share
    checks = (*AGREEMENTS, subject, owner)
    for check in checks:
        if why := check(said, text, stated, other):
            return why, share
    return "", 1.0


def _plain(text: str) -> str:
    """Return a text as the one it is about would say it, whole dates in digits, without the mark at its end."""
    text = first_person(text).strip(AROUND)
    folded = fold(text)
    if len(folded) != len(text):
        return text
    for one in reversed(list(dates_in(folded))):
        if one.year and one.month and one.day:
            text = f"{text[: one.begin]}{one.year:04}-{one.month:02}-{one.day:02}{text[one.end :]}"
    return text


def _without_quotes(text: str, said: str) -> str:
    """Return a text without what it quotes, but for what the statement quotes as well."""
    quoted = {one for found in QUOTED.finditer(said) for one in found.groups() if one is not None}

    def kept(found: re.Match[str]) -> str:
        inner = next(one for one in found.groups() if one is not None)
        return found[0] if inner in quoted else " "

    text = QUOTED.sub(kept, text)
    return text if text.count('"') % 2 == 0 else text[: text.rindex('"')]  # what is opened and not closed


def _places(stated: Statement, other: Statement) -> tuple[dict[str, int], set[str]]:
    """Return the statement's units that the evidence has, and those that it lacks."""
    found: dict[str, int] = {}
    missing: set[str] = set()
    words = set(other.words)
    for number, unit in enumerate(stated.units):
        stems = [one for one in unit.form.split() if not (one in ENGLISH or one in CHINESE_CHARS)]
        has = (
            unit.form in other.marks
            or not unit.sense.same.isdisjoint(other.marks)
            or (bool(stems) and all(one in words for one in stems))
        )
        if has:
            found[unit.form] = number
        elif not stems or all(one in GLUE or one[0].isdigit() or one in CALENDAR for one in stems):
            continue  # figures are looked for by themselves
        else:
            missing.add(unit.form)
    return found, missing


def _unsaid(stated: Statement, other: Statement) -> set[str]:
    """Return the words that every index leaves out, and that tell something all the same, which the evidence lacks."""
    phrased = {
        word
        for unit in stated.units
        if " " in unit.form and not unit.sense.same.isdisjoint(other.marks)
        for word in unit.form.split()
    }
    return {word for word in stated.words if word in _TELLING and word not in other.words and word not in phrased}


# Of whom a statement is: of the speaker only what they say of themselves, of another only what is said of that one, and whose a thing is.

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
