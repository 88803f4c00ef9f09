"""A statement as units: words and phrases and what they are to others (the same, opposites, of a kind), figures, names, denials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from memd.engine.keep.relation.amounts import Figure, lacking
from memd.engine.keep.relation.figures import figured
from memd.engine.keep.relation.person import first_person
from memd.text import expressions as re
from memd.text.analysis import CHINESE_CHARS, ENGLISH, stem, words
from memd.text.characters import fold, is_chinese, is_cjk

_DENIALS = frozenset(
    [
        "not",
        "no",
        "never",
        "without",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "cannot",
        "refus",
        "avoid",
        "forbid",
        "ban",
        "forbidden",
        "banned",
        "stop",
        "quit",
        "不",
        "没",
        "无",
        "未",
        "别",
        "勿",
        "禁",
        "拒",
        "忌",
    ]
)
_NO_DENIAL = frozenset(
    (
        "不超",
        "不低",
        "没问题",
        "忌日",
        "nopanic",
        "nohurri",
        "noworri",
        "noproblem",
        "notonli",
        "不过",
        "不错",
        "不同",
        "不仅",
        "不但",
        "不只",
        "不管",
        "不论",
        "不少",
        "不断",
        "不久",
        "无论",
        "无线",
        "无锡",
        "未来",
        "别人",
        "别的",
        "别墅",
    )
)
_AS_OTHER = frozenset("特级性分区识差告个类辨道派离")  # before 别, which is no denial then
_BOUNDS = frozenset(
    ("超过", "少于", "多于", "低于", "高于", "早于", "晚于")
)  # what is denied is what lies beyond: 不得超过
_NAME = re.compile(
    r"(?<![.!?。！？:：]\s)(?<!^)(?<![\w'’])[A-Z][\w’'-]*[a-z]\w*|\b[A-Z]{2,}\d*\b|\b[a-z]+[A-Z]\w*|“[^”]{1,20}”|「[^」]{1,20}」|《[^》]{1,20}》|\"[^\"]{1,20}\""
)
_FUNCTION = ENGLISH - frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "nothing",
        "without",
        "before",
        "after",
        "above",
        "below",
        "over",
        "under",
        "up",
        "down",
        "off",
        "out",
        "on",
        "near",
        "least",
        "most",
        "more",
        "few",
        "own",
        "same",
        "only",
        "all",
        "always",
    ]
)


@dataclass(frozen=True, slots=True)
class Sense:
    """What is known of a word or phrase, as names of groups."""

    same: frozenset[str] = frozenset()
    opposed: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()


NOTHING = Sense()


@dataclass(slots=True)
class Thesaurus:
    """Groups by phrase, as formats/lexicons.py reads them; `longest` is how long phrases with a first word get."""

    groups: Mapping[str, str] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for phrase in self.groups:
            size = phrase.count(" ") + 1
            if size > 1:
                first = phrase[: phrase.index(" ")]
                self.longest[first] = max(size, self.longest.get(first, 1))

    def sense(self, phrase: str) -> Sense:
        """Return what is known of a phrase of stems."""
        groups = self.groups.get(phrase)
        return NOTHING if groups is None else _sense(groups)


@lru_cache(maxsize=2048)
def _sense(groups: str) -> Sense:
    marked = groups.split()
    return Sense(*(frozenset(one for one in marked if one[0] == mark) for mark in "=!~"))


def row(text: str) -> list[str]:
    """Return the words of a text as the thesaurus knows them: stems, and single characters of Han and its like."""
    return [word if is_cjk(word[0]) else stem(word) for word in words(text)]


@dataclass(frozen=True, slots=True)
class Unit:
    """One word or phrase: its stems as one text, what is known of it, and where it begins (0 to 1)."""

    form: str
    sense: Sense
    place: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Statement:
    """A text read: units in order, figures, names and denials."""

    units: tuple[Unit, ...]
    figures: tuple[Figure, ...]
    names: frozenset[str]
    denials: int
    lone_denials: int
    folded: str
    words: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()  # the units' forms, and the groups of those that mean the same
    mass: float = 0.0  # of its units
    pairs: frozenset[tuple[str, str]] = frozenset()  # words that stand side by side
    chinese: bool = False

    def figures_beyond(self, *others: Statement) -> tuple[Figure, ...]:
        """Return its figures that none of the others has, in whatever words and unit."""
        return lacking(self.figures, [figure for other in others for figure in other.figures])


LONGEST = 1500  # characters that are read: what a memory is about stands there


def read_statement(text: str, thesaurus: Thesaurus) -> Statement:
    """Return a text as units."""
    text = text[:LONGEST]
    read = figured(first_person(text))
    plain = read.plain
    stems = row(plain)
    names = frozenset(fold(match.strip('“”「」《》"')) for match in _NAME.findall(text))
    units, denials = _units(stems, thesaurus)
    everywhere = sum(denies(stems, at) for at in range(len(stems)))
    marks = frozenset(mark for unit in units for mark in (unit.form, *unit.sense.same))
    return Statement(
        tuple(units), read.figures, names, everywhere, denials, plain, tuple(stems), marks,
        sum(unit.weight for unit in units), frozenset(pairwise(stems)), is_chinese(plain),
    )  # fmt: skip


def likeness(one: Statement, other: Statement) -> float:
    """Return the greater share (0 to 1) of either statement's units that the other has in some words: a quick look."""
    return max(share_in(one, other), share_in(other, one))


def share_in(one: Statement, other: Statement) -> float:
    """Return the share (0 to 1) of a statement's units that another has in some words."""
    marks = other.marks
    held = sum(unit.weight for unit in one.units if unit.form in marks or not marks.isdisjoint(unit.sense.same))
    return held / (one.mass or 1.0)


def _units(stems: list[str], thesaurus: Thesaurus) -> tuple[list[Unit], int]:
    """Return the units of a row of stems, and how many denials stand outside phrases that the thesaurus knows."""
    found: list[Unit] = []
    at, count, denials = 0, max(1, len(stems)), 0
    while at < len(stems):
        size, sense = _phrase(stems, at, thesaurus)
        word = stems[at]
        denials += size == 1 and denies(stems, at)
        plain = sense is NOTHING
        if not (plain and (word in _FUNCTION or word in CHINESE_CHARS or word[0].isdigit())):
            form = " ".join(stems[at : at + size])
            found.append(Unit(form, sense, at / count, 0.6 if plain and is_cjk(word[0]) else 1.0))
        at += size
    return found, denials


def denies(stems: Sequence[str], at: int) -> bool:
    """Tell whether the word at a place is a denial."""
    if stems[at] not in _DENIALS or not _NO_DENIAL.isdisjoint("".join(stems[at : at + size]) for size in (2, 3)):
        return False
    if stems[at] == "别":
        return at == 0 or stems[at - 1] not in _AS_OTHER
    bound = stems[at + 2 : at + 3] in (["than"], ["于"])  # no later than, 不早于
    return not bound and "".join(stems[at + 2 : at + 4]) not in _BOUNDS


def _phrase(stems: list[str], at: int, thesaurus: Thesaurus) -> tuple[int, Sense]:
    """Return the longest phrase that the thesaurus knows at a place, and its sense; one word where it knows none."""
    for size in range(min(thesaurus.longest.get(stems[at], 1), len(stems) - at), 0, -1):
        sense = thesaurus.sense(" ".join(stems[at : at + size]))
        if sense is not NOTHING:
            if size == 1 and (stems[at] in _FUNCTION or stems[at] in CHINESE_CHARS):
                break
            return size, sense
    return 1, NOTHING
