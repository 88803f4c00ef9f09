"""How an offered text stands to what a role holds: which memory it repeats, adds to or contradicts, or feeds back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import nlargest
from math import inf
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.succeed import digests_of, holding
from memd.model.change import DOUBTED, Judged, Relation
from memd.model.memory import Kind
from memd.text.characters import fingerprint, fold
from memd.text.clauses import clauses, rest_of
from memd.text.standing import is_standing

if TYPE_CHECKING:
    from array import array

    from memd.model.memory import Memory
    from memd.service.judging.vectors import Vectors
    from memd.store.keep.learned import Learned
    from memd.store.role.role import Role
    from memd.store.store import Store

LOOKED_AT, OF_MATTER = (
    3,
    5,
)  # memories that a text is compared with closely: those most alike in words, and those most of one matter
LIKE = 0.3  # and how much of either must stand in the other
LEAST_PRINT = 6  # letters of a memory that are looked for in a text
FED_BACK = 0.35  # of a text's letters that are a memory's, where something says that it was recalled
LEFT, LEFT_OF_TOLD = 1.0, 8.0  # words that may stand beside recalled memories, and beside those just told
MANY = 2  # statements of a memory that is judged by them
SURE_OF_PART, SURE_OF_ONE = (
    0.8,
    0.6,
)  # how sure the contradiction of one statement must be where the whole is hardly one, and where it may be
JUDGED = 48  # pairs of statements that are judged for one memory
# By how much a memory must be nearer to the matter of a change than any other of its role, and the log odds of a contradiction that are
# lost with each 1 that is lacking.
AHEAD, LACKING = 0.12, 12.0
_RANK = {Relation.DUPLICATE: 3, Relation.CONTRADICTION: 2, Relation.REFINEMENT: 1}


@dataclass(frozen=True, slots=True)
class Related:
    """The memory concerned, and the judgement; of a contradiction, the digests of what it covers (none: all of it)."""

    memory: Memory
    judged: Judged
    covers: tuple[str, ...] = ()

    def left(self) -> str:
        """Return what still holds of a memory of which a part is contradicted; "" where that is all of it."""
        if not self.covers:
            return ""
        kept = {one.digest for one in holding(self.memory)} - set(self.covers)
        return rest_of(self.memory.content, set(digests_of(self.memory)) - kept) if kept else ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Who says a text, and in which session. `turn`: of what is kept as it was said there, None for any other text."""

    speaker: str = ""
    session: str = ""
    turn: int | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether the text is kept as it was said: it concerns no memory but itself."""
        return bool(self.speaker and self.session) and self.turn is not None

    def may_concern(self, memory: Memory) -> bool:
        """Tell whether a text said so may repeat or change a memory: what others said of themselves it leaves alone."""
        if self.is_turn or memory.is_turn:
            return (memory.session, memory.speaker, memory.turn) == (self.session, self.speaker, self.turn)
        return not (self.speaker and memory.speaker) or fold(self.speaker) == fold(memory.speaker)


class Standing(NamedTuple):
    """How an offered text stands to a role: what it concerns, and the memory that it perhaps contradicts."""

    related: Related | None = None
    doubted: Related | None = None


def relate(store: Store, role: Role, text: str, spoken: Spoken, ids: Iterable[str], vectors: Vectors) -> Standing:
    """Return what an offered text is to the memories it may concern."""
    memories = role.compiled.memories
    now_s, session = store.ports.now(), spoken.session
    same = (one for one in role.prints.all(text) if _stands(memories[one], now_s))
    older = next((one for one in same if spoken.may_concern(memories[one])), "")
    if older:
        judged = Judged(Relation.DUPLICATE, 1.0, "the same letters and figures", 1.0)
        return Standing(Related(memories[older], judged))
    if spoken.is_turn or not store.settings_of(role).gate.relations:
        return Standing()
    known = [memories[one] for one in dict.fromkeys(ids) if one in memories and _stands(memories[one], now_s)]
    candidates = [one for one in known if spoken.may_concern(one)]
    fed_back = _fed_back(store, role, text, session, candidates)
    if fed_back:
        return Standing(fed_back)
    offered = _Offered(store.keeping.learned, text, vectors)
    closest, near = _closest(offered, candidates)
    found = [_beside(_judged(offered, one), near) for one in closest]
    related = [one for one in found if one.judged.relation is not Relation.UNRELATED]
    doubted = [one for one in found if one.judged.relation is Relation.UNRELATED and one.judged.doubt >= DOUBTED]
    return Standing(
        max(related, key=lambda one: (_RANK[one.judged.relation], one.judged.sure), default=None),
        max(doubted, key=lambda one: one.judged.doubt, default=None),
    )


@dataclass(frozen=True, slots=True)
class _Offered:
    """An offered text beside what memories say: by its words, and its vectors where there are any.

    What only tells the assistant how to be repeats, extends and replaces nothing but what does so too, and traits.
    """

    learned: Learned
    text: str
    vectors: Vectors

    def judge(self, memory: Memory, known: str, stored: str, told: str) -> Judged:
        """Judge a statement that was `told` beside what is `known` of a memory; `stored`: the text that its vector is of."""
        judged = self.learned.relate(known, told, self.vectors.pair(stored, self.learned.plain(told)))
        found = judged.relation is not Relation.UNRELATED or judged.doubt >= DOUBTED
        if found and memory.kind is not Kind.TRAIT and only_instructs(told) and not only_instructs(known):
            return replace(judged, relation=Relation.UNRELATED, doubt=0.0)
        return judged

    def share(self, known: str, told: str) -> float:
        """Return how much of either statement the other has, in words."""
        return self.learned.share(known, told)

    def told(self) -> list[array[float]]:
        """Return the turned vectors of what is told: of the whole text and of its statements, of those that have one."""
        texts = dict.fromkeys((self.text, *(one.said for one in clauses(self.text))))
        return [vector for one in texts if (vector := self.vectors.turned.get(self.learned.plain(one)))]

    def nearest(self, told: list[array[float]], texts: Iterable[str]) -> float | None:
        """Return how far what is told is of one matter with any text, at most; None where no vectors are known."""
        held = [vector for one in texts if (vector := self.vectors.of(one))]
        return max((sum(map(mul, one, other)) for one in held for other in told), default=None)


def only_instructs(text: str) -> bool:
    """Tell whether a text tells the assistant how to be, from now on, and nothing else."""
    said = clauses(text)
    return bool(said) and all(is_standing(one.said) for one in said)


def _closest(offered: _Offered, candidates: list[Memory]) -> tuple[list[Memory], dict[str, float]]:
    """Return the memories that are judged, those most alike in words, of equals the newest, and those most of one matter with what is
    told; and how far the candidates are of one matter with it, those that are judged by the nearest of their statements."""
    by_words = nlargest(
        LOOKED_AT, candidates, key=lambda one: (offered.share(one.said, offered.text), one.when_s or 0.0, one.id)
    )
    told = offered.told()
    near = {one.id: whole for one in candidates if (whole := offered.nearest(told, [one.text])) is not None}
    by_matter = nlargest(OF_MATTER, (one for one in candidates if one.id in near), key=lambda one: near[one.id])
    closest = list({one.id: one for one in (*by_words, *by_matter)}.values())
    for one in closest if told else ():
        of_parts = offered.nearest(told, (one.text, *(part.said for part in holding(one))))
        if of_parts is not None:
            near[one.id] = of_parts
    return closest, near


def _beside(found: Related, near: Mapping[str, float]) -> Related:
    """Return a judgement that is less sure of a contradiction where another memory is about as near to its matter: a text that reads
    like a change is one of what it is about, and of nothing else that a role holds."""
    judged = found.judged
    others = max((one for key, one in near.items() if key != found.memory.id), default=-inf)
    lacking = AHEAD - (near.get(found.memory.id, inf) - others)
    if lacking <= 0 or judged.relation not in (Relation.CONTRADICTION, Relation.UNRELATED):
        return found
    judged = judged.less_likely(lacking * LACKING)
    return Related(found.memory, judged, found.covers if judged.relation is Relation.CONTRADICTION else ())


def _judged(offered: _Offered, memory: Memory) -> Related:
    """Return how a text stands to what holds of a memory: what contradicts one of its statements leaves the others alone.

    One statement changes one: of those that share no words with it, only that which it surely contradicts most.
    """
    whole = Related(memory, offered.judge(memory, memory.said, memory.text, offered.text))
    parts = holding(memory)
    if len(clauses(memory.content)) < MANY or whole.judged.relation is Relation.DUPLICATE:
        return whole
    told = list(dict.fromkeys([offered.text, *(one.said for one in clauses(offered.text))]))
    news = told if len(parts) * len(told) <= JUDGED else [offered.text]
    least = SURE_OF_ONE if whole.judged.doubt >= DOUBTED else SURE_OF_PART
    against: dict[str, Judged] = {}
    near: list[str] = []
    for new in news:
        judgements = {one.digest: offered.judge(memory, one.said, one.said, new) for one in parts}
        found = {digest: one for digest, one in judgements.items() if _is_against(one, least)}
        first = max(found, key=lambda digest: found[digest].sure, default="")
        for part in parts:
            judged, is_like = judgements[part.digest], offered.share(part.said, new) >= LIKE
            if part.digest in found and (is_like or part.digest == first):
                against[part.digest] = max(against.get(part.digest, judged), judged, key=lambda one: one.sure)
            elif is_like or (judged.relation is not Relation.UNRELATED and part.digest not in found):
                near.append(part.digest)
    if whole.judged.relation is Relation.CONTRADICTION:
        judged, covers = whole.judged, tuple(against or dict.fromkeys(near or (one.digest for one in parts)))
    elif against:
        judged, covers = max(against.values(), key=lambda one: one.sure), tuple(against)
    else:
        return whole
    return Related(memory, judged, () if set(digests_of(memory)) <= set(covers) else covers)


def _is_against(judged: Judged, least: float) -> bool:
    return judged.relation is Relation.CONTRADICTION and judged.sure >= least


def _stands(memory: Memory, now_s: float) -> bool:
    return not (memory.disabled or memory.superseded_by or memory.is_expired(now_s))


def _fed_back(store: Store, role: Role, text: str, session: str, candidates: list[Memory]) -> Related | None:
    """Tell whether a text is what was recalled, told again: memories stand in it word for word, and little else does."""
    whole = fingerprint(text)
    held = [
        one
        for one in candidates
        if len(said := fingerprint(one.text)) >= LEAST_PRINT and said in whole and said != whole
    ]
    if not held:
        return None
    talk = store.recalled.talks.get((role.name, session)) if session else None
    told = any(f"{role.name}/{one.id}" in talk.injected for one in held) if talk else False
    share = sum(len(fingerprint(one.text)) for one in held) / len(whole)
    marked = "recalled memory" in store.keeping.learned.doubts(text)
    rest = text
    for one in held:
        rest = rest.replace(one.said, " ")
    if not _adds_nothing(store, text, held):
        return None
    left = sum(1.0 if len(unit.form) > 1 else 0.5 for unit in store.keeping.learned.read(rest).units)
    if (share >= FED_BACK and (told or marked) and left <= LEFT_OF_TOLD) or (share >= 0.5 and left <= LEFT):
        why = "it was injected in this session" if told else "a memory stands in it word for word"
        longest = max(held, key=lambda one: len(one.said))
        return Related(longest, Judged(Relation.DUPLICATE, 1.0, why, 1.0))
    return None


def _adds_nothing(store: Store, text: str, held: list[Memory]) -> bool:
    """Tell whether memories stand in a text as whole words, and it has no figure, name or denial that they have not."""
    read = store.keeping.learned.read
    new, olds = read(text), [read(one.said) for one in held]
    words = " ".join(new.words)
    whole = all(f" {' '.join(one.words)} " in f" {words} " for one in olds)
    figures = not new.figures_beyond(*olds)
    return whole and figures and new.denials <= sum(one.denials for one in olds)
