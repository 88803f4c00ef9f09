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

from memd.engine.keep.proof.agreement import AGREEMENTS, CALENDAR, GLUE
from memd.engine.keep.proof.evidence import QUOTED, Evidence
from memd.engine.keep.proof.subjects import AROUND, has_subject, joined, owner, subject, subject_of
from memd.engine.keep.relation.person import first_person
from memd.engine.keep.relation.units import Statement
from memd.text import expressions as re
from memd.text.analysis import CHINESE_CHARS, ENGLISH, dates_in, stem
from memd.text.characters import fold

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
