"""How an offered text stands to what a role holds: which memory it repeats, adds to or contradicts, or feeds back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.relation.endings import (
    death_in,
    ends_with,
    leaves_standing,
    not_yet,
    of_another,
    only_a_visit,
    only_adds,
    only_once,
)
from memd.engine.keep.succeed import digests_of, holding, says_nothing_alone, with_what_hangs_on
from memd.engine.keep.talk.persons import is_unnamed
from memd.formats.times import WRITTEN
from memd.model.change import SURE_BY_WORDS, Judged, Relation
from memd.model.memory import Kind
from memd.text.characters import fingerprint, fold
from memd.text.clauses import clauses, rest_of
from memd.text.standing import is_standing, settled_by

if TYPE_CHECKING:
    from array import array

    from memd.model.memory import Memory
    from memd.service.judging.vectors import Vectors
    from memd.store.keep.learned import Learned
    from memd.store.role.role import Role
    from memd.store.store import Store

# Memories that a text is compared with closely: those most alike in words, and those most of one matter.
LOOKED_AT, OF_MATTER = 3, 5
LIKE = 0.3  # and how much of either must stand in the other
LEAST_PRINT = 6  # letters of a memory that are looked for in a text
FED_BACK = 0.35  # of a text's letters that are a memory's, where something says that it was recalled
LEFT, LEFT_OF_TOLD = 1.0, 8.0  # words that may stand beside recalled memories, and beside those just told
MUCH = 60  # characters of a memory that nothing extends that shares no word with it
SAME_DAY_S = 43_200.0  # within which what is told again means the same days
SIDE_BY_SIDE = 6  # statements of memories that are looked at for what changes: those most like what is told


class Bounds(NamedTuple):
    """How likely a text must be to change a memory, to take its place, and to be worth asking a person; `agreed`: how sure the judge
    of two statements must be of it, where it is not CERTAIN."""

    surely: float
    perhaps: float
    agreed: float = 0.0


# Of what is told, by how many statements are known that it may concern: one, two, or more. Words alone need the other judge as well.
BY_COUNT = (Bounds(0.72, 0.55), Bounds(0.58, 0.46), Bounds(0.4, 0.35))
AGREED, CERTAIN = SURE_BY_WORDS[Relation.CONTRADICTION], 0.8
BY_WORDS = (Bounds(0.48, 0.4, AGREED), Bounds(0.48, 0.4, AGREED), Bounds(0.16, 0.15, AGREED))


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
    same = [one for one in role.prints.all(text) if _stands(memories[one], now_s)]
    if (plain := WRITTEN.sub("", text)) != text:  # of the same day, words of time mean the same without their dates
        lately = (one for one in role.prints.all(plain) if now_s - (memories[one].when_s or 0.0) < SAME_DAY_S)
        same += [one for one in lately if _stands(memories[one], now_s)]
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
    found = [Related(one, offered.judge(one)) for one in _closest(offered, candidates)]
    repeats, adds = (
        max((one for one in found if one.judged.relation is relation), key=lambda one: one.judged.sure, default=None)
        for relation in (Relation.DUPLICATE, Relation.REFINEMENT)
    )
    meant = vectors.turned.get(offered.learned.plain(text)) is not None
    bounds = BY_COUNT if meant else BY_WORDS
    change = None if repeats else next(changed(offered.learned, text, candidates, vectors, bounds), None)
    if change is not None and change.judged.relation is Relation.CONTRADICTION:
        return Standing(change)
    return Standing(repeats or adds, change)


@dataclass(frozen=True, slots=True)
class _Offered:
    """An offered text beside what memories say: by its words, and its vectors where there are any.

    What only tells the assistant how to be repeats, extends and replaces nothing but what does so too, and traits.
    """

    learned: Learned
    text: str
    vectors: Vectors

    def judge(self, memory: Memory) -> Judged:
        """Judge the text beside a memory."""
        told = self.learned.plain(self.text)
        judged = self.learned.relate(memory.said, self.text, self.vectors.pair(memory.text, told))
        apart = _only_how_to_be(memory, memory.said, self.text) or _settle_others(memory.said, self.text)
        apart = apart or (judged.relation is Relation.REFINEMENT and not self._may_join(memory))
        if judged.relation is not Relation.UNRELATED and apart:
            return replace(judged, relation=Relation.UNRELATED, doubt=0.0)
        return judged

    def _may_join(self, memory: Memory) -> bool:
        """Tell whether a text may extend a memory: none of much, and none of which a part has ended, that it shares no word with."""
        little = len(memory.content) < MUCH and not memory.covered
        return little or self.share(memory.said, self.text) > 0.0

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


def _only_how_to_be(memory: Memory, known: str, told: str) -> bool:
    return memory.kind is not Kind.TRAIT and only_instructs(told) and not only_instructs(known)


def _settle_others(known: str, told: str) -> bool:
    """Tell whether two standing instructions have nothing to do with each other, or say the contrary: the language, the length."""
    if not (only_instructs(told) and only_instructs(known)):
        return False
    whole, others = settled_by(known, denied=True), settled_by(told, denied=True)
    if not whole.keys() & others.keys():
        return bool(whole or others)
    return _is_otherwise(known, told)


def _is_otherwise(known: str, told: str) -> bool:
    """Tell whether two instructions settle the same, and nothing else, each otherwise."""
    one, other = settled_by(known), settled_by(told)
    return bool(one) and one.keys() == other.keys() and not any(one[name] & other[name] for name in one)


def _may_change(memory: Memory, known: str, told: str) -> bool:
    """Tell whether a text may be of one thing with what a memory says: what that does not name is changed by nothing that is named."""
    strange = is_unnamed(memory.said) and not is_unnamed(told)
    rules = (only_a_visit, only_once, only_adds, not_yet, of_another, leaves_standing)
    apart = any(one(known, told) for one in rules)
    return not (strange or apart or _only_how_to_be(memory, known, told) or _settle_others(known, told))


def _settled_anew(text: str, memories: Iterable[Memory]) -> Iterator[Related]:
    """Yield the instructions that another takes the place of: both settle the same, and nothing else, and each otherwise."""
    for one in memories if only_instructs(text) else ():
        if _is_otherwise(one.said, text) and only_instructs(one.said):
            yield Related(one, Judged(Relation.CONTRADICTION, 1.0, "it says how to answer otherwise", 1.0, 1.0))


def _ended_by_death(text: str, memories: Iterable[Memory]) -> Iterator[Related]:
    """Yield what says of somebody that they are, or do now, what a text tells the death of; the newest first."""
    death = death_in(text)
    for one in sorted(memories, key=lambda one: (-(one.when_s or 0.0), one.id)) if death else ():
        ended = [part.digest for part in holding(one) if death and ends_with(death, part.said)]
        if ended:
            covers = _covers(one, with_what_hangs_on(one, ended, gone=True))
            yield Related(one, Judged(Relation.CONTRADICTION, 1.0, "it tells of a death", 1.0, 1.0), covers)


def _closest(offered: _Offered, candidates: list[Memory]) -> list[Memory]:
    """Return the memories that are judged: those most alike in words, of equals the newest, and those most of one matter with what is
    told."""
    by_words = nlargest(
        LOOKED_AT, candidates, key=lambda one: (offered.share(one.said, offered.text), one.when_s or 0.0, one.id)
    )
    told = offered.told()
    near = {one.id: whole for one in candidates if (whole := offered.nearest(told, [one.text])) is not None}
    by_matter = nlargest(OF_MATTER, (one for one in candidates if one.id in near), key=lambda one: near[one.id])
    return list({one.id: one for one in (*by_words, *by_matter)}.values())


class _Part(NamedTuple):
    """A statement of a memory: what it says, whether what is told may change it, and its vector or that of the memory."""

    memory: Memory
    said: str
    may_change: bool
    stored: Sequence[float] | None
    digest: str = ""


def changed(
    learned: Learned,
    text: str,
    memories: Iterable[Memory],
    vectors: Vectors,
    by_count: Sequence[Bounds],
    after: str = "",
) -> Iterator[Related]:
    """Yield the memories that a text told `after` something contradicts, or perhaps does, the likeliest first, each with what it covers.

    The judge of relations sees two texts. What is told changes one thing of all that is known, or none: which, all of it tells side by
    side. `by_count`: bounds where one statement is known, two, or more. Of a memory that says several things each is looked at by itself: what is said of the rest of it still holds.
    """
    memories = list(memories)
    yield from _settled_anew(text, memories)
    yield from _ended_by_death(text, memories)
    behind = vectors.of(learned.plain(f"{after} {text}")) if after else None
    _, told, turned = vectors.pair("", learned.plain(text))
    # What may not change stands beside the rest all the same: of what it takes, nothing falls to another.
    pairs = [(part, (part.stored, told, turned)) for one in memories for part in _parts(one, text, vectors)]
    bounds = by_count[min(max(sum(part.may_change for part, _ in pairs), 1), len(by_count)) - 1]
    likest = nlargest(SIDE_BY_SIDE, pairs, key=lambda pair: learned.alike(pair[0].said, text, pair[1]))
    near = [(one, learned.beside(one.said, text, after, pair, behind)) for one, pair in likest]
    chances = learned.changes(text, [pair for _, pair in near], after)
    judged = sorted(zip(chances, near, strict=True), key=lambda one: -one[0])
    yielded = set[str]()
    for chance, (part, pair) in judged:
        if chance < bounds.perhaps:
            return
        agreed = chance >= CERTAIN or pair.relations.get(Relation.CONTRADICTION, 0.0) >= bounds.agreed
        if part.may_change and agreed and part.memory.id not in yielded:
            yielded.add(part.memory.id)
            own = [(also, one.digest) for also, (one, _) in judged if one.memory is part.memory and one.may_change]
            least = max(min(chance, bounds.surely), chance / 2)
            covers = _covers(part.memory, [digest for also, digest in own if digest and also >= least])
            sure, shared = round(chance, 3), pair.amounts.get("[old in new]", 0.0)
            relation = Relation.CONTRADICTION if chance >= bounds.surely else Relation.UNRELATED
            yield Related(part.memory, Judged(relation, sure, learned.why_changed(pair), shared, sure), covers)


def _covers(memory: Memory, changing: Sequence[str]) -> tuple[str, ...]:
    """Return the statements of a memory that change; none where these are all of it, or what is left would say nothing."""
    changing = with_what_hangs_on(memory, changing)
    left = rest_of(memory.content, {*changing, *memory.covered})
    whole = not set(changing) < set(digests_of(memory)) or says_nothing_alone(left)
    return () if whole else tuple(changing)


def _parts(memory: Memory, text: str, vectors: Vectors) -> list[_Part]:
    """Return what a memory says and nobody took the place of; it itself where it says one thing."""
    held, whole = holding(memory), vectors.of(memory.text)
    if len(clauses(memory.content)) < 2 or not held:
        return [_Part(memory, memory.said, _may_change(memory, memory.said, text), whole)]
    return [
        _Part(memory, one.said, _may_change(memory, one.said, text), vectors.of(one.said) or whole, one.digest)
        for one in held
    ]


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
